"""One record, checked: a task, or everything that is wrong with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import JSON, shown
from pytest_jevbench.labelled.answer_keys import find_answer_keys
from pytest_jevbench.labelled.json_faults import json_faults
from pytest_jevbench.labelled.records import FIELDS, PUBLIC, Task, exact_labels
from pytest_jevbench.questions import Choice, Noul, Question, Score, question_from_json

__all__ = ["check_record", "is_private_name"]

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]{0,99}")
_PRIVATE = re.compile(r"private([-_. ].*)?", re.IGNORECASE | re.DOTALL)


def is_private_name(split: str) -> bool:
    """Whether a split is private by its name alone: ``private``, or ``private-`` and more.

    >>> is_private_name("private-2"), is_private_name("public")
    (True, False)
    """
    return _PRIVATE.fullmatch(split) is not None


def check_record(
    value: object, place: Place, private: Callable[[str], bool] = is_private_name
) -> tuple[Task | None, list[InputError]]:
    """The task that a record holds, None where it has problems; and all of these, each naming its field.

    ``private`` says by its name whether a split is private.
    """
    if not isinstance(value, dict):
        return None, [InputError.unexpected(value, f"a record, an object with {', '.join(FIELDS)}", place)]
    found = _Found(value, place)
    for name in value:
        if name not in FIELDS:
            found.tell(f"unknown field {shown(name)}", str(name), f"A record has {', '.join(FIELDS)}")
    for field, problem, advice in json_faults(value):
        found.tell(problem, field, advice)
    split = found.text("split", PUBLIC)
    is_private = split is not None and private(split)
    task_id, family, group = found.text("id"), found.text("family"), found.text("group", None)
    if is_private:
        found.plain_names(id=task_id, family=family, group=group, split=split)
    found.state()
    question = found.question()
    labels = found.labels(question)
    expected = found.expected(question, labels)
    if not isinstance(value.get("provenance"), (str, dict, list, type(None))):
        found.unexpected("provenance", "text, an object, a list or null")
    if found.problems or question is None or task_id is None or family is None or split is None:
        return None, found.problems
    state, provenance = value["state"], value.get("provenance")
    return Task(task_id, family, state, question, labels, expected, split, group, provenance, is_private), []


class _Found:
    """The fields of one record, and the problems met so far."""

    def __init__(self, record: dict[str, Any], place: Place) -> None:
        self.record = record
        self.place = place
        self.problems: list[InputError] = []

    def tell(self, problem: str, field: str, advice: str = "") -> None:
        self.problems.append(InputError(problem, place=self.place.at(field), advice=advice))

    def unexpected(self, field: str, wanted: str) -> None:
        value = self.record.get(field)
        if field not in self.record:
            self.tell("the field is missing", field, f"Give {wanted}")
        else:
            self.problems.append(InputError.unexpected(value, wanted, self.place.at(field)))

    def text(self, field: str, default: str | None = "") -> str | None:
        """A text that is not blank; an empty ``default`` says that there is none, None that null is meant."""
        value = self.record.get(field)
        if value is None and default != "" and (default is None or field not in self.record):
            return default
        if isinstance(value, str) and value.strip():
            return value
        self.unexpected(field, f"the {field} as non-empty text")
        return None

    def plain_names(self, **names: str | None) -> None:
        """Names of a private record stand in reports: they must not be able to hold a text."""
        for field, name in names.items():
            if name is not None and not _PLAIN.fullmatch(name):
                advice = "Use letters, digits and . _ : / - alone, 100 at most: it stands in reports, and no text may"
                self.tell(f"{shown(name)} is no plain name, and the split is private", field, advice)

    def state(self) -> None:
        if not isinstance(self.record.get("state"), (str, dict, list)):
            self.unexpected("state", "the state as text, object or array")
            return
        for key in find_answer_keys(self.record["state"]):
            self.tell("a key of the state gives the answer away", key, "Take it out: the model reads the whole state")

    def question(self) -> Question | None:
        if "question" not in self.record:
            self.unexpected("question", '{"type", "instructions", "criteria"}')
            return None
        try:
            return question_from_json(self.record["question"], self.place.at("question"))
        except InputError as error:
            self.problems.append(error)
            return None

    def labels(self, question: Question | None) -> tuple[str, ...]:
        """The labels as text, checked against the question; empty where they are wrong."""
        value = self.record.get("labels")
        if value is None:
            return exact_labels(question) if question is not None else ()
        if not isinstance(value, list) or not value:
            self.unexpected("labels", "a list of the labels a model may answer with")
            return ()
        if question is None:
            return ()
        wanted = exact_labels(question)
        wrong = next((i for i, item in enumerate(value) if not _is_label(question, item)), None)
        if wrong is not None:
            kind = "the level's index as a whole number" if isinstance(question, Score) else "the label as text"
            self.problems.append(InputError.unexpected(value[wrong], kind, self.place.at(f"labels[{wrong}]")))
            return ()
        labels = tuple(str(item) for item in value)
        repeated = next((label for i, label in enumerate(labels) if label in labels[:i]), None)
        if repeated is not None:
            self.tell(f"the label {shown(repeated)} stands twice", "labels", "Name each label once")
            return ()
        in_order = labels == wanted or (isinstance(question, Noul) and sorted(labels) == sorted(wanted))
        if not in_order:
            self.problems.append(InputError.unexpected(value, _labels_of(question, wanted), self.place.at("labels")))
            return ()
        return labels

    def expected(self, question: Question | None, labels: Sequence[str]) -> str | None:
        value = self.record.get("expected")
        if value is None or question is None:
            return None
        known = labels or exact_labels(question)
        if _is_label(question, value) and str(value) in known:
            return str(value)
        shown_labels = ", ".join(known) if isinstance(question, Score) else ", ".join(shown(label) for label in known)
        wanted = f"one of the record's labels, {shown_labels}, or null"
        self.problems.append(InputError.unexpected(value, wanted, self.place.at("expected")))
        return None


def _is_label(question: Question, value: JSON) -> bool:
    """Whether a value has a label's type: a truth value is neither text nor a level's index."""
    if isinstance(question, Score):
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, str) and bool(value)


def _labels_of(question: Question, wanted: Sequence[str]) -> str:
    if isinstance(question, Noul):
        return 'the labels of a Noul, "no" and "yes"'
    if isinstance(question, Choice):
        return f"the option ids in the order of the criteria, {shown(list(wanted))}"
    return f"the indices of the levels, 0 to {len(wanted) - 1}"
