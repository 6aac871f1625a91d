from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import binom

from pytest_jevbench.errors import InputError
from pytest_jevbench.judges import (
    accepted_figures,
    optimal_threshold,
    precision_threshold,
    risk_controlling_threshold,
)
from pytest_jevbench.judges.thresholds import ABOVE_ALL, GRID

Floats = npt.NDArray[np.float64]


@pytest.mark.parametrize("seed", range(6))
def test_no_threshold_at_all_costs_less(seed: int) -> None:
    random = np.random.default_rng(seed)
    p, y = np.round(random.random(30), 1), random.integers(0, 2, 30)
    found = optimal_threshold(p, y, false_positive_cost=3.0, false_negative_cost=0.7)

    def cost(threshold: float) -> float:
        return float(3.0 * ((p >= threshold) & (y == 0)).sum() + 0.7 * ((p < threshold) & (y == 1)).sum())

    every = [cost(t) for t in (*np.linspace(0, 1, 501), ABOVE_ALL)]
    assert found.cost == pytest.approx(min(every)) == pytest.approx(cost(found.threshold))


def test_all_positive_all_negative_and_ties() -> None:
    assert optimal_threshold([0.2, 0.3], [1, 1]).rule == "all positive"
    assert optimal_threshold([0.7, 0.8], [0, 0]).rule == "all negative"
    assert optimal_threshold([0.7, 0.8], [0, 0]).threshold == ABOVE_ALL
    assert optimal_threshold([0.1, 0.9], [0, 1]).threshold == 0.5
    # 0.35 and 0.75 cost one error each: 0.35 is nearer to 0.5 than 0.75.
    assert optimal_threshold([0.3, 0.4, 0.7, 0.8], [0, 1, 0, 1]).threshold == 0.35
    # The two rules cost the same here; 0.5 is one of the best.
    assert optimal_threshold([0.4, 0.6], [1, 0]).threshold in (0.0, ABOVE_ALL)
    with pytest.raises(InputError, match="a number above 0"):
        optimal_threshold([0.5], [1], false_positive_cost=0)


def test_conformal_risk_control_by_hand() -> None:
    # n = 19, alpha = 0.1: (k + 1) / 20 <= 0.1 allows one false accept.
    p = [k / 20 for k in range(1, 20)]
    y = [0] * 10 + [1] * 5 + [0, 1, 0, 1]  # no at 0.80 and at 0.90: the first two from above
    found = risk_controlling_threshold(p, y, alpha=0.1)
    assert found.threshold == 0.85
    assert risk_controlling_threshold(p[:8], y[:8], alpha=0.1).threshold is None
    assert "at least 9" in risk_controlling_threshold(p[:8], y[:8], alpha=0.1).reason
    assert risk_controlling_threshold([0.1] * 9, [1] * 9, alpha=0.1).threshold == 0.0
    assert risk_controlling_threshold([0.9] * 20, [0] * 20, alpha=0.1).threshold == ABOVE_ALL


def test_learn_then_test_by_hand() -> None:
    # 60 accepted from 0.9 on and none wrongly: p = 0.9^60 = 0.0018 at every threshold that is tested.
    scores, labels = [0.95] * 60 + [0.2] * 60, [1] * 60 + [0] * 60
    one = precision_threshold(scores, labels, alpha=0.1, delta=0.1, testing="bonferroni")
    assert binom.cdf(0, 60, 0.1) > 0.1 / 101
    assert one.threshold is None
    assert precision_threshold(scores, labels, alpha=0.1, delta=0.1).threshold == 0.21
    assert "36 fit items" in precision_threshold([0.9], [1]).reason
    assert 0.9**36 <= 0.1 / 4 < 0.9**35
    all_wrong = precision_threshold([0.9] * 500, [0] * 500)
    assert all_wrong.threshold is None


def test_what_is_accepted() -> None:
    found = accepted_figures([0.9, 0.8, 0.3, 0.1], [1, 0, 1, 0], 0.5)
    assert (found.accepted, found.false_accepts) == (2, 1)
    assert (found.false_accept_share, found.error_among_accepted, found.accuracy) == (0.25, 0.5, 0.5)
    assert accepted_figures([0.1], [1], 0.5).error_among_accepted is None


def drawn(random: np.random.Generator, n: int) -> tuple[Floats, Floats]:
    """A judge that is too sure: P(yes) is 0.5 + 0.3 (p - 0.5) * 2 where it says p."""
    p = random.beta(0.6, 0.6, n)
    return p, (random.random(n) < 0.2 + 0.6 * p).astype(float)


def true_risks(threshold: float, random: np.random.Generator) -> tuple[float, float]:
    p, y = drawn(random, 20_000)
    taken = p >= threshold
    wrong = taken & (y == 0)
    return float(wrong.mean()), float(wrong.sum() / max(1, taken.sum()))


@pytest.mark.slow
@pytest.mark.parametrize(("n", "alpha"), [(50, 0.1), (200, 0.05), (200, 0.2)])
def test_false_accepts_stay_below_alpha_in_expectation(n: int, alpha: float) -> None:
    random = np.random.default_rng(11)
    risks = []
    for _ in range(3000):
        found = risk_controlling_threshold(*drawn(random, n), alpha=alpha)
        assert found.threshold is not None
        p, y = drawn(random, 400)
        risks.append(float(((p >= found.threshold) & (y == 0)).mean()))
    mean, error = float(np.mean(risks)), float(np.std(risks) / np.sqrt(len(risks)))
    assert mean <= alpha + 3 * error
    assert mean >= alpha - 2.5 / (n + 1) - 3 * error, "the threshold gives away no more than the proof says"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "alpha", "testing"), list(itertools.product((200, 600), (0.3, 0.4), ("fixed-sequence", "bonferroni")))
)
def test_errors_among_the_accepted_stay_below_alpha_with_probability(n: int, alpha: float, testing: str) -> None:
    random = np.random.default_rng(5)
    exact = {t: true_risks(t, random)[1] for t in GRID}
    failed = found = 0
    for _ in range(3000):
        one = precision_threshold(*drawn(random, n), alpha=alpha, delta=0.1, testing=testing)  # type: ignore[arg-type]
        if one.threshold is not None:
            found += 1
            failed += exact[one.threshold] > alpha + 0.005
    assert failed <= binom.ppf(0.9999, 3000, 0.1)
    assert (n, alpha) != (600, 0.4) or found > 2700, "with much data the guarantee is of use"
