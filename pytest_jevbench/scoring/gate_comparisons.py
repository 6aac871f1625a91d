"""The conditions that compare a run with a baseline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pytest_jevbench.relations.taxonomy import JUDGE
from pytest_jevbench.scoring.bootstrap import DRAWS, CaseBootstrap
from pytest_jevbench.scoring.compare import FAMILY, ScoreChange, drop_test, score_change
from pytest_jevbench.scoring.deciding_digits import beside, is_above
from pytest_jevbench.scoring.gate_config import GateConfig, Limit, NoDrop, NonInferiority
from pytest_jevbench.scoring.gate_results import (
    DESCRIPTIVE,
    ConditionResult,
    ConditionVerdict,
    at_most_count,
    interval_text,
    unevaluated,
)
from pytest_jevbench.scoring.gate_run import GatedRun
from pytest_jevbench.scoring.intervals import Interval, NoInterval
from pytest_jevbench.scoring.noninferiority import LowerBound, Standing, lower_bound, stands
from pytest_jevbench.scoring.pairs import Layout, PairedRuns, find_changes, pair_rows, planned_layout
from pytest_jevbench.scoring.sample_size import Assumption, assumed_variance, cases_needed
from pytest_jevbench.scoring.sequential import EARLY_SHARE
from pytest_jevbench.scoring.swap_test import cases_to_reach, holm
from pytest_jevbench.scoring.weights import Scored, ScoredFrom, Undefined, weigh

__all__ = ["ComparedRuns", "check_against", "family_of", "fixed_level", "unable"]


@dataclass(frozen=True)
class ComparedRuns:
    """A run, its baseline, and the two side by side."""

    run: GatedRun
    baseline: GatedRun
    groups: Mapping[str, str]
    pairs: PairedRuns
    planned: Layout
    bootstrap: CaseBootstrap
    scored_from: ScoredFrom

    @classmethod
    def of(cls, run: GatedRun, baseline: GatedRun, groups: Mapping[str, str], *, draws: int = DRAWS) -> ComparedRuns:
        pairs = pair_rows(baseline.rows, run.rows, groups)
        settings = run.scores.settings
        return cls(
            run,
            baseline,
            groups,
            pairs,
            planned_layout((row.id for row in run.rows), groups),
            CaseBootstrap.of(pairs, draws=draws),
            ScoredFrom(settings.min_n, settings.min_coverage),
        )

    def change(self, name: str) -> ScoreChange | Undefined:
        score = weigh(self.pairs.layout, name, self.scored_from)
        if isinstance(score, Undefined):
            return score
        return score_change(self.pairs, score, self.bootstrap.interval(score), drop_test(self.pairs, score))


def fixed_level(level: float, *, watched: bool) -> float:
    """The level of the test made when everything was asked: what watching early has left."""
    return level * (1 - EARLY_SHARE) if watched else level


def family_of(asked: Sequence[str], planned: Layout, scored_from: ScoredFrom) -> tuple[str, ...]:
    """The scores that Holm's correction is made over.

    Those named, else the overall and the dimensions as far as the plan can give them; of a suite of judged answers,
    which gives none of them, the dimension of judges.
    """

    def given(names: Sequence[str]) -> tuple[str, ...]:
        return tuple(name for name in names if isinstance(weigh(planned, name, scored_from), Scored))

    return tuple(asked) or given(FAMILY) or given([JUDGE.dimension])


def unable(cases: Mapping[str, int], level: float) -> frozenset[str]:
    """The scores of a family that could not be found to drop, if every case got worse.

    With n cases no p-value is below 2^-n. Holm's first step asks for level / family, its last for the level.
    """
    if all(cases_to_reach(level / len(cases)) > n for n in cases.values()):
        return frozenset(cases)
    return frozenset(name for name, n in cases.items() if cases_to_reach(level) > n)


def check_against(config: GateConfig, compared: ComparedRuns, *, whole: bool) -> Iterator[ConditionResult]:
    """Each condition against the baseline. ``whole`` is whether both runs judged every planned test."""
    results = [
        *(_largest_drop(compared, limit) for limit in config.largest_drop),
        *(_no_drop(compared, config.no_significant_drop) if config.no_significant_drop else ()),
        *(_non_inferiority(compared, config.non_inferiority, config.assumption) if config.non_inferiority else ()),
    ]
    yield from (result if whole else result.while_incomplete() for result in results)
    if config.most_new_violations is not None:
        changes = find_changes(compared.baseline.rows, compared.run.rows)
        result = at_most_count(
            "max_new_violations", len(changes.new), config.most_new_violations, compared.run.judged, "tests"
        )
        yield result if whole or result.verdict == "failed" else result.while_incomplete()


def _shown(interval: Interval | NoInterval) -> Interval | None:
    return interval if isinstance(interval, Interval) else None


def _largest_drop(compared: ComparedRuns, limit: Limit) -> ConditionResult:
    name = f"max_drop {limit.score}"
    change = compared.change(limit.score)
    if isinstance(change, Undefined):
        return unevaluated(name, change.reason, limit.value)
    drop = 0.0 - change.change
    shown, asked = beside(drop, limit.value)
    verdict: ConditionVerdict = "failed" if is_above(drop, limit.value) else "passed"
    interval = _shown(change.interval)
    of_drop = Interval(0.0 - interval.high, 0.0 - interval.low, interval.degenerate) if interval else None
    detail = (
        f"{change.before:.4f} to {change.now:.4f} is a drop of {shown}{interval_text(of_drop)}, "
        f"at most {asked}, {change.tests:,} tests ({DESCRIPTIVE})"
    )
    return ConditionResult(
        name, drop, limit.value, of_drop, change.tests, verdict, detail, change.change, changed=change.test.changed
    )


def _no_drop(compared: ComparedRuns, asked: NoDrop) -> list[ConditionResult]:
    """One result a score, with Holm's correction over those that are defined."""
    level = fixed_level(asked.level, watched=compared.run.stop_when_decided and not asked.graded)
    source = compared
    if asked.graded:
        graded = pair_rows(compared.baseline.rows, compared.run.rows, compared.groups, graded=True)
        source = ComparedRuns(
            compared.run, compared.baseline, compared.groups, graded, compared.planned, CaseBootstrap.of(graded),
            compared.scored_from,
        )  # fmt: skip
    names = family_of(asked.scores, compared.planned, compared.scored_from)
    if not names:
        return [unevaluated("no_significant_drop", "no score is reported with so few tests", level)]
    found = {name: source.change(name) for name in names}
    defined = {name: change for name, change in found.items() if isinstance(change, ScoreChange)}
    adjusted = dict(zip(defined, holm([change.test.p for change in defined.values()]), strict=True))
    too_few = unable({name: change.cases for name, change in defined.items()}, level)
    return [
        _drop_result(change, adjusted[name], level, asked.graded, name in too_few)
        if isinstance(change, ScoreChange)
        else unevaluated(f"no_significant_drop {name}", change.reason, level)
        for name, change in found.items()
    ]


