"""What a model's raw answer to a labelled task comes to, by rules stricter than those of a coherence run.

================================================  =======================================================
the answer                                        is read as
================================================  =======================================================
probabilities that sum to 1 within 1e-3           these probabilities, as they came
... within 2e-2                                   divided by their sum, with the flag ``renormalised``; sum
                                                  and values are kept as they came
... further away                                  invalid
a truth value, a text, null, NaN, or a number     invalid; 1e-6 outside of [0, 1] is rounding
outside of [0, 1]
a label missing, or one that was not asked for    invalid
a ``choice`` that is no option of the question    invalid
a label alone, from a model that gives no more    this label, and no probabilities
no call where a call names the label              ``abstained``
================================================  =======================================================
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pytest_jevbench.json_text import DuplicateKeys, shown
from pytest_jevbench.labelled.records import Task
from pytest_jevbench.labelled.results import ProbsSource, Reason
from pytest_jevbench.questions import Noul, Score, answer_ids

__all__ = ["RENORMALISED_WITHIN", "VALID_WITHIN", "TaskAnswer", "read_task_answer"]

VALID_WITHIN = 1e-3
"""How far a sum may be from 1 and count as 1."""
RENORMALISED_WITHIN = 2e-2
"""How far it may be and still be divided out."""

_SLIP = 1e-6
_ROUNDING = 1e-12
"""What adding floats may add to a difference: 0.999 is within 1e-3."""


@dataclass(frozen=True, slots=True)
class TaskAnswer:
    """What was read: ``given`` or ``probabilities`` (over the exact labels, in their order), or the ``reason`` why not.

    ``detail`` says what was wrong. ``returned_sum`` and ``returned`` are there where the sum was divided out.
    """

    given: str | None = None
    probabilities: Mapping[str, float] | None = None
    reason: Reason = ""
    detail: str = ""
    returned_sum: float | None = None
    returned: Mapping[str, float] | None = None
    flags: tuple[str, ...] = ()


class _Invalid(Exception):
    pass


def read_task_answer(task: Task, answer: Any, source: ProbsSource = "native") -> TaskAnswer:
    """The labels' probabilities, or the one label, that a raw answer states. Nothing in it is mended."""
    try:
        if isinstance(answer, DuplicateKeys):
            raise _Invalid(f"key {shown(answer.repeated[0])} stands twice in the answer")
        if not isinstance(answer, Mapping):
            raise _Invalid(f"the answer is {shown(answer)}, not an object")
        if answer.get("type") == "refusal" or answer.get("refusal"):
            return TaskAnswer(reason="refused", detail=f"the model refused: {shown(answer.get('refusal'))}")
        flags = ("truncated",) if answer.get("truncated") else ()
        if source == "label_only":
            return _label(task, answer, flags)
        return _distribution(task, answer, flags)
    except _Invalid as error:
        return TaskAnswer(reason="invalid", detail=str(error))


def _label(task: Task, answer: Mapping[str, Any], flags: tuple[str, ...]) -> TaskAnswer:
    if answer.get("abstained"):
        return TaskAnswer(reason="abstained", detail="the model made no call", flags=flags)
    if "problem" in answer:
        raise _Invalid(str(answer["problem"]))
    label = answer.get("label")
    if not isinstance(label, str) or label not in answer_ids(task.question):
        raise _Invalid(f"the label {shown(label)} is none of the question's")
    return TaskAnswer(given=task.label(label), flags=flags)


def _distribution(task: Task, answer: Mapping[str, Any], flags: tuple[str, ...]) -> TaskAnswer:
    question = task.question
    if isinstance(question, Noul):
        if "noul" not in answer:
            raise _Invalid('no "noul" field in the answer')
        p = _probability(answer["noul"], "noul")
        return TaskAnswer(probabilities=task.by_label({"true": p, "false": 1.0 - p}), flags=flags)
    ids = answer_ids(question)
    raw = answer.get("probabilities")
    if isinstance(raw, DuplicateKeys):
        raise _Invalid(f"{shown(raw.repeated[0])} stands twice in the probabilities")
    if not isinstance(raw, Mapping):
        raise _Invalid(f'"probabilities" is {shown(raw)}, not an object')
    if isinstance(question, Score):
        raw = _by_level(raw, question.levels, ids)
    elif not _is_option(answer.get("choice"), ids):
        raise _Invalid(f"the choice {shown(answer['choice'])} is no option of the question")
    _same_labels(raw, ids)
    values = {answer_id: _probability(raw[answer_id], answer_id) for answer_id in ids}
    total = math.fsum(values.values())
    away = abs(total - 1.0) - _ROUNDING
    if away <= VALID_WITHIN:
        return TaskAnswer(probabilities=task.by_label(values), flags=flags)
    if away > RENORMALISED_WITHIN:
        raise _Invalid(f"the probabilities sum to {total:.6g}")
    return TaskAnswer(
        probabilities=task.by_label({answer_id: p / total for answer_id, p in values.items()}),
        returned_sum=total,
        returned=task.by_label({answer_id: float(raw[answer_id]) for answer_id in ids}),
        flags=("renormalised", *flags),
    )


def _is_option(choice: Any, ids: tuple[str, ...]) -> bool:
    """Whether an answer's ``choice`` is an option; one that it does not name is none to be wrong."""
    return choice is None or (isinstance(choice, str) and choice in ids)


def _by_level(raw: Mapping[str, Any], levels: tuple[str, ...], ids: tuple[str, ...]) -> Mapping[str, Any]:
    """Probabilities by level index; those by every level text are taken too, where no two texts are equal."""
    if set(raw) == set(ids) or set(raw) != set(levels) or len(set(levels)) != len(levels):
        return raw
    return {answer_id: raw[text] for answer_id, text in zip(ids, levels, strict=True)}


def _same_labels(raw: Mapping[str, Any], ids: tuple[str, ...]) -> None:
    missing = [answer_id for answer_id in ids if answer_id not in raw]
    if missing:
        raise _Invalid(f"no probability for {shown(missing[0])}")
    more = [name for name in raw if name not in ids]
    if more:
        raise _Invalid(f"a probability for {shown(more[0])}, which is no label of the question")


def _probability(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _Invalid(f"{shown(name)} is {shown(value)}, not a number")
    try:
        p = float(value)
    except OverflowError:
        raise _Invalid(f"{shown(name)} is too large for a probability") from None
    if not math.isfinite(p):
        raise _Invalid(f"{shown(name)} is {p}, not a finite number")
    if not -_SLIP <= p <= 1.0 + _SLIP:
        raise _Invalid(f"{shown(name)} is {p:g}, outside [0, 1]")
    return min(1.0, max(0.0, p))
