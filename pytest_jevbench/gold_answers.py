"""Gold answers: labels for accuracy and calibration, never seen by a relation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import JSON, shown
from pytest_jevbench.questions import Case, Noul, Question, Score, answer_ids

__all__ = ["Gold", "gold_answer", "read_gold"]

Gold = Mapping[str, Mapping[str, JSON]]
"""The gold answers by case and question; null for a question that the state does not settle."""


def gold_answer(question: Question, value: JSON, place: Place) -> str:
    """The answer id of a gold answer: true or false for a Noul, an option id, or a level's index.

    Raises :class:`InputError` where the question has no such answer.
    """
    if isinstance(question, Noul):
        if isinstance(value, bool):
            return str(value).lower()
        raise InputError.unexpected(value, "true or false", place)
    if isinstance(question, Score):
        if isinstance(value, int) and not isinstance(value, bool) and str(value) in answer_ids(question):
            return str(value)
        raise InputError.unexpected(value, f"a level's index, 0 to {len(question.levels) - 1}", place)
    if isinstance(value, str) and value in question.options:
        return value
    raise InputError.unexpected(value, f"one of the option ids {', '.join(question.options)}", place)


def read_gold(rows: Iterable[tuple[Place, Any]], cases: Mapping[str, Case]) -> Gold:
    """The rows of ``gold.jsonl``, every answer checked against its question. Raises :class:`InputError`."""
    gold: dict[str, dict[str, JSON]] = {}
    for place, row in rows:
        if not isinstance(row, dict) or not isinstance(row.get("answers"), dict):
            raise InputError.unexpected(row, '{"case": id, "answers": {key: answer or null}}', place)
        case = cases.get(row["case"]) if isinstance(row.get("case"), str) else None
        if case is None:
            raise InputError(f"there is no case {shown(row.get('case'))}", place=place.at("case"))
        if case.id in gold:
            raise InputError(f"case {shown(case.id)} stands on an earlier line", place=place.at("case"))
        at = place if _stands_in_case(place) else place.at("answers")
        for key, answer in row["answers"].items():
            if key not in case.questions:
                raise InputError(f"the case has no question {shown(key)}", place=at.at(key))
            if answer is not None:
                gold_answer(case.questions[key], answer, at.at(key))
        gold[case.id] = row["answers"]
    return gold


def _stands_in_case(place: Place) -> bool:
    """Whether the answers are the field ``gold`` of a case, and not a row of a file."""
    return (place.field or "").rpartition(".")[2] == "gold"
