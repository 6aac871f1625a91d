"""The conditions that look at one run alone: scores, violations, coverage, labelled answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

from pytest_jevbench.scoring.gate_config import ALL_TESTS, GateConfig, Limit
from pytest_jevbench.scoring.gate_results import ConditionResult, at_least, at_most, at_most_count, unevaluated
from pytest_jevbench.scoring.gate_run import GatedRun, Metric
from pytest_jevbench.scoring.intervals import Interval, wilson
from pytest_jevbench.scoring.pairs import Row

__all__ = ["check_run"]

Compare: TypeAlias = Callable[[str, float, float, int, str, "Interval | None"], ConditionResult]


def check_run(
    config: GateConfig, run: GatedRun, groups: Mapping[str, str], *, whole: bool
) -> Iterator[ConditionResult]:
    """Each condition on the run itself. ``whole`` is whether every planned test was run and judged.

    A limit of violations that is passed already is failed even in a run that is not whole: more answers cannot mend it.
    """
    for limit in config.minimum:
        yield _settled(_minimum(run, limit, graded=False), whole)
    for limit in config.minimum_graded:
        yield _settled(_minimum(run, limit, graded=True), whole)
    for limit in config.most_violations:
        result = _violations(run, limit, groups)
        yield result if result.verdict == "failed" else _settled(result, whole)
    for limit in config.largest_violation_rate:
        yield _settled(_violation_rate(run, limit, groups), whole)
    if config.minimum_coverage is not None:
        yield _coverage(run, config.minimum_coverage)
    if config.minimum_accuracy is not None:
        yield _settled(_metric("min_accuracy", at_least, run.accuracy, config.minimum_accuracy), whole)
    if config.largest_ece is not None:
        yield _settled(_metric("max_ece", at_most, run.ece, config.largest_ece), whole)


def _settled(result: ConditionResult, whole: bool) -> ConditionResult:
    return result if whole else result.while_incomplete()


def _minimum(run: GatedRun, limit: Limit, *, graded: bool) -> ConditionResult:
    name = f"{'min_graded' if graded else 'min'} {limit.score}"
    mean = run.scores.mean(limit.score)
    if mean is not None:
        value = mean.graded if graded else mean.score
        interval = mean.graded_interval if graded else mean.interval
        reason, tests = mean.reason, mean.tests
    else:
        row = run.scores.relation(limit.score)
        if row is None:
            return unevaluated(name, f"no test of {limit.score} is planned", limit.value)
        value = row.graded if graded else row.score
        interval = None if graded else wilson(row.held, row.judged)
        reason, tests = row.reason, row.judged
    if value is None:
        return unevaluated(name, f"not scored: {reason}", limit.value)
    return at_least(name, value, limit.value, tests, "tests", interval)


def _rows_of(run: GatedRun, name: str, groups: Mapping[str, str]) -> list[Row]:
    if name == ALL_TESTS:
        return list(run.rows)

    def names(row: Row) -> tuple[str, ...]:
        group = groups.get(row.relation, "")
        return (row.relation, group, group.partition(".")[0])

    return [row for row in run.rows if name in names(row)]


def _violations(run: GatedRun, limit: Limit, groups: Mapping[str, str]) -> ConditionResult:
    name = f"max_violations {limit.score}"
    rows = _rows_of(run, limit.score, groups)
    if not rows:
        return unevaluated(name, f"no test of {limit.score} is planned", limit.value)
    count = sum(row.verdict == "violated" for row in rows)
    judged = sum(row.judged for row in rows)
    result = at_most_count(name, count, limit.value, judged, "tests")
    return result if judged else unevaluated(name, "no test was judged", limit.value)


def _violation_rate(run: GatedRun, limit: Limit, groups: Mapping[str, str]) -> ConditionResult:
    name = f"max_violation_rate {limit.score}"
    judged = [row for row in _rows_of(run, limit.score, groups) if row.judged]
    if not judged:
        return unevaluated(name, f"no test of {limit.score} was judged", limit.value)
    count = sum(row.verdict == "violated" for row in judged)
    interval: Interval | None = wilson(count, len(judged)) if limit.score in groups else None
    return at_most(name, count / len(judged), limit.value, len(judged), "tests", interval)


def _coverage(run: GatedRun, limit: float) -> ConditionResult:
    coverage = run.coverage
    if coverage is None:
        return unevaluated("min_coverage", "no test is planned", limit)
    return at_least("min_coverage", coverage, limit, len(run.rows), "planned tests")


def _metric(name: str, compare: Compare, metric: Metric, limit: float) -> ConditionResult:
    if metric.value is None:
        return unevaluated(name, metric.reason, limit)
    return compare(name, metric.value, limit, metric.n, "labelled answers", metric.interval)
