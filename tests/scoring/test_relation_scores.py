"""A relation's row, with numbers worked out by hand."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_jevbench.runs.results import TestResult
from pytest_jevbench.scoring.relation_scores import (
    RelationScore,
    ScoreSettings,
    VariantRate,
    graded_score,
    judge_again,
    score_relation,
    summarise_deviations,
)
from tests.scoring.by_hand import held_and_violated, judged, outcome, unjudged

SETTINGS = ScoreSettings()


def row(results: list[TestResult], planned: int | None = None, settings: ScoreSettings = SETTINGS) -> RelationScore:
    tests = [judge_again(result, settings) for result in results]
    return score_relation("r", "REP.type", len(results) if planned is None else planned, tests, settings)


def test_score_and_graded_are_means_over_tests() -> None:
    found = row(held_and_violated("r", held=3, violated=2))
    assert (found.status, found.score, found.violation_rate) == ("scored", 1 - 2 / 5, 2 / 5)
    assert found.graded == pytest.approx((3 + 2 * 0.5) / 5)
    assert found.interval is not None
    assert found.interval.low < 0.4 < found.interval.high


def test_a_test_is_violated_if_any_outcome_is_and_graded_as_its_worst() -> None:
    found = row([judged("r", f"c{i}", 0.0, 0.525, 0.01) for i in range(5)])
    assert (found.violated, found.score, found.outcomes) == (5, 0.0, 15)
    assert found.graded == pytest.approx(0.5)


def test_a_deviation_that_is_not_finite_is_a_violation_with_grade_0() -> None:
    found = row([judged("r", "c0", None), *held_and_violated("r", held=4, violated=0, case="d")])
    assert (found.violated, found.score, found.graded) == (1, 0.8, 0.8)
    assert found.deviations is not None
    assert (found.deviations.n, found.deviations.not_finite) == (4, 1)


def test_float_noise_at_the_tolerance_is_held_and_without_slack_it_is_not() -> None:
    at_the_edge = [judged("r", f"c{i}", 0.3 - 0.25) for i in range(5)]  # 0.04999999999999999 or 0.05000000000000000x
    past = [judged("r", f"c{i}", 0.05 + 1e-12) for i in range(5)]
    assert row(at_the_edge).score == row(past).score == 1.0
    assert row(past, settings=replace(SETTINGS, slack=0.0)).score == 0.0
    assert row([judged("r", f"c{i}", 0.05 + 1e-8) for i in range(5)]).score == 0.0


def test_another_tolerance_leaves_a_relation_its_own() -> None:
    common = [judged("r", f"c{i}", 0.08) for i in range(5)]
    own = [judged("r", f"c{i}", outcome(0.08, kind="own")) for i in range(5)]
    loose = replace(SETTINGS, tolerance=0.1)
    assert (row(common).score, row(common, settings=loose).score) == (0.0, 1.0)
    assert (row(own).score, row(own, settings=loose).score) == (0.0, 0.0)
    as_judged = [judged("r", f"c{i}", outcome(0.08, tolerance=0.1)) for i in range(5)]
    assert row(as_judged, settings=replace(SETTINGS, tolerance=None)).score == 1.0


@pytest.mark.parametrize(
    ("deviation", "tolerance", "graded"),
    [
        (0.0, 0.05, 1.0),
        (0.05, 0.05, 1.0),
        (1.0, 0.05, 0.0),
        (3.0, 0.05, 0.0),
        (0.5, 0.0, 0.5),
        (1.0, 1.0, 1.0),
        (2.0, 1.0, 0.0),
    ],
)
def test_graded_score(deviation: float, tolerance: float, graded: float) -> None:
    assert graded_score(outcome(deviation, tolerance=tolerance), replace(SETTINGS, tolerance=None)) == graded


@pytest.mark.parametrize(
    ("n", "median", "p90"),
    [(1, 1.0, 1.0), (2, 1.5, 2.0), (9, 5.0, 9.0), (10, 5.5, 10.0), (11, 6.0, 10.0), (24, 12.5, 22.0)],
)
def test_deviation_figures_over_1_to_n(n: int, median: float, p90: float) -> None:
    found = summarise_deviations([outcome(float(i)) for i in range(n, 0, -1)])
    assert found is not None
    assert (found.n, found.mean, found.median, found.p90, found.largest) == (n, (n + 1) / 2, median, p90, n)


def test_flips_count_among_the_outcomes_about_a_decision() -> None:
    flips = [True, False, None, True, None]
    found = row([judged("r", f"c{i}", outcome(0.0, flip=flip)) for i, flip in enumerate(flips)])
    assert (found.flips, found.decisions, found.flip_rate) == (2, 3, 2 / 3)
    assert row([judged("r", "c", 0.0)]).flip_rate is None


def test_rates_by_variant_are_over_outcomes() -> None:
    found = row([judged("r", f"c{i}", outcome(0.0), outcome(0.5 * i, variant=2)) for i in range(3)])
    assert found.variants == (VariantRate(0, 3, 0), VariantRate(2, 3, 2))
    assert found.variants[1].rate == 2 / 3


def test_planned_is_held_violated_unjudged_and_not_run() -> None:
    results = [
        *held_and_violated("r", 2, 1),
        unjudged("r", "x"),
        unjudged("r", "y", "lost"),
        unjudged("r", "z", "lost"),
    ]
    found = row(results, planned=8)
    assert (found.held, found.violated, found.not_run) == (2, 1, 2)
    assert {reason: n for reason, n in found.unjudged.items() if n} == {"refused": 1, "lost": 2}
    assert found.held + found.violated + sum(found.unjudged.values()) + found.not_run == found.planned


@pytest.mark.parametrize(
    ("judged_tests", "planned", "status"),
    [
        (23, 24, "scored"),
        (22, 24, "incomplete"),
        (19, 20, "scored"),
        (5, 5, "scored"),
        (4, 4, "below_min_n"),
        (3, 4, "incomplete"),
        (4, 5, "incomplete"),
    ],
)
def test_status_by_coverage_and_number(judged_tests: int, planned: int, status: str) -> None:
    lost = [unjudged("r", f"x{i}") for i in range(planned - judged_tests)]
    found = row([*held_and_violated("r", judged_tests, 0), *lost])
    assert found.status == status
    assert (found.score is None) == (status != "scored")
    assert bool(found.reason) == (status != "scored")


def test_half_answered_with_errors_is_neither_1_nor_a_half() -> None:
    found = row([*held_and_violated("r", 5, 0), *(unjudged("r", f"x{i}", "unreachable", "HTTP 500") for i in range(5))])
    assert (found.status, found.score, found.graded, found.coverage) == ("incomplete", None, None, 0.5)


def test_nothing_run_of_what_was_planned() -> None:
    found = row([], planned=4)
    assert (found.status, found.score, found.violation_rate, found.interval) == ("not_run", None, None, None)
    assert found.deviations is None


def test_a_test_that_does_not_apply_is_no_gap() -> None:
    off = TestResult(unjudged("r", "x").id, "route_flip", "not_applicable")
    found = row([*held_and_violated("r", 5, 0), off])
    assert (found.status, found.score, found.not_applicable, found.planned) == ("scored", 1.0, 1, 6)
