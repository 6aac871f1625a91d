"""What a run knows of a test: its verdict, and what was measured where it was judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from pytest_jevbench.distributions import Distribution
from pytest_jevbench.json_text import JSON
from pytest_jevbench.plans.plan import TestId

__all__ = ["REASONS", "SLACK", "Outcome", "Reason", "TestId", "TestResult", "Verdict"]

SLACK = 1e-9
"""Float noise allowed past the tolerance: an exact 0.05 on a two-decimal model is held."""

Verdict: TypeAlias = Literal["held", "violated", "unjudged", "not_applicable"]
Reason: TypeAlias = Literal["refused", "invalid", "unreachable", "over_budget", "lost"]
REASONS: tuple[Reason, ...] = ("refused", "invalid", "unreachable", "over_budget", "lost")


@dataclass(frozen=True, slots=True)
class Outcome:
    """One measured quantity of one trial.

    ``deviation`` is None where it was not finite (``violated`` then). ``tolerance_kind`` is ``noise`` for the tolerance
    common to all models, ``own`` for a relation's own. ``expected`` and ``observed`` are the numbers compared, by name.
    """

    targets: tuple[str, ...]
    deviation: float | None
    tolerance: float
    tolerance_kind: Literal["noise", "own"]
    flip: bool | None
    expected: Distribution = field(default_factory=dict)
    observed: Distribution = field(default_factory=dict)
    variant: int = 0
    draw: int = 0
    params: Mapping[str, JSON] = field(default_factory=dict)

    @property
    def violated(self) -> bool:
        return self.deviation is None or self.deviation > self.tolerance + SLACK

    @property
    def graded(self) -> float:
        """1 − the excess over the tolerance as a share of the largest possible; 0 where not finite."""
        if self.deviation is None:
            return 0.0
        return 1.0 - min(1.0, max(0.0, self.deviation - self.tolerance) / (1.0 - self.tolerance))


@dataclass(frozen=True, slots=True)
class TestResult:
    """One test of the plan as the run left it. ``message`` is the server's or reader's words where unjudged."""

    __test__ = False

    id: TestId
    check: str
    verdict: Verdict
    outcomes: tuple[Outcome, ...] = ()
    reason: Reason | None = None
    message: str = ""

    @property
    def judged(self) -> bool:
        return self.verdict in ("held", "violated")

    @property
    def graded(self) -> float | None:
        """The lowest graded score of its outcomes; None where it was not judged."""
        return min((o.graded for o in self.outcomes), default=None) if self.judged else None

    @property
    def worst(self) -> Outcome | None:
        """The outcome furthest past its tolerance."""
        return min(self.outcomes, key=lambda o: o.graded, default=None)
