"""A trial and its row in a plan file.

A row writes the case's own questions as ``{"@": key}``. Reading gives every such reference the case's own object, and
equal questions, batches and texts of one case one object, so that a plan of 12,000 tests stays small and a request that
several relations share is one object too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import JSON, shown
from pytest_jevbench.plans.plan import question_identity
from pytest_jevbench.questions import Case, Question, question_from_json
from pytest_jevbench.relations.base import Edit, Trial

__all__ = ["RowReader", "RowWriter"]

REFERENCE = "@"
FIELDS = ("key", "v", "t", "targets", "requests", "params")


class RowWriter:
    """Writes the trials of one case."""

    def __init__(self, case: Case) -> None:
        self._questions = case.questions
        self._keys: dict[tuple[object, ...], str] = {}
        for key, question in case.questions.items():
            self._keys.setdefault(question_identity(question), key)

    def row(self, trial: Trial) -> dict[str, JSON]:
        """The JSON object of a trial, fields in the published order."""
        return {
            "case": trial.case_id,
            "relation": trial.relation,
            "key": trial.key,
            "v": trial.variant,
            "t": trial.draw,
            **self._edit(trial.edit),
            "reduced": None if trial.reduced is None else self._edit(trial.reduced),
        }

    def _edit(self, edit: Edit) -> dict[str, JSON]:
        return {
            "targets": list(edit.targets),
            "requests": {
                label: [[key, self._question(key, question)] for key, question in batch.items()]
                for label, batch in edit.batches.items()
            },
            "params": dict(edit.params),
        }

    def _question(self, key: str, question: Question) -> dict[str, JSON]:
        if self._questions.get(key) is question:
            return {REFERENCE: key}
        own = self._keys.get(question_identity(question))
        return question.to_json() if own is None else {REFERENCE: own}


class RowReader:
    """Reads the rows of one case."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self._texts: dict[str, str] = {key: key for key in case.questions}
        self._own = _by_identity(case)
        self._batches: dict[tuple[object, ...], dict[str, Question]] = {}

    def trial(self, row: Mapping[str, Any], relation: str, place: Place) -> Trial:
        """The trial of a row whose case is this one and whose relation is known.

        Raises :class:`InputError` naming the field.
        """
        for name in FIELDS:
            if name not in row:
                raise InputError(f"the row has no {name}", place=place, advice="Freeze the suite again")
        key = row["key"]
        self.require_key(key, place.at("key"))
        edit = self._edit(row, place)
        reduced = row.get("reduced")
        if reduced is not None:
            reduced = self._reduced(reduced, edit, place.at("reduced"))
        return Trial(
            self.case.id,
            relation,
            self._texts[key],
            _count(row["v"], place, "v"),
            _count(row["t"], place, "t"),
            edit,
            reduced,
        )

    def forget(self) -> None:
        """Let go of what was seen: trials read later share nothing with these but the case's own questions."""
        self._batches = {}
        self._own = _by_identity(self.case)

    def require_key(self, key: object, place: Place) -> None:
        """Refuse what is no question of the case. Raises :class:`InputError`."""
        if not isinstance(key, str) or key not in self.case.questions:
            raise self._unknown_key(key, place)

    def _reduced(self, value: Any, whole: Edit, place: Place) -> Edit:
        if not isinstance(value, dict) or not {"targets", "requests", "params"} <= value.keys():
            raise InputError.unexpected(value, "targets, requests and params, or null", place)
        edit = self._edit(value, place)
        return Edit(edit.targets, edit.batches, whole.params) if edit.params == whole.params else edit

    def _edit(self, row: Mapping[str, Any], place: Place) -> Edit:
        targets, requests, params = row["targets"], row["requests"], row["params"]
        if not isinstance(targets, list) or not targets:
            raise InputError.unexpected(targets, "a list of question keys", place.at("targets"))
        for target in targets:
            if not isinstance(target, str) or target not in self.case.questions:  # the place is made for errors alone
                self.require_key(target, place.at("targets"))
        if not isinstance(requests, dict):
            raise InputError.unexpected(requests, "an object of requests by label", place.at("requests"))
        if not isinstance(params, dict):
            raise InputError.unexpected(params, "an object", place.at("params"))
        batches = {self._text(label): self._batch(pairs, label, place) for label, pairs in requests.items()}
        return Edit(tuple(map(self._text, targets)), batches, params)

    def _batch(self, pairs: Any, label: str, place: Place) -> dict[str, Question]:
        if not isinstance(pairs, list) or not pairs:
            raise InputError.unexpected(pairs, "a list of [key, question] pairs", _request(place, label))
        batch: dict[str, Question] = {}
        for pair in pairs:
            if not (isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) and pair[0]):
                raise InputError.unexpected(pair, "a [key, question] pair", _request(place, label))
            key, value = pair
            if isinstance(value, dict) and len(value) == 1 and REFERENCE in value:
                question = self._referred(value[REFERENCE], place, label, key)
            else:
                question = self._new(value, place, label, key)
            batch[self._text(key)] = question
        if len(batch) != len(pairs):
            raise InputError("a question key stands twice in the request", place=_request(place, label))
        same = (*batch, *map(id, batch.values()))
        return self._batches.setdefault(same, batch)

    def _new(self, value: Any, place: Place, label: str, key: str) -> Question:
        try:
            question = question_from_json(value, place)
        except InputError:
            question = question_from_json(value, _request(place, label).at(key))  # raises it with the place
        return self._own.setdefault(question_identity(question), question)

    def _referred(self, own_key: Any, place: Place, label: str, key: str) -> Question:
        question = self.case.questions.get(own_key) if isinstance(own_key, str) else None
        if question is None:
            raise self._unknown_key(own_key, _request(place, label).at(key))
        return question

    def _text(self, text: str) -> str:
        return self._texts.setdefault(text, text)

    def _unknown_key(self, key: object, place: Place) -> InputError:
        return InputError(
            f"case {shown(self.case.id)} has no question {shown(key)}",
            place=place,
            advice=f"Its questions are {', '.join(map(shown, self.case.questions))}",
        )


def _by_identity(case: Case) -> dict[tuple[object, ...], Question]:
    return {question_identity(question): question for question in case.questions.values()}


def _count(value: Any, place: Place, field: str) -> int:
    if type(value) is not int or value < 0:
        raise InputError.unexpected(value, "an integer of at least 0", place.at(field))
    return value


def _request(place: Place, label: str) -> Place:
    return place.at("requests").at(label)
