"""From what a model sent to a distribution over the declared answers.

The reading rules are those of the System One wire format: strict about what a probability is, lenient about
everything that is not one. Whatever is odd and harmless is kept as a note, so that a report can count it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from pytest_jevbench.distributions import Distribution, argmax
from pytest_jevbench.json_text import DuplicateKeys, shown
from pytest_jevbench.questions import Choice, Noul, Question, Score, answer_ids

__all__ = ["NOTES", "Note", "ReadAnswer", "read_answer", "read_answers"]

SLIP = 1e-6
"""How far outside [0, 1] a probability may lie by arithmetic alone."""

Note: TypeAlias = Literal[
    "answer_type",
    "extra_options",
    "rounded_sum",
    "unnormalised",
    "choice_not_argmax",
    "score_not_mean",
    "no_confidence",
]
NOTES: Mapping[Note, str] = {
    "answer_type": "the answer's type is absent or not the question's",
    "extra_options": "options that were not asked for",
    "rounded_sum": "probabilities that sum to 1 only within the rounding of the printed digits",
    "unnormalised": "probabilities whose sum is away from 1 by more than the rounding of the printed digits",
    "choice_not_argmax": "a `choice` that is not the most probable option",
    "score_not_mean": "a `score` that is not the mean level",
    "no_confidence": "no `confidence` field",
}


class ReadAnswer(NamedTuple):
    """A distribution, or the problem that makes the answer invalid; ``notes`` are harmless oddities."""

    distribution: Distribution | None
    problem: str = ""
    notes: tuple[tuple[Note, str], ...] = ()


class _Invalid(Exception):
    pass


def read_answers(questions: Mapping[str, Question], answers: Mapping[str, Any]) -> dict[str, ReadAnswer]:
    """Every question's answer; a question without one is invalid."""
    return {
        key: read_answer(question, answers[key]) if key in answers else ReadAnswer(None, "no answer under this key")
        for key, question in questions.items()
    }


def read_answer(question: Question, answer: Any) -> ReadAnswer:
    """The distribution that one raw answer states over the question's declared answers."""
    try:
        return _read(question, answer)
    except _Invalid as error:
        return ReadAnswer(None, str(error))


def _read(question: Question, answer: Any) -> ReadAnswer:
    if type(answer) is dict and type(question) is Noul and answer.get("type") == "noul":
        p = answer.get("noul")  # most answers are this one, and there are many
        if type(p) is float and 0.0 <= p <= 1.0:
            return ReadAnswer({"false": 1.0 - p, "true": p})
    if isinstance(answer, DuplicateKeys):
        raise _Invalid(f"key {shown(answer.repeated[0])} stands twice in the answer")
    if not isinstance(answer, Mapping):
        raise _Invalid(f"the answer is {shown(answer)}, not an object")
    if answer.get("type") == "refusal" or answer.get("refusal"):
        words = answer.get("refusal")
        raise _Invalid("the model refused to answer this question" + (f": {shown(words)}" if words else ""))
    notes: list[tuple[Note, str]] = []
    if answer.get("type") != question.type:
        notes.append(("answer_type", shown(answer.get("type"))))
    if "confidence" not in answer and not isinstance(question, Noul):  # a Noul has none
        notes.append(("no_confidence", ""))
    if isinstance(question, Noul):
        p = _noul(answer)
        return ReadAnswer({"false": 1.0 - p, "true": p}, notes=tuple(notes))
    ids = answer_ids(question)
    values, extra = _probabilities(question, answer)
    if extra:
        notes.append(("extra_options", shown(extra[0])))
    given = [_probability(values[option], option, upper=math.inf) for option in ids]
    total = math.fsum(given)
    if not total > 0.0 or not math.isfinite(total):
        raise _Invalid("all probabilities are 0" if total == 0.0 else f"the probabilities sum to {total}")
    if abs(total - 1.0) > SLIP:
        by_rounding = abs(total - 1.0) <= _rounding([values[option] for option in ids])
        notes.append(("rounded_sum" if by_rounding else "unnormalised", f"sum {total:.6g}"))
    distribution = {option: p / total for option, p in zip(ids, given, strict=True)}
    notes += _contradictions(question, answer, distribution)
    return ReadAnswer(distribution, notes=tuple(notes))


