"""The permutation test against brute force and scipy; McNemar against scipy; Holm against hand figures."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest, permutation_test

from pytest_jevbench.scoring.swap_test import (
    cases_to_reach,
    exact_swap_test,
    holm,
    mcnemar,
    sampled_swap_test,
    swap_test,
)


def by_enumeration(values: list[int]) -> float:
    patterns = list(product((1, -1), repeat=len(values)))
    reached = sum(sum(s * v for s, v in zip(signs, values, strict=True)) >= sum(values) for signs in patterns)
    return reached / len(patterns)


@given(st.lists(st.integers(-40, 40), min_size=1, max_size=10))
def test_exact_p_is_the_share_of_all_sign_patterns(values: list[int]) -> None:
    assert exact_swap_test(np.array(values)).p == pytest.approx(by_enumeration(values), abs=1e-14)


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=12), st.integers(2, 5000))
def test_a_common_factor_changes_nothing(values: list[int], factor: int) -> None:
    units = np.array(values)
    assert exact_swap_test(units * factor) == exact_swap_test(units)


def test_exact_p_agrees_with_scipy() -> None:
    now, before = np.array([5, 3, 8, 1, 4, 4, 9, 2]), np.array([2, 3, 6, 3, 1, 0, 7, 2])
    theirs = permutation_test(  # type: ignore[call-overload]
        (now, before), lambda x, y, axis: (x - y).sum(axis=axis), permutation_type="samples", alternative="greater",
        vectorized=True, n_resamples=np.inf,
    )  # fmt: skip
    assert exact_swap_test(now - before).p == pytest.approx(theirs.pvalue, abs=1e-14)


def test_p_of_equal_runs_is_one_and_of_an_improvement_large() -> None:
    assert exact_swap_test(np.zeros(9, dtype=np.int64)).p == 1.0
    assert exact_swap_test(np.array([-1, -1, -1])).p == 1.0
    assert exact_swap_test(np.array([1, -1])).p == 0.75


@pytest.mark.parametrize("changed", [1, 4, 5, 30])
def test_the_smallest_p_is_a_half_to_the_changed_cases(changed: int) -> None:
    units = np.array([7] * changed + [0] * 20)
    found = exact_swap_test(units)
    assert found.changed == changed
    assert found.p == pytest.approx(2.0**-changed, rel=1e-12)


@pytest.mark.parametrize(("level", "cases"), [(0.05, 5), (0.04, 5), (0.0625, 4), (0.05 / 6, 7), (0.5, 1)])
def test_cases_to_reach_a_level(level: float, cases: int) -> None:
    assert cases_to_reach(level) == cases
    assert 2.0**-cases <= level < 2.0 ** (1 - cases)


def test_thousands_of_changed_cases_stay_exact_and_above_zero() -> None:
    everything_worse = exact_swap_test(np.ones(5000, dtype=np.int64))
    assert 0 < everything_worse.p < 1e-300
    balanced = exact_swap_test(np.array([1, -1] * 2500))
    assert balanced.p == pytest.approx(binomtest(2500, 5000, alternative="greater").pvalue, rel=1e-9)


def test_sampled_p_lies_at_the_exact_one() -> None:
    units = np.array([5, 3, -2, 4, 4, -1, 6, 2, -3, 1, 0, 7])
    exact = exact_swap_test(units).p
    draws = 99_999
    error = 5 * np.sqrt(exact * (1 - exact) / draws)
    assert sampled_swap_test(units * 0.1, draws).p == pytest.approx(exact, abs=error)


def test_sampled_p_counts_the_observed_signs() -> None:
    assert sampled_swap_test(np.full(60, 0.25), draws=199).p == pytest.approx(1 / 200)


def test_equal_sums_count_as_reached_in_spite_of_float_noise() -> None:
    drops = np.array([0.1, 0.2, 0.3, -0.3, -0.2, -0.1])  # sums to float noise, and so do other patterns
    exact = exact_swap_test(np.array([1, 2, 3, -3, -2, -1])).p
    assert sampled_swap_test(drops, 99_999).p == pytest.approx(exact, abs=0.01)


def test_too_large_a_convolution_is_sampled() -> None:
    primes = np.array([999_983, 999_979, 999_961] * 400)
    assert swap_test(primes, primes * 1.0).method == "sampled"
    assert swap_test(np.array([3, -1]), np.array([3.0, -1.0])).method == "exact"
    assert swap_test(None, np.array([3.0, -1.0])).method == "sampled"


@pytest.mark.parametrize(("fixed", "new"), [(0, 0), (4, 11), (11, 4), (0, 5), (5, 0), (30, 60), (200, 260)])
def test_mcnemar_is_the_binomial_test_and_the_swap_test_of_one_relation(fixed: int, new: int) -> None:
    p = mcnemar(fixed, new)
    theirs = binomtest(new, fixed + new, alternative="greater").pvalue if fixed + new else 1.0
    assert p == pytest.approx(theirs, rel=1e-9)
    assert exact_swap_test(np.array([-1] * fixed + [1] * new + [0] * 7)).p == pytest.approx(p, rel=1e-9)


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))
    assert holm([0.5, 0.9]) == (1.0, 1.0)
    assert holm([]) == ()


@given(st.lists(st.floats(1e-6, 1.0), min_size=1, max_size=8))
def test_holm_never_lowers_and_never_passes_bonferroni(p_values: list[float]) -> None:
    for p, adjusted in zip(p_values, holm(p_values), strict=True):
        assert p <= adjusted <= min(1.0, len(p_values) * p)
