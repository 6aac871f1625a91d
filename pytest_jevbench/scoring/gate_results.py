"""What becomes of one condition of a gate, and the line that says so."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Literal, TypeAlias

from pytest_jevbench.json_text import JSON
from pytest_jevbench.scoring.deciding_digits import beside, is_above
from pytest_jevbench.scoring.intervals import Interval

__all__ = [
    "DESCRIPTIVE",
    "ConditionResult",
    "ConditionVerdict",
    "at_least",
    "at_most",
    "at_most_count",
    "interval_text",
    "unevaluated",
]

ConditionVerdict: TypeAlias = Literal["passed", "failed", "incomplete", "not_evaluated", "too_few"]

DESCRIPTIVE = "descriptive, carries no error level"
"""Said of every condition that compares a figure with a limit and tests nothing."""


@dataclass(frozen=True, slots=True)
class ConditionResult:
    """One condition: what was found, what was asked for, and the verdict.

    ``value`` and ``limit`` are what was compared (for a significance test the adjusted p-value and the level, for
    non-inferiority the lower bound and minus the margin); ``interval`` is the 95 % interval of the score or of its
    change; ``n`` counts the tests, or the labelled answers. ``change`` (now - baseline), ``p`` (unadjusted) and
    ``changed`` (cases) are given where runs are compared.
    """

    name: str
    value: float | None
    limit: float | None
    interval: Interval | None
    n: int
    verdict: ConditionVerdict
    detail: str
    change: float | None = None
    p: float | None = None
    changed: int | None = None

    @property
    def text(self) -> str:
        """The condition's line: name, verdict, value, limit, interval, n."""
        return f"{self.name}: {_WORDS[self.verdict]}; {self.detail}"

    def to_json(self) -> dict[str, JSON]:
        """The condition as a card or another program takes it; what does not apply is null."""
        return {**asdict(self), "text": self.text}

    def while_incomplete(self) -> ConditionResult:
        """The same of a run that is not whole: what was found is shown, and decides nothing."""
        return self if self.verdict == "not_evaluated" else replace(self, verdict="incomplete")


_WORDS: dict[ConditionVerdict, str] = {
    "passed": "passed",
    "failed": "failed",
    "incomplete": "incomplete",
    "not_evaluated": "not evaluated",
    "too_few": "too few tests",
}


def unevaluated(name: str, reason: str, limit: float | None = None) -> ConditionResult:
    """A condition that nothing can be said about."""
    return ConditionResult(name, None, limit, None, 0, "not_evaluated", reason)


def at_least(
    name: str, value: float, limit: float, n: int, what: str, interval: Interval | None = None
) -> ConditionResult:
    """A figure that must reach a limit."""
    return _compared(name, value, limit, n, what, interval, "at least", failed=is_above(limit, value))


def at_most(
    name: str, value: float, limit: float, n: int, what: str, interval: Interval | None = None
) -> ConditionResult:
    """A figure that must not pass a limit."""
    return _compared(name, value, limit, n, what, interval, "at most", failed=is_above(value, limit))


def at_most_count(name: str, count: int, limit: float, n: int, what: str) -> ConditionResult:
    """A number of things that must not pass a limit."""
    detail = f"{count:,}, at most {limit:,.0f}, {n:,} {what} ({DESCRIPTIVE})"
    return ConditionResult(name, count, limit, None, n, "failed" if count > limit else "passed", detail)


def _compared(
    name: str, value: float, limit: float, n: int, what: str, interval: Interval | None, bound: str, *, failed: bool
) -> ConditionResult:
    shown, asked = beside(value, limit)
    detail = f"{shown}{interval_text(interval)}, {bound} {asked}, {n:,} {what} ({DESCRIPTIVE})"
    return ConditionResult(name, value, limit, interval, n, "failed" if failed else "passed", detail)


def interval_text(interval: Interval | None) -> str:
    """`` [0.912, 0.934]``, or nothing."""
    if interval is None:
        return ""
    return f" [{interval.low:.3f}, {interval.high:.3f}]" + (" (nothing varied)" if interval.degenerate else "")
