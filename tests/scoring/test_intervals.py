"""Wilson's interval by its known values, the bootstrap by hand and by enumeration."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtri

from pytest_jevbench.scoring.intervals import (
    Z_95,
    CaseCounts,
    Interval,
    NoInterval,
    bootstrap_means,
    case_multiplicities,
    percentile_interval,
    wilson,
)


def test_z_is_the_quantile() -> None:
    assert float(ndtri(0.975)) == Z_95


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        (0, 77, 0.0, 0.047518),
        (38, 38, 0.908190, 1.0),
        (0, 1, 0.0, 0.793451),
        (1, 1, 0.206549, 1.0),
        (2, 6, 0.096771, 0.700007),
    ],
)
def test_wilson_has_its_known_values(successes: int, n: int, low: float, high: float) -> None:
    interval = wilson(successes, n)
    assert interval is not None
    assert (interval.low, interval.high) == (pytest.approx(low, abs=5e-7), pytest.approx(high, abs=5e-7))


def test_wilson_of_no_test_is_undefined() -> None:
    assert wilson(0, 0) is None


@given(st.integers(1, 5000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_lies_inside_and_holds_the_rate(counts: tuple[int, int]) -> None:
    successes, n = counts
    interval = wilson(successes, n)
    assert interval is not None
    assert 0.0 <= interval.low <= successes / n <= interval.high <= 1.0
    assert (interval.low == 0.0) == (successes == 0)
    assert (interval.high == 1.0) == (successes == n)


def counted(*rows: tuple[int, int, bool, float], relations: int = 1) -> CaseCounts:
    return CaseCounts.collect(rows, relations)


def one(counts: CaseCounts, parts: list[list[int]], draws: int = 1000) -> Interval | NoInterval:
    return bootstrap_means(counts, {"x": parts}, draws)["x"][0]


def test_one_case_has_no_interval_and_says_why() -> None:
    alone = one(counted((0, 0, True, 0.0), (0, 0, False, 1.0)), [[0]])
    assert alone == NoInterval("there is one case, and the interval is over cases")


def test_no_draws_no_interval() -> None:
    assert isinstance(one(counted((0, 0, True, 0.0), (1, 0, False, 1.0)), [[0]], draws=0), NoInterval)


def test_five_equal_cases_are_a_point_and_marked() -> None:
    held = one(counted(*[(case, 0, False, 1.0) for case in range(5)]), [[0]])
    assert held == Interval(1.0, 1.0, degenerate=True)
    halves = [(case, 0, violated, 0.1) for case in range(5) for violated in (True, False)]
    binary, graded = bootstrap_means(counted(*halves), {"x": [[0]]}, 1000)["x"]
    assert binary == Interval(0.5, 0.5, degenerate=True)
    assert isinstance(graded, Interval)
    assert graded.degenerate
    assert graded.low == pytest.approx(0.1)


def test_a_relation_absent_from_a_draw_leaves_the_mean() -> None:
    # Case 0 has relation 0 alone, violated; case 1 has relation 1 alone, held. The draws 00, 01, 10, 11 give 0, 1/2,
    # 1/2, 1 where the absent relation leaves the mean; counted as 0 it would never reach 1.
    counts = counted((0, 0, True, 0.0), (1, 1, False, 1.0), relations=2)
    assert one(counts, [[0, 1]]) == Interval(0.0, 1.0)


def test_a_draw_without_a_whole_part_is_set_aside() -> None:
    # Relation 0 stands in one case of six. With it, the mean of the parts is (0 + 1)/2; without, there is no mean.
    rows = [(0, 0, True, 0.0)] + [(case, 1, False, 1.0) for case in range(1, 6)]
    assert one(counted(*rows, relations=2), [[0], [1]]) == Interval(0.5, 0.5, degenerate=True)


def test_no_interval_where_most_draws_say_nothing() -> None:
    # Three parts, each in one case of its own: 6 of 27 draws have all three.
    rows = [(case, case, False, 1.0) for case in range(3)]
    assert isinstance(one(counted(*rows, relations=3), [[0], [1], [2]]), NoInterval)


def test_percentiles_are_those_of_all_draws() -> None:
    """Against the whole bootstrap distribution, enumerated: 5 cases, 3125 draws."""
    tests, violated = np.array([1, 2, 3, 4, 5]), np.array([1, 0, 2, 1, 5])
    rows = [
        (case, 0, test < violated[case], 0.0 if test < violated[case] else 1.0)
        for case in range(5)
        for test in range(tests[case])
    ]
    draws = np.array(list(itertools.product(range(5), repeat=5)))
    exact = 1 - violated[draws].sum(axis=1) / tests[draws].sum(axis=1)
    drawn = one(counted(*rows), [[0]], draws=40_000)
    assert isinstance(drawn, Interval)
    low, high = np.quantile(exact, (0.025, 0.975))
    assert (drawn.low, drawn.high) == (pytest.approx(low, abs=0.01), pytest.approx(high, abs=0.01))


def test_binary_and_graded_agree_where_grades_are_verdicts() -> None:
    rows = [(case, 0, case % 3 == 0, float(case % 3 != 0)) for case in range(30)]
    binary, graded = bootstrap_means(counted(*rows), {"x": [[0]]}, 500)["x"]
    assert isinstance(binary, Interval)
    assert isinstance(graded, Interval)
    assert (graded.low, graded.high) == (pytest.approx(binary.low), pytest.approx(binary.high))


def test_equal_outcomes_have_equal_intervals() -> None:
    rows = [(case, 0, case % 4 == 0, float(case % 4 != 0)) for case in range(40)]
    assert one(counted(*rows), [[0]]) == one(counted(*rows), [[0]])


@pytest.mark.parametrize("cases", [2, 240, 3000])
def test_every_draw_has_as_many_cases_as_there_are(cases: int) -> None:
    blocks = list(case_multiplicities(cases, 1000))
    assert sum(len(block) for block in blocks) == 1000
    assert all((block.sum(axis=1) == cases).all() for block in blocks)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=60))
def test_a_percentile_interval_has_the_quantiles_of_numpy(values: list[float]) -> None:
    draws = np.array(values)
    low, high = np.quantile(draws, (0.025, 0.975))
    interval = percentile_interval(draws)
    assert interval.low == pytest.approx(low, abs=1e-15)
    assert interval.high == pytest.approx(high, abs=1e-15)
    assert interval.degenerate == (high - low <= 1e-12)
