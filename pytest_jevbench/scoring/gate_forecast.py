"""What a gate can and cannot find out on a plan: said before the first request is paid for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pytest_jevbench.scoring.gate_comparisons import family_of, fixed_level, unable
from pytest_jevbench.scoring.gate_config import GateConfig, Limit, NoDrop, NonInferiority
from pytest_jevbench.scoring.noninferiority import no_change_bound
from pytest_jevbench.scoring.pairs import Layout, PairedRuns
from pytest_jevbench.scoring.sample_size import assumed_variance, cases_needed, measured_variance, noticed_drop
from pytest_jevbench.scoring.swap_test import cases_to_reach
from pytest_jevbench.scoring.weights import SCORED_FROM, Scored, ScoredFrom, Undefined, weigh

__all__ = ["POWER", "Forecast", "forecast_gate"]

POWER = 0.8
"""A drop counts as noticed where it is found four times in five."""


@dataclass(frozen=True, slots=True)
class Forecast:
    """One thing known beforehand. ``falls_short``: the condition cannot be met, or cannot find anything, on this plan.

    ``value`` is the smallest drop noticed or margin shown, None where there is none; ``needed`` how many cases the
    margin asks for.
    """

    name: str
    falls_short: bool
    text: str
    value: float | None = None
    needed: int | None = None


def forecast_gate(
    config: GateConfig,
    planned: Layout,
    *,
    repeat: PairedRuns | None = None,
    scored_from: ScoredFrom = SCORED_FROM,
    stop_when_decided: bool = False,
) -> tuple[Forecast, ...]:
    """What each condition can find out on a plan.

    ``repeat`` is the baseline beside a repeat of it, from which the variance is then taken; without it the gate's own
    assumption is used, and said.
    """
    known = _Variance(config, planned, repeat)
    lines: list[Forecast] = []
    for name, limits in (
        ("min", config.minimum),
        ("min_graded", config.minimum_graded),
        ("max_drop", config.largest_drop),
    ):
        lines += _unscored(name, limits, planned, scored_from)
    if config.no_significant_drop is not None:
        lines += _drops(config.no_significant_drop, planned, known, scored_from, stop_when_decided)
    if config.non_inferiority is not None:
        lines += _margins(config.non_inferiority, planned, known, scored_from)
    return tuple(lines)


@dataclass(frozen=True)
class _Variance:
    """Where Var(x) comes from, and how that is said."""

    config: GateConfig
    planned: Layout
    repeat: PairedRuns | None

    def of(self, score: Scored) -> float:
        if self.repeat is not None:
            return measured_variance(self.repeat, score)
        return assumed_variance(self.planned, score, self.config.assumption)

    def per_discordance(self, score: Scored) -> float:
        return assumed_variance(self.planned, score, replace(self.config.assumption, discordance=1.0))

    @property
    def text(self) -> str:
        return "from the baseline and its repeat" if self.repeat is not None else self.config.assumption.text


def _unscored(
    condition: str, limits: tuple[Limit, ...], planned: Layout, scored_from: ScoredFrom
) -> Iterator[Forecast]:
    for limit in limits:
        score = weigh(planned, limit.score, scored_from)
        if isinstance(score, Undefined):
            name = f"{condition} {limit.score}"
            yield Forecast(name, True, f"{name}: cannot be met on this plan ({score.reason})")


def _drops(
    asked: NoDrop, planned: Layout, known: _Variance, scored_from: ScoredFrom, stop_when_decided: bool
) -> Iterator[Forecast]:
    level = fixed_level(asked.level, watched=stop_when_decided and not asked.graded)
    names = family_of(asked.scores, planned, scored_from)
    weighed = {name: weigh(planned, name, scored_from) for name in names}
    scored = {name: score for name, score in weighed.items() if isinstance(score, Scored)}
    cases = {name: planned.cases_with(score.columns) for name, score in scored.items()}
    blind = unable(cases, level) if cases else frozenset()
    if not names:
        yield Forecast("no_significant_drop", True, "no_significant_drop: no score is reported with so few tests")
    for score_name, score in weighed.items():
        name = f"no_significant_drop {score_name}"
        if isinstance(score, Undefined):
            yield Forecast(name, True, f"{name}: not reported on this plan ({score.reason})")
        elif score_name in blind:
            text = f"{name}: too few tests; {cases[score_name]} cases can never fail it, {cases_to_reach(level)} could"
            yield Forecast(name, True, text, needed=cases_to_reach(level / len(cases)))
        else:
            # Holm's first step, which is what a drop in one score alone has to pass.
            drop = noticed_drop(
                known.of(score),
                cases[score_name],
                per_discordance=known.per_discordance(score),
                level=level / len(cases),
                power=POWER,
            )
            text = (
                f"{name}: notices drops from {drop:.3f} on four times in five or more, smaller ones may pass "
                f"({cases[score_name]:,} cases, {_tests(planned, score):,} tests; {known.text})"
            )
            yield Forecast(name, False, text, value=drop)


def _margins(asked: NonInferiority, planned: Layout, known: _Variance, scored_from: ScoredFrom) -> Iterator[Forecast]:
    for limit in asked.margins:
        name = f"non_inferiority {limit.score}"
        score = weigh(planned, limit.score, scored_from)
        if isinstance(score, Undefined):
            yield Forecast(name, True, f"{name}: not reported on this plan ({score.reason})")
            continue
        cases = planned.cases_with(score.columns)
        nearest = -no_change_bound(cases, asked.level)
        needed = cases_needed(limit.value, known.of(score), level=asked.level, power=asked.power)
        if nearest >= limit.value:
            start = f"too few tests; {cases:,} cases cannot show a margin under {nearest:.4f}"
        elif needed > cases:
            start = f"{cases:,} cases show a margin of {limit.value:g} less often than {asked.power:.0%} of the time"
        else:
            continue
        text = f"{name}: {start}; about {needed:,} cases are needed, {known.text}"
        yield Forecast(name, nearest >= limit.value, text, value=nearest, needed=needed)


def _tests(planned: Layout, score: Scored) -> int:
    return int(planned.tests[:, list(score.columns)].sum())
