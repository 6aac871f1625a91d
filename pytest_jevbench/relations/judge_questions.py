"""What a judge is asked, as parts: from them the question is written, and written again after an edit of one part.

A case that is judged says in its field ``judge`` what its questions were written from::

    {"rubric": id, "scoring": text, "criteria": [text, text, text], "answers": [text] or [text, text], "name": text?}

Two answers are compared by one Choice ``better``; one answer is graded by the Score ``grade`` and the yes/no questions
``criterion_1`` to ``criterion_3``. ``name`` is the judge's own, where the answers' authors are to be named.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from pytest_jevbench.json_text import JSON
from pytest_jevbench.questions import Choice, Noul, Question, Score
from pytest_jevbench.relations import judge_wording as wording
from pytest_jevbench.relations.base import SourceCase

__all__ = ["BETTER", "FIELD", "GRADE", "SIDES", "TIE", "Judged", "criterion_key", "judged", "questions_of"]

FIELD = "judge"
BETTER = "better"
GRADE = "grade"
SIDES = ("first", "second")
"""The ids of the two answers' options: they name the place, and stay where the answers change places."""
TIE = "tie"
CRITERIA = 3

Kind: TypeAlias = Literal["pair", "grade", "criterion"]


@dataclass(frozen=True, slots=True)
class Judged:
    """The parts of a question to a judge. ``reversed`` asks for the worse answer, or lists the levels from the top."""

    kind: Kind
    scoring: str
    criteria: tuple[str, ...]
    answers: tuple[str, ...]
    reversed: bool = False
    name: str | None = None

    def question(self) -> Question:
        """The question that these parts make."""
        if self.kind == "pair":
            asked = wording.worse if self.reversed else wording.better
            options = dict(zip((*SIDES, TIE), (*self.answers, wording.TIED), strict=True))
            return Choice(asked(self.scoring, self.criteria), options)
        (answer,) = self.answers
        if self.kind == "grade":
            levels = wording.LEVELS[::-1] if self.reversed else wording.LEVELS
            return Score(wording.criteria_met(self.scoring, self.criteria, answer), levels)
        return Noul(wording.criterion_met(self.scoring, self.criteria[0], answer))

    def with_answer(self, side: int, text: str) -> Judged:
        """The same question about another text of one answer."""
        answers = list(self.answers)
        answers[side] = text
        return replace(self, answers=tuple(answers))


def criterion_key(number: int) -> str:
    """The key of the question about a criterion, counted from 1."""
    return f"criterion_{number}"


def questions_of(scoring: str, criteria: tuple[str, ...], answers: tuple[str, ...]) -> dict[str, Question]:
    """The questions of a case about two answers, or about one."""
    return {key: parts.question() for key, parts in _parts(scoring, criteria, answers, None).items()}


def judged(source: SourceCase, key: str) -> Judged | None:
    """The parts of a case's question; None for one that was not written from what the case says."""
    value = source.case.metadata.get(FIELD)
    if not isinstance(value, dict):
        return None
    scoring, criteria, answers, name = (value.get(part) for part in ("scoring", "criteria", "answers", "name"))
    if not isinstance(scoring, str) or not (name is None or isinstance(name, str)):
        return None
    known = _parts(scoring, _texts(criteria), _texts(answers), name) if _fit(criteria, answers) else {}
    parts = known.get(key)
    return parts if parts is not None and _same(parts.question(), source.questions.get(key)) else None


def _same(one: Question, other: Question | None) -> bool:
    """Whether two questions are one, the order of options included."""
    return one == other and (
        not (isinstance(one, Choice) and isinstance(other, Choice)) or [*one.options] == [*other.options]
    )


def _fit(criteria: JSON, answers: JSON) -> bool:
    return len(_texts(criteria)) == CRITERIA and len(_texts(answers)) in (1, len(SIDES))


def _texts(value: JSON) -> tuple[str, ...]:
    return tuple(v for v in value if isinstance(v, str)) if isinstance(value, list) else ()


def _parts(scoring: str, criteria: tuple[str, ...], answers: tuple[str, ...], name: str | None) -> Mapping[str, Judged]:
    if len(answers) == len(SIDES):
        return {BETTER: Judged("pair", scoring, criteria, answers, name=name)}
    one = Judged("grade", scoring, criteria, answers, name=name)
    of_criteria = {
        criterion_key(number): replace(one, kind="criterion", criteria=(criterion,))
        for number, criterion in enumerate(criteria, 1)
    }
    return {**of_criteria, GRADE: one}
