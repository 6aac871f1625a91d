"""Non-inferiority: the bound without changes, with them, and how many cases a margin needs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, norm

from pytest_jevbench.scoring.bootstrap import CaseBootstrap
from pytest_jevbench.scoring.noninferiority import LowerBound, lower_bound, no_change_bound, stands
from pytest_jevbench.scoring.pairs import Layout, PairedRuns
from pytest_jevbench.scoring.sample_size import (
    Assumption,
    assumed_variance,
    cases_needed,
    measured_variance,
    noticed_drop,
)
from pytest_jevbench.scoring.weights import OVERALL, Scored, weigh
from tests.scoring.noisy_runs import QUIET, published_plan


def one_relation(baseline: list[int], now: list[int]) -> tuple[PairedRuns, Scored]:
    n = len(baseline)
    layout = Layout(
        tuple(f"c{i}" for i in range(n)), ("option_clone",), ("MEA.partition",), np.ones((n, 1), int), np.array([n])
    )
    score = weigh(layout, "option_clone")
    assert isinstance(score, Scored)
    return PairedRuns(layout, np.array(baseline)[:, None], np.array(now)[:, None]), score


def bound_of(baseline: list[int], now: list[int]) -> LowerBound:
    pairs, score = one_relation(baseline, now)
    found = lower_bound(pairs, CaseBootstrap.of(pairs), score)
    assert isinstance(found, LowerBound)
    return found


@pytest.mark.parametrize("cases", [5, 24, 240])
def test_without_a_change_the_bound_is_the_exact_binomial_one(cases: int) -> None:
    bound = no_change_bound(cases)
    assert binom.pmf(0, cases, -bound) == pytest.approx(0.05)
    assert bound_of([0] * cases, [0] * cases).value == bound


def test_a_margin_that_no_answers_could_show_is_too_few_tests() -> None:
    same = bound_of([0] * 24, [0] * 24)  # the bound is -0.117
    assert stands(same, 0.12) == "shown"
    assert stands(same, 0.11) == "too_few"
    better = bound_of([1] * 24, [1] * 20 + [0] * 4)
    assert better.value == better.nearest  # an improvement cannot make it surer than no change
    assert stands(better, 0.11) == "too_few"
    assert stands(better, 0.12) == "shown"


def test_a_drop_beyond_the_margin_is_not_shown() -> None:
    worse = bound_of([0] * 240, [1] * 24 + [0] * 216)
    assert worse.value < -0.1
    assert stands(worse, 0.1) == "not_shown"
    assert stands(worse, 0.2) == "shown"


def test_cases_needed_by_hand() -> None:
    z = norm.ppf(0.95) + norm.ppf(0.8)
    assert cases_needed(0.02, 0.01) == max(np.ceil(z**2 * 0.01 / 0.0004), 149)
    assert cases_needed(0.1, 0.5) == np.ceil(z**2 * 0.5 / 0.01)
    assert cases_needed(0.05, 0.0) == 59  # 1 - 0.05^(1/59) = 0.0495, and with 58 it is 0.0503
    assert -no_change_bound(59) < 0.05 <= -no_change_bound(58)


def test_noticed_drop_is_the_inverse_of_the_cases_needed() -> None:
    drop = noticed_drop(0.04, 240)
    assert cases_needed(drop * 0.999, 0.04) > 240 >= cases_needed(drop * 1.001, 0.04)


def test_variance_from_a_repeat_and_from_its_own_assumption() -> None:
    layout = published_plan("jevbench-240").layout
    repeat = QUIET.pair(layout, np.random.default_rng(8))
    overall = weigh(layout, OVERALL)
    assert isinstance(overall, Scored)
    change = repeat.now - repeat.baseline
    discordance = float((change != 0).mean())
    together = change.sum(axis=1)
    correlation = float(((together**2).mean() - 50 * discordance) / (50 * 49 * discordance))
    assumed = assumed_variance(layout, overall, Assumption(discordance, correlation))
    assert assumed == pytest.approx(measured_variance(repeat, overall), rel=0.1)


def test_assumed_variance_of_independent_tests_by_hand() -> None:
    pairs, score = one_relation([0] * 10, [0] * 10)
    assert assumed_variance(pairs.layout, score, Assumption(0.3, 0.0)) == pytest.approx(0.3)
    layout = Layout(
        ("a", "b"), ("option_clone", "option_merge"), ("MEA.partition",) * 2, np.full((2, 2), 5), np.array([10, 10])
    )
    mean = weigh(layout, "MEA")
    assert isinstance(mean, Scored)  # ten tests of a case weigh 1/20 each in a score of two cases: x weighs 1/10
    assert assumed_variance(layout, mean, Assumption(0.3, 0.0)) == pytest.approx(0.3 / 10)
    assert assumed_variance(layout, mean, Assumption(0.3, 1.0)) == pytest.approx(0.3)