def _drop_result(change: ScoreChange, adjusted: float, level: float, graded: bool, too_few: bool) -> ConditionResult:
    name = f"no_significant_drop{' graded' if graded else ''} {change.name}"
    shown, asked = beside(adjusted, level, decimals=4)
    if adjusted < 0.00005:
        shown = "< 0.0001"
    verdict: ConditionVerdict = "too_few" if too_few else "passed" if is_above(adjusted, level) else "failed"
    needed = cases_to_reach(level)
    cases = f"{change.test.changed:,} of {change.cases:,} cases changed"
    if too_few:
        note = f"; {change.cases:,} cases cannot give a p-value that fails, whatever the answers"
    elif change.test.changed < needed:
        note = f"; with fewer than {needed} changed cases p cannot reach {level:g}"
    else:
        note = ""
    sampled = ", sampled" if change.test.method == "sampled" else ""
    detail = (
        f"change {change.change:+.4f}"
        f"{interval_text(_shown(change.interval))}, p {shown} with Holm's correction ({change.test.p:.2g} alone"
        f"{sampled}), level {asked}, {cases}, {change.tests:,} tests{note}"
    )
    return ConditionResult(
        name, adjusted, level, _shown(change.interval), change.tests, verdict, detail, change.change, change.test.p,
        change.test.changed,
    )  # fmt: skip


def _non_inferiority(compared: ComparedRuns, asked: NonInferiority, assumption: Assumption) -> list[ConditionResult]:
    return [_within_margin(compared, limit, asked, assumption) for limit in asked.margins]


def _within_margin(
    compared: ComparedRuns, limit: Limit, asked: NonInferiority, assumption: Assumption
) -> ConditionResult:
    name = f"non_inferiority {limit.score}"
    score = weigh(compared.pairs.layout, limit.score, compared.scored_from)
    change = compared.change(limit.score)
    if isinstance(score, Undefined) or isinstance(change, Undefined):
        reason = score.reason if isinstance(score, Undefined) else "not reported"
        return unevaluated(name, reason, -limit.value)
    bound = lower_bound(compared.pairs, compared.bootstrap, score, asked.level)
    if isinstance(bound, NoInterval):
        return unevaluated(name, bound.reason, -limit.value)
    verdict = _OF_STANDING[stands(bound, limit.value)]
    shown, margin = beside(bound.value, -limit.value)
    detail = (
        f"change {change.change:+.4f}"
        f"{interval_text(_shown(change.interval))}, lower {1 - asked.level:.3g} bound {shown}, to lie above {margin}, "
        f"{change.test.changed:,} of {change.cases:,} cases changed, {change.tests:,} tests"
        f"{_advice(compared, score, bound, limit.value, asked, assumption) if verdict != 'passed' else ''}"
    )
    return ConditionResult(
        name, bound.value, -limit.value, _shown(change.interval), change.tests, verdict, detail,
        change.change, changed=change.test.changed,
    )  # fmt: skip


_OF_STANDING: Mapping[Standing, ConditionVerdict] = {"shown": "passed", "not_shown": "failed", "too_few": "too_few"}


def _advice(
    compared: ComparedRuns,
    score: Scored,
    bound: LowerBound,
    margin: float,
    asked: NonInferiority,
    assumption: Assumption,
) -> str:
    variance = assumed_variance(compared.planned, score, assumption)
    needed = cases_needed(margin, variance, level=asked.level, power=asked.power)
    reach = f"; {bound.cases:,} cases cannot show a margin under {-bound.nearest:.4f}"
    known = f"; about {needed:,} cases are needed, {assumption.text}" if needed > bound.cases else ""
    return (reach if bound.nearest <= -margin else "") + known