def _noul(answer: Mapping[str, Any]) -> float:
    if "noul" not in answer:
        raise _Invalid('no "noul" field in the answer')
    return min(1.0, _probability(answer["noul"], "noul", upper=1.0 + SLIP))


def _probability(value: Any, name: str, upper: float) -> float:
    if type(value) is float and 0.0 <= value <= 1.0:
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise _Invalid(f"{shown(name)} is {shown(value)}, not a number")
    try:
        p = float(value)
    except OverflowError:
        raise _Invalid(f"{shown(name)} is too large for a probability") from None
    if not math.isfinite(p):
        raise _Invalid(f"{shown(name)} is {p}, not a finite number")
    if not -SLIP <= p <= min(upper, 1.0 + SLIP):
        raise _Invalid(f"{shown(name)} is {p:g}, outside [0, 1]")
    return max(0.0, p)


def _probabilities(question: Choice | Score, answer: Mapping[str, Any]) -> tuple[Mapping[str, Any], list[str]]:
    """The raw values by answer id, and the ids that were not asked for."""
    raw = answer.get("probabilities")
    if isinstance(raw, DuplicateKeys):
        raise _Invalid(f"option {shown(raw.repeated[0])} stands twice in the answer")
    if not isinstance(raw, Mapping):
        raise _Invalid(f'"probabilities" is {shown(raw)}, not an object')
    ids = answer_ids(question)
    if tuple(raw) == ids:
        return raw, []
    if isinstance(question, Score) and not all(level in raw for level in ids):
        by_text = [text for text in question.levels if text in raw]
        by_index = [level for level in ids if level in raw]
        if len(set(by_text)) == len(ids):
            extra = [key for key in raw if key not in question.levels]
            return {level: raw[text] for level, text in zip(ids, question.levels, strict=True)}, extra
        if by_text and by_index and set(by_text) != set(by_index):
            raise _Invalid("level indices and level texts are mixed")
    missing = [option for option in ids if option not in raw]
    if missing:
        what = "level" if isinstance(question, Score) else "option"
        raise _Invalid(f"no probability for {what} {shown(missing[0])}")
    return raw, [key for key in raw if key not in ids]


_DECIMALS = re.compile(r"\.(\d+)$")


def _rounding(values: list[Any]) -> float:
    """How far a sum of rounded numbers may lie from 1: half a unit in the last place for each of them."""
    places = 0
    for value in values:
        text = repr(value)
        found = _DECIMALS.search(text)
        if "e" in text or "E" in text:
            places = 17
        elif found:
            places = max(places, len(found.group(1)))
    return 0.5 * len(values) * 10.0**-places + SLIP


def _contradictions(question: Choice | Score, answer: Mapping[str, Any], p: Distribution) -> list[tuple[Note, str]]:
    """What the answer's other fields say against its probabilities."""
    notes: list[tuple[Note, str]] = []
    if isinstance(question, Choice) and "choice" in answer:
        top = argmax(p)
        chosen = answer["choice"]
        if top is not None and chosen != top:
            notes.append(("choice_not_argmax", f"{shown(chosen)}, most probable {shown(top)}"))
    if isinstance(question, Score) and "score" in answer:
        mean = math.fsum(int(level) * mass for level, mass in p.items())
        said = answer["score"]
        if isinstance(said, bool) or not isinstance(said, (int, float)) or abs(said - mean) > 0.05:
            notes.append(("score_not_mean", f"{shown(said)}, mean level {mean:.3g}"))
    return notes
