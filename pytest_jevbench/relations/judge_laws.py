"""What must not sway a judge: the laws of the dimension JUDGE, which enters no coherence score.

The task stands in the state and is never edited. The answers that are judged stand in the question, as the options of
a Choice or within the text of a Score or a yes/no question, so that every edit is one of the question side, as in the
other dimensions. Each law reads the follow-up back and compares it by the same operations as they do.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import permutations
from types import MappingProxyType
from typing import ClassVar

from pytest_jevbench.distributions import Distribution, relabel
from pytest_jevbench.json_text import JSON
from pytest_jevbench.questions import Noul, Question, Score
from pytest_jevbench.relations import judge_wording as wording
from pytest_jevbench.relations.base import Edit, Measurement, Reading, SourceCase, Transformation
from pytest_jevbench.relations.draws import Draw
from pytest_jevbench.relations.judge_questions import SIDES, TIE, Judged, Kind, judged
from pytest_jevbench.relations.laws import at_most, equal
from pytest_jevbench.relations.own_law import OwnLaw
from pytest_jevbench.relations.taxonomy import JUDGE

__all__ = ["JUDGE_LAWS", "SIDE", "SWAPPED", "JudgeLaw", "favour", "first_share"]

SIDE = "side"
"""The parameter of a trial that says which answer was edited."""
_EXCHANGED = {SIDES[0]: SIDES[1], SIDES[1]: SIDES[0]}
_ZHENG = "Zheng et al. 2023, Judging LLM-as-a-Judge with MT-Bench and Chatbot Arena"
_CHEN = "Chen et al. 2024, Humans or LLMs as the Judge? A Study on Judgement Biases"
_LI = "Li et al. 2025, Evaluating Scoring Bias in LLM-as-a-Judge"


class JudgeLaw(OwnLaw):
    """A law about one question to a judge. ``kinds`` are those that it applies to."""

    form = "E"
    edits: ClassVar[tuple[str, ...]] = ("instructions",)
    check = "tv"
    kinds: ClassVar[tuple[Kind, ...]] = ("pair", "grade", "criterion")

    def __init__(self) -> None:
        super().__init__()
        self.group = JUDGE.id
        self.transformation = _Shown(self)

    @property
    def counted(self) -> bool:
        return False

    def applies(self, source: SourceCase, key: str) -> bool:
        parts = judged(source, key)
        return parts is not None and parts.kind in self.kinds

    @abstractmethod
    def forms(self, parts: Judged) -> Sequence[tuple[Judged, Mapping[str, JSON]]]:
        """The question in every variant, each with what measuring has to know."""

    def read_back(self, reading: Reading) -> Distribution:
        """The follow-up's answer as one to the base question."""
        return reading.after

    def measure(self, reading: Reading) -> Measurement | Sequence[Measurement]:
        return equal(reading, reading.before, self.read_back(reading))


class _Shown(Transformation):
    """Puts the edited question into the place of the target in the case's batch."""

    def __init__(self, law: JudgeLaw) -> None:
        self._law = law
        self.family = law.name

    def applies(self, source: SourceCase, key: str, question: Question) -> bool:
        return self._law.applies(source, key)

    def variants(self, source: SourceCase, key: str) -> Sequence[int]:
        return range(len(self._law.forms(self._parts(source, key))))

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        parts, params = self._law.forms(self._parts(source, key))[variant]
        return Edit.of((key,), {**source.questions, key: parts.question()}, **params)

    @staticmethod
    def _parts(source: SourceCase, key: str) -> Judged:
        parts = judged(source, key)
        assert parts is not None, "asked of a question that it does not apply to"
        return parts


def first_share(p: Distribution) -> float:
    """The preference for the first answer, a tie shared out: P(first) + P(tie) / 2."""
    return p[SIDES[0]] + p[TIE] / 2


def favour(question: Question, p: Distribution, side: int) -> float:
    """How far a judge favours an answer, in [0, 1]: its share, its mean grade, or P(yes)."""
    if isinstance(question, Noul):
        return p["true"]
    if isinstance(question, Score):
        return sum(int(level) * mass for level, mass in p.items()) / (len(question.levels) - 1)
    return first_share(p) if side == 0 else 1.0 - first_share(p)


def _sides(parts: Judged) -> range:
    return range(len(parts.answers))


def _noted(parts: Judged, side: int, notes: tuple[str, str]) -> Judged:
    """A note on one answer, and one of as many words on the other, where there is another."""
    for at, answer in enumerate(parts.answers):
        parts = parts.with_answer(at, f"{answer}\n\n{notes[0] if at == side else notes[1]}")
    return parts


