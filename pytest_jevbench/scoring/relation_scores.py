"""One relation's row: how its tests came out, and how far its outcomes deviate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, TypeAlias

from pytest_jevbench.relations.base import TOLERANCE
from pytest_jevbench.runs.results import REASONS, SLACK, Outcome, Reason, TestResult, Verdict
from pytest_jevbench.scoring.intervals import Interval, wilson

__all__ = [
    "Deviations",
    "Judged",
    "RelationScore",
    "ScoreSettings",
    "Status",
    "VariantRate",
    "graded_score",
    "is_violated",
    "judge_again",
    "score_relation",
    "tolerance_of",
]

Status: TypeAlias = Literal["scored", "below_min_n", "incomplete", "not_run"]
"""Why a relation enters the means or does not. ``not_run``: none of its planned tests was run."""


@dataclass(frozen=True, slots=True)
class ScoreSettings:
    """What scores depend on beside the outcomes.

    ``tolerance`` replaces the common tolerance of all outcomes but those judged with a relation's own (None keeps each
    outcome's). A relation is scored from ``min_n`` judged tests on and where at least ``min_coverage`` of its planned
    tests are judged. ``bootstrap`` is the number of draws, 0 for no intervals. ``slack`` is the float noise allowed
    past a tolerance (0: as the published package judges).
    """

    tolerance: float | None = TOLERANCE
    min_n: int = 5
    bootstrap: int = 1000
    min_coverage: float = 0.95
    slack: float = SLACK


@dataclass(frozen=True, slots=True)
class Deviations:
    """The finite deviations of a relation's outcomes. ``p90`` is ``sorted[min(n - 1, floor(0.9 n))]``.

    ``not_finite`` outcomes had none and are in no figure.
    """

    n: int
    mean: float
    median: float
    p90: float
    largest: float
    not_finite: int = 0


@dataclass(frozen=True, slots=True)
class VariantRate:
    """How often the outcomes of one variant violate the law."""

    variant: int
    outcomes: int
    violated: int

    @property
    def rate(self) -> float:
        return self.violated / self.outcomes


@dataclass(frozen=True, slots=True)
class RelationScore:
    """A relation over its tests.

    planned = held + violated + unjudged + not_applicable + not_run. ``score`` (1 - violated / judged) and ``graded``
    (mean of the tests' graded scores) are None unless ``status`` is ``scored``, and ``reason`` then says why.
    ``violation_rate`` and its Wilson interval over tests are given from one judged test on. ``flips`` counts changed
    decisions among the ``decisions``, the outcomes that are about one.
    """

    name: str
    group: str
    check: str
    status: Status
    reason: str
    planned: int
    held: int
    violated: int
    unjudged: Mapping[Reason, int]
    not_applicable: int
    not_run: int
    score: float | None
    graded: float | None
    violation_rate: float | None
    interval: Interval | None
    outcomes: int
    flips: int
    decisions: int
    deviations: Deviations | None
    variants: tuple[VariantRate, ...] = field(default=())

    @property
    def dimension(self) -> str:
        return self.group.partition(".")[0]

    @property
    def judged(self) -> int:
        return self.held + self.violated

    @property
    def coverage(self) -> float | None:
        """Judged tests as a share of those planned that could apply; None where none is planned."""
        return self.judged / self.planned if self.planned else None

    @property
    def flip_rate(self) -> float | None:
        return self.flips / self.decisions if self.decisions else None


def tolerance_of(outcome: Outcome, settings: ScoreSettings) -> float:
    """The tolerance that an outcome is judged with under the settings."""
    if settings.tolerance is None or outcome.tolerance_kind == "own":
        return outcome.tolerance
    return settings.tolerance


def is_violated(outcome: Outcome, settings: ScoreSettings) -> bool:
    """Whether an outcome is past its tolerance; one without a finite deviation is."""
    return outcome.deviation is None or outcome.deviation > tolerance_of(outcome, settings) + settings.slack


def graded_score(outcome: Outcome, settings: ScoreSettings) -> float:
    """1 - the excess over the tolerance as a share of the largest possible; 0 where not finite."""
    if outcome.deviation is None:
        return 0.0
    tolerance = tolerance_of(outcome, settings)
    past = max(0.0, outcome.deviation - tolerance)
    if tolerance >= 1.0:  # nothing but float noise can lie past it
        return 1.0 if past <= settings.slack else 0.0
    return 1.0 - min(1.0, past / (1.0 - tolerance))


class Judged(NamedTuple):
    """A test's result with its verdict and graded score under some settings; 0 where it was not judged."""

    result: TestResult
    verdict: Verdict
    graded: float

    @property
    def counts(self) -> bool:
        """Whether it is held or violated."""
        return self.result.judged


def judge_again(result: TestResult, settings: ScoreSettings) -> Judged:
    """A test under the settings; what was not judged stays so."""
    if not result.judged:
        return Judged(result, result.verdict, 0.0)
    if not result.outcomes:
        return Judged(result, result.verdict, 1.0 if result.verdict == "held" else 0.0)
    violated = any(is_violated(outcome, settings) for outcome in result.outcomes)
    graded = min([graded_score(outcome, settings) for outcome in result.outcomes])
    return Judged(result, "violated" if violated else "held", graded)


def status_of(planned: int, judged: int, not_run: int, settings: ScoreSettings) -> tuple[Status, str]:
    """Whether a relation is scored, and if not, why."""
    if planned == 0:
        return "not_run", "no test of it is planned"
    if judged == 0 and not_run == planned:
        return "not_run", "none of its planned tests was run"
    if judged < settings.min_coverage * planned or judged == 0:
        return "incomplete", f"{judged} of {planned} planned tests judged, under {settings.min_coverage:.0%}"
    if judged < settings.min_n:
        return "below_min_n", f"{judged} {'test' if judged == 1 else 'tests'}, scored from {settings.min_n} on"
    return "scored", ""


def score_relation(
    name: str, group: str, planned: int, judged: Sequence[Judged], settings: ScoreSettings
) -> RelationScore:
    """The row of one relation from its tests. ``planned`` may exceed them by tests that were not run."""
    results = [test.result for test in judged]
    verdicts = Counter(test.verdict for test in judged)
    unjudged = Counter(r.reason or "lost" for r in results if r.verdict == "unjudged")
    planned = max(planned, len(results))
    n = verdicts["held"] + verdicts["violated"]
    # A test that turns out not to apply is no gap: the share is of those that could be judged.
    status, reason = status_of(planned - verdicts["not_applicable"], n, planned - len(results), settings)
    grades = [test.graded for test in judged if test.counts]
    outcomes = [outcome for result in results if result.judged for outcome in result.outcomes]
    flips = [outcome.flip for outcome in outcomes if outcome.flip is not None]
    scored = status == "scored"
    return RelationScore(
        name=name,
        group=group,
        check=next((result.check for result in results if result.check), ""),
        status=status,
        reason=reason,
        planned=planned,
        held=verdicts["held"],
        violated=verdicts["violated"],
        unjudged={reason: unjudged[reason] for reason in REASONS},
        not_applicable=verdicts["not_applicable"],
        not_run=planned - len(results),
        score=1.0 - verdicts["violated"] / n if scored else None,
        graded=sum(grades) / n if scored else None,
        violation_rate=verdicts["violated"] / n if n else None,
        interval=wilson(verdicts["violated"], n),
        outcomes=len(outcomes),
        flips=sum(flips),
        decisions=len(flips),
        deviations=summarise_deviations(outcomes),
        variants=_variants(outcomes, settings),
    )


def summarise_deviations(outcomes: Sequence[Outcome]) -> Deviations | None:
    """Mean, median, 90th percentile and largest of the finite deviations; None where there is none."""
    finite = sorted(o.deviation for o in outcomes if o.deviation is not None)
    n = len(finite)
    if n == 0:
        return None
    median = finite[n // 2] if n % 2 else (finite[n // 2 - 1] + finite[n // 2]) / 2
    # 9 * n // 10 is floor(0.9 n) without the float: 0.9 * 10 is 9 only by luck.
    p90 = finite[min(n - 1, 9 * n // 10)]
    return Deviations(n, sum(finite) / n, median, p90, finite[-1], len(outcomes) - n)


def _variants(outcomes: Sequence[Outcome], settings: ScoreSettings) -> tuple[VariantRate, ...]:
    counts: dict[int, list[int]] = {}
    for outcome in outcomes:
        count = counts.setdefault(outcome.variant, [0, 0])
        count[0] += 1
        count[1] += is_violated(outcome, settings)
    return tuple(VariantRate(variant, *counts[variant]) for variant in sorted(counts))
