"""BCa bounds against scipy's, on the same draws to rounding and on other draws within Monte Carlo error."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import bootstrap

from pytest_jevbench.scoring.bootstrap import CaseBootstrap, bca_bounds
from pytest_jevbench.scoring.intervals import Interval, NoInterval
from pytest_jevbench.scoring.pairs import Layout, PairedRuns
from pytest_jevbench.scoring.weights import OVERALL, Scored, weigh
from tests.scoring.noisy_runs import LOUD, published_plan


def scored(layout: Layout, name: str) -> Scored:
    found = weigh(layout, name)
    assert isinstance(found, Scored)
    return found


def jackknife(values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return np.asarray((values.sum() - values) / (len(values) - 1))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_bounds_from_scipys_own_draws_are_scipys(seed: int) -> None:
    data = np.random.default_rng(seed).exponential(size=37) ** 2
    theirs = bootstrap(
        (data,), np.mean, method="BCa", n_resamples=4000, random_state=np.random.default_rng(seed), vectorized=True
    )
    ours = bca_bounds(theirs.bootstrap_distribution, data.mean(), jackknife(data), (0.025, 0.975))
    assert ours == pytest.approx(tuple(theirs.confidence_interval), abs=1e-12)


def test_one_sided_bound_is_scipys() -> None:
    data = np.random.default_rng(5).gamma(0.7, size=50)
    theirs = bootstrap(
        (data,), np.mean, method="BCa", n_resamples=4000, confidence_level=0.9, random_state=np.random.default_rng(1)
    )
    ours = bca_bounds(theirs.bootstrap_distribution, data.mean(), jackknife(data), (0.05,))
    assert ours[0] == pytest.approx(theirs.confidence_interval.low, abs=1e-12)


def test_paired_interval_of_a_relation_is_scipys_within_monte_carlo_error() -> None:
    layout = published_plan("jevbench-240").layout
    pairs = LOUD.pair(layout, np.random.default_rng(3), drop=0.1)
    column = layout.relations.index("option_clone")
    theirs = bootstrap(
        (pairs.now[:, column] * 1.0, pairs.baseline[:, column] * 1.0),
        lambda now, before, axis: (before - now).mean(axis=axis),
        paired=True, vectorized=True, method="BCa", n_resamples=20_000, random_state=np.random.default_rng(0),
    ).confidence_interval  # fmt: skip
    ours = CaseBootstrap.of(pairs, draws=20_000).interval(scored(layout, "option_clone"))
    assert isinstance(ours, Interval)
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs), abs=1 / 240 + 1e-9)


@pytest.mark.parametrize("name", [OVERALL, "CHO", "LOG.bounds"])
def test_paired_interval_of_a_mean_with_absent_relations_is_scipys(name: str) -> None:
    layout = published_plan("jevbench-mini").layout
    pairs = LOUD.pair(layout, np.random.default_rng(4), drop=0.1)
    score = scored(layout, name)

    def change(cases: npt.NDArray[np.int64]) -> float:
        """The score's change, written out: mean over dimensions of the mean over the relations present."""
        dimensions = []
        for columns in score.dimensions:
            rates = []
            for c in columns:
                tests = layout.tests[cases, c].sum()
                if tests:
                    rates.append((pairs.baseline[cases, c].sum() - pairs.now[cases, c].sum()) / tests)
            dimensions.append(np.mean(rates))
        return float(np.mean(dimensions))

    theirs = bootstrap(
        (np.arange(240),), change, vectorized=False, method="BCa", n_resamples=1500,
        random_state=np.random.default_rng(0),
    ).confidence_interval  # fmt: skip
    ours = CaseBootstrap.of(pairs, draws=20_000).interval(score)
    assert isinstance(ours, Interval)
    width = ours.high - ours.low
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs), abs=0.12 * width)


def test_one_case_has_no_interval_and_equal_cases_a_marked_point() -> None:
    def layout(cases: int) -> Layout:
        return Layout(
            tuple(f"c{i}" for i in range(cases)), ("option_clone",), ("MEA.partition",),
            np.full((cases, 1), 5), np.array([5 * cases]),
        )  # fmt: skip

    one = PairedRuns(layout(1), np.array([[1]]), np.array([[3]]))
    found = CaseBootstrap.of(one, draws=100).interval(scored(one.layout, "MEA"))
    assert isinstance(found, NoInterval)
    assert "one case" in found.reason
    five = PairedRuns(layout(5), np.full((5, 1), 1), np.full((5, 1), 3))
    assert CaseBootstrap.of(five, draws=100).interval(scored(five.layout, "MEA")) == Interval(-0.4, -0.4, True)


def test_equal_runs_have_equal_intervals() -> None:
    layout = published_plan("jevbench-mini").layout
    pairs = LOUD.pair(layout, np.random.default_rng(9))
    score = scored(layout, OVERALL)
    assert CaseBootstrap.of(pairs).interval(score) == CaseBootstrap.of(pairs).interval(score)
