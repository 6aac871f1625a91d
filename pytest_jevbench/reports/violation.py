"""One violation, told in full: the law, what was changed, what was expected, what was observed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pytest_jevbench.json_text import printable
from pytest_jevbench.plans.plan import PlannedTest, TestId
from pytest_jevbench.questions import Case, Question
from pytest_jevbench.reports.law_texts import LawText
from pytest_jevbench.reports.request_difference import request_difference
from pytest_jevbench.reports.text import columns, pad, wrapped
from pytest_jevbench.runs.results import Outcome

__all__ = ["Told", "describe_violation", "distribution_columns", "fitted", "violation_lines"]

_LABEL = 11
"""Columns of a label, such as ``deviation``, with the blanks behind it."""


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
            lines += wrapped(line, width, "  ", "      ")
    lines += distribution_columns(outcome, width)
    deviation = "not finite" if outcome.deviation is None else f"{outcome.deviation:.4f}"
    flip = {True: "; the decision flips", False: "; the decision stays", None: ""}[outcome.flip]
    lines.append(f"deviation  {deviation}, allowed {outcome.tolerance:g} ({relation.check}{flip})")
    if ask_again:
        lines.append(f"ask again  {ask_again}")
    return [printable(line) for line in lines]


def distribution_columns(outcome: Outcome, width: int = 92) -> list[str]:
    """Expected and observed numbers side by side, one line an answer of at most ``width`` columns."""
    names = [*outcome.expected, *(name for name in outcome.observed if name not in outcome.expected)]
    if not names:
        return []
    shown = {name: " ".join(name.split()) for name in names}
    wide = min(60, max(8, width - 32), max(map(columns, shown.values())))
    rows = [f"  {'':<{wide}}  expected  observed    change"]
    for name in names:
        before, after = outcome.expected.get(name), outcome.observed.get(name)
        change = "" if before is None or after is None else f"{after - before:+9.4f}"
        rows.append(f"  {pad(shown[name], wide)}  {_number(before)}  {_number(after)} {change}".rstrip())
    return rows


def fitted(lines: Sequence[str], width: int) -> Iterator[str]:
    """The lines of a violation in ``width`` columns: all but the command to ask again, which is copied whole."""
    for line in lines:
        if columns(line) <= width or line.startswith("ask again "):
            yield line
        else:
            margin = " " * (_LABEL if line[:1].strip() else len(line) - len(line.lstrip()))
            yield from wrapped(line[len(margin) :], width, line[: len(margin)], margin)


def _number(value: float | None) -> str:
    return "       -" if value is None else f"{value:8.4f}"


def worst_first(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Outcomes by how far they break their law, the furthest first."""
    return sorted(outcomes, key=lambda outcome: outcome.graded)
