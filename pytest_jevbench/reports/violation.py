"""One violation, told in full: the law, what was changed, what was expected, what was observed."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pytest_jevbench.json_text import printable
from pytest_jevbench.plans.plan import PlannedTest, TestId
from pytest_jevbench.questions import Case, Question
from pytest_jevbench.reports.law_texts import LawText
from pytest_jevbench.reports.request_difference import request_difference
from pytest_jevbench.runs.results import Outcome

__all__ = ["Told", "describe_violation", "distribution_columns", "violation_lines"]


class Told(NamedTuple):
    """A violation in words: the test, its node id, whether the baseline does not have it (None: there is none)."""

    test: TestId
    name: str
    new: bool | None
    lines: list[str]
    ask_again: str

    @property
    def headline(self) -> str:
        return self.name + {True: "   (new)", False: "   (known from the baseline)", None: ""}[self.new]

    @property
    def in_short(self) -> str:
        """The test, its law, by how much it is broken, and how to ask it again, in four lines."""
        kept = (" ".join(line.split()) for line in self.lines if line.startswith(("law ", "deviation ", "ask again ")))
        return "\n".join([self.name, *kept])


def describe_violation(
    relation: LawText, test: PlannedTest, case: Case, outcome: Outcome, ask_again: str, width: int = 100
) -> list[str]:
    """Lines of plain text, without the headline. ``ask_again`` is the command that asks this test again."""
    trial = next(t for t in test.trials if (t.variant, t.draw) == (outcome.variant, outcome.draw))
    return violation_lines(relation, case.questions, list(trial.edit.batches.items()), outcome, ask_again, width)


def violation_lines(
    relation: LawText,
    base: Mapping[str, Question],
    follow_ups: Sequence[tuple[str, Mapping[str, Question]]],
    outcome: Outcome,
    ask_again: str,
    width: int = 100,
) -> list[str]:
    """The same from the questions of the base request and of each follow-up request, with its label."""
    lines = [f"law        {relation.law}", f"           {relation.formula}"]
    if follow_ups:
        lines.append(f"questions  {', '.join(outcome.targets)}")
    for label, batch in follow_ups:
        name = "follow-up" if len(follow_ups) == 1 else label
        lines.append(f"{name}, against the base request (- base, + follow-up, ~ order)")
        difference = request_difference(base, batch) or ["(the same request)"]
        for line in difference:
            lines += _wrapped(line, width)
    lines += distribution_columns(outcome)
    deviation = "not finite" if outcome.deviation is None else f"{outcome.deviation:.4f}"
    flip = {True: "; the decision flips", False: "; the decision stays", None: ""}[outcome.flip]
    lines.append(f"deviation  {deviation}, allowed {outcome.tolerance:g} ({relation.check}{flip})")
    if ask_again:
        lines.append(f"ask again  {ask_again}")
    return [printable(line) for line in lines]


def distribution_columns(outcome: Outcome) -> list[str]:
    """Expected and observed numbers side by side, one line an answer, the larger changes marked."""
    names = [*outcome.expected, *(name for name in outcome.observed if name not in outcome.expected)]
    if not names:
        return []
    width = min(60, max(len(name) for name in names))
    rows = [f"  {'':<{width}}  expected  observed    change"]
    for name in names:
        before, after = outcome.expected.get(name), outcome.observed.get(name)
        change = "" if before is None or after is None else f"{after - before:+9.4f}"
        rows.append(f"  {_cut(name, width):<{width}}  {_number(before)}  {_number(after)} {change}".rstrip())
    return rows


def _wrapped(line: str, width: int) -> list[str]:
    """A line of a difference, all of it: a person has to see what was asked."""
    flat = " ".join(line.split())
    return textwrap.wrap(
        flat, width, initial_indent="  ", subsequent_indent="      ", break_long_words=True, break_on_hyphens=False
    )


def _number(value: float | None) -> str:
    return "       -" if value is None else f"{value:8.4f}"


def _cut(text: str, width: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= width else flat[: max(1, width - 1)] + "…"


def worst_first(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Outcomes by how far they break their law, the furthest first."""
    return sorted(outcomes, key=lambda outcome: outcome.graded)
