"""What the fixture ``jevbench_test`` gives a marked function: one test of a suite, asked and judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_jevbench.json_text import JSON, printable
from pytest_jevbench.plans.plan import PlannedTest
from pytest_jevbench.questions import Case, Question, Request
from pytest_jevbench.relations.base import Relation
from pytest_jevbench.reports.violation import describe_violation
from pytest_jevbench.runs.answered import Answered, Answers
from pytest_jevbench.runs.results import Outcome, TestResult, Verdict

__all__ = ["JevbenchTest"]


@dataclass(frozen=True)
class JevbenchTest:
    """One test of a suite with its verdict, as a marked function gets it.

    ``relation`` is its name, ``dimension`` and ``group`` where it stands in the taxonomy, ``law`` the law in words and
    ``formula`` as an equation. ``case`` is the case, ``key`` the question that the test is about.
    """

    __test__ = False

    relation: str
    dimension: str
    group: str
    law: str
    formula: str
    case: Case
    key: str
    result: TestResult = field(repr=False)
    planned: PlannedTest = field(repr=False)
    definition: Relation = field(repr=False)
    exchanged: tuple[tuple[Request, Answered], ...] = field(repr=False)

    @property
    def question(self) -> Question:
        """The question that the test is about."""
        return self.case.questions[self.key]

    @property
    def verdict(self) -> Verdict:
        """``held`` or ``violated``; of a diagnostic also ``not_applicable``."""
        return self.result.verdict

    @property
    def held(self) -> bool:
        """Whether the law is kept within the tolerance."""
        return self.verdict == "held"

    @property
    def outcomes(self) -> tuple[Outcome, ...]:
        """Each quantity measured: ``deviation``, ``tolerance``, ``flip``, ``expected`` and ``observed``."""
        return self.result.outcomes

    @property
    def deviation(self) -> float | None:
        """The deviation of the outcome furthest past its tolerance; None where it was not finite, or there is none."""
        return None if self.result.worst is None else self.result.worst.deviation

    @property
    def tolerance(self) -> float | None:
        """The deviation allowed to that outcome."""
        return None if self.result.worst is None else self.result.worst.tolerance

    @property
    def flipped(self) -> bool:
        """Whether a decision changed: software would have acted otherwise."""
        return any(outcome.flip for outcome in self.outcomes)

    @property
    def requests(self) -> tuple[Mapping[str, JSON], ...]:
        """The bodies of the distinct requests asked, that of the case first."""
        return tuple(request.body() for request, _ in self.exchanged)

    @property
    def answers(self) -> tuple[Mapping[str, Any], ...]:
        """What the model sent in answer to each of :attr:`requests`, by question."""
        return tuple(got.raw if isinstance(got, Answers) else {} for _, got in self.exchanged)

    def describe(self) -> str:
        """The worst outcome in words: the law, what was changed, what was expected and what observed."""
        worst = self.result.worst
        if worst is None:
            return str(self)
        lines = describe_violation(self.definition, self.planned, self.case, worst, "")
        return "\n".join(line for line in lines if not line.startswith("ask again"))

    def __str__(self) -> str:
        """One line: relation, case, question, verdict, deviation."""
        text = f"{self.relation} is {self.verdict} on {printable(self.case.id)}, {printable(self.key)}"
        worst = self.result.worst
        if worst is None:
            return text
        deviation = "not finite" if worst.deviation is None else f"{worst.deviation:.4f}"
        return f"{text}: deviation {deviation}, allowed {worst.tolerance:g}"

    def __repr__(self) -> str:
        return f"<{self}>"