class SwappedOrder(JudgeLaw):
    name = "judge_swapped_order"
    law = "Where two answers exchange their places, the preference goes with the answers."
    formula = "P′(first) = P(second)"
    source = _ZHENG
    edits = ("options",)
    variants = "fixed"
    kinds = ("pair",)

    def forms(self, parts: Judged) -> Sequence[tuple[Judged, Mapping[str, JSON]]]:
        return [(replace(parts, answers=parts.answers[::-1]), {})]

    def read_back(self, reading: Reading) -> Distribution:
        return relabel(reading.after, _EXCHANGED)


class RubricOrder(JudgeLaw):
    name = "judge_rubric_order"
    law = "The order in which the criteria are listed changes no judgement."
    formula = "P′ = P"
    source = _LI
    edits = ("instructions",)
    variants = "5 orders"
    kinds = ("pair", "grade")

    def forms(self, parts: Judged) -> Sequence[tuple[Judged, Mapping[str, JSON]]]:
        orders = [*permutations(range(len(parts.criteria)))][1:]
        return [
            (replace(parts, criteria=tuple(parts.criteria[i] for i in order)), {"order": list(order)})
            for order in orders
        ]


class LongerAnswer(JudgeLaw):
    name = "judge_longer_answer"
    law = "An answer does not gain by words that say nothing."
    formula = "favour′(padded) ≤ favour(plain)"
    source = f"{_ZHENG} (verbosity bias)"
    form = "L"
    check = "excess"
    edits = ("options", "instructions")
    variants = "3 templates, each answer"

    def forms(self, parts: Judged) -> Sequence[tuple[Judged, Mapping[str, JSON]]]:
        return [
            (parts.with_answer(side, wording.padded(parts.answers[side], template)), {SIDE: side})
            for template in range(len(wording.EMPTY_WORDS))
            for side in _sides(parts)
        ]

    def measure(self, reading: Reading) -> Measurement:
        question, side = reading.questions[reading.key], reading.params[SIDE]
        before, after = (favour(question, p, side) for p in (reading.before, reading.after))
        return at_most(reading, "favour of the padded answer", after, before)


class Markup(JudgeLaw):
    name = "judge_markup"
    law = "Markup around the same words changes no judgement."
    formula = "P′ = P"
    source = f"{_CHEN} (beauty bias)"
    edits = ("options", "instructions")
    variants = "3 kinds of markup, each answer"

    def forms(self, parts: Judged) -> Sequence[tuple[Judged, Mapping[str, JSON]]]:
        return [
            (parts.with_answer(side, mark(parts.answers[side])), {SIDE: side})
            for mark in wording.MARKUPS
            for side in _sides(parts)
        ]


class OwnName(JudgeLaw):
    name = "judge_own_name"
    law = "That an answer is shown as the judge's own changes no judgement."
    formula = "P′ = P"
    source = "Panickssery et al. 2024, LLM Evaluators Recognize and Favor Their Own Generations"
    edits = ("options", "instructions")
    variants = "2 templates, each answer"

    def forms(self, parts: Judged) -> Sequence[tuple[Judged, Mapping[str, JSON]]]:
        return [
            (_noted(parts, side, wording.author_lines(parts.name, template)), {SIDE: side})
            for template in range(1 if parts.name is not None else 2)
            for side in _sides(parts)
        ]


class AuthorityCue(JudgeLaw):
    name = "judge_authority_cue"
    law = "That somebody of rank stands behind an answer changes no judgement."
    formula = "P′ = P"
    source = f"{_CHEN} (authority bias)"
    edits = ("options", "instructions")
    variants = "2 templates, each answer"

    def forms(self, parts: Judged) -> Sequence[tuple[Judged, Mapping[str, JSON]]]:
        return [(_noted(parts, side, notes), {SIDE: side}) for notes in wording.AUTHORITY for side in _sides(parts)]


class ScaleReversed(JudgeLaw):
    name = "judge_scale_reversed"
    law = "Asked for the worse answer, or with the levels listed from the top, a judge judges the same."
    formula = "P′ = σ#P"
    source = f"{_LI} (score rubric order)"
    edits = ("instructions", "levels")
    variants = "fixed"
    kinds = ("pair", "grade")

    def forms(self, parts: Judged) -> Sequence[tuple[Judged, Mapping[str, JSON]]]:
        return [(replace(parts, reversed=True), {})]

    def read_back(self, reading: Reading) -> Distribution:
        question = reading.questions[reading.key]
        if isinstance(question, Score):
            top = len(question.levels) - 1
            return relabel(reading.after, {str(level): str(top - level) for level in range(top + 1)})
        return relabel(reading.after, _EXCHANGED)


SWAPPED = SwappedOrder.name
JUDGE_LAWS: Mapping[str, JudgeLaw] = MappingProxyType(
    {law.name: law() for law in (SwappedOrder, LongerAnswer, Markup, OwnName, AuthorityCue, RubricOrder, ScaleReversed)}
)
"""The laws by name. They are planned on suites of judged answers alone."""
