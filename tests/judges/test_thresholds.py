from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt
import pytest
from scipy.stats import beta, binom

from pytest_jevbench.errors import InputError
from pytest_jevbench.judges import (
    accepted_figures,
    optimal_threshold,
    precision_threshold,
    risk_controlling_threshold,
)
from pytest_jevbench.judges.thresholds import ABOVE_ALL, GRID, Testing

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


# Coverage by simulation. The judge is too sure: where it says p, yes is right with probability 0.2 + 0.6 p, p being
# Beta(0.6, 0.6). What a threshold does to further items is then known exactly, so that only fit data are drawn.


def drawn(random: np.random.Generator, n: int, digits: int | None = None) -> tuple[Floats, Floats]:
    """Fit data: P(yes) (n,) and right answers (n,); ``digits`` rounds P(yes), which makes ties."""
    p = random.beta(0.6, 0.6, n)
    y = (random.random(n) < 0.2 + 0.6 * p).astype(float)
    return (p if digits is None else np.round(p, digits)), y


def risks(threshold: float, digits: int | None = None) -> tuple[float, float]:
    """Of further items: the share accepted wrongly of all, and of the accepted."""
    low = threshold if digits is None else threshold - 0.5 * 10**-digits  # what rounds to the threshold is accepted
    accepted = float(beta.sf(low, 0.6, 0.6))
    wrong = 0.8 * accepted - 0.6 * 0.5 * float(beta.sf(low, 1.6, 0.6))  # E[p; p >= t] = E[p] P(Beta(1.6, 0.6) >= t)
    return wrong, wrong / accepted if accepted else 0.0


def false_accepts(random: np.random.Generator, draws: int, n: int, alpha: float, digits: int | None) -> Floats:
    """The true share of false accepts of the threshold found on each of many fit sets: (draws,)."""
    found = []
    for _ in range(draws):
        one = risk_controlling_threshold(*drawn(random, n, digits), alpha=alpha)
        assert one.threshold is not None
        found.append(risks(one.threshold, digits)[0])
    return np.array(found)


def broken_promises(
    random: np.random.Generator, draws: int, n: int, alpha: float, testing: Testing
) -> tuple[float, float]:
    """Over many fit sets: how often a threshold is given, and how often its true error is above alpha."""
    exact = {t: risks(t)[1] for t in GRID}
    given = broken = 0
    for _ in range(draws):
        one = precision_threshold(*drawn(random, n), alpha=alpha, delta=0.1, testing=testing)
        if one.threshold is not None:
            given += 1
            broken += exact[one.threshold] > alpha
    return given / draws, broken / draws


def given_for_nothing(random: np.random.Generator, draws: int, n: int, testing: Testing) -> float:
    """How often a threshold is given where every threshold has an error just above alpha = 0.1."""
    given = 0
    for _ in range(draws):
        p, y = random.random(n), (random.random(n) >= 0.1001).astype(float)
        given += precision_threshold(p, y, alpha=0.1, delta=0.1, testing=testing).threshold is not None
    return given / draws


def test_the_risks_of_the_simulation_are_those_of_drawn_items() -> None:
    random = np.random.default_rng(1)
    p, y = drawn(random, 400_000)
    for threshold in (0.0, 0.3, 0.9):
        taken = p >= threshold
        wrong, error = risks(threshold)
        assert wrong == pytest.approx(float((taken & (y == 0)).mean()), abs=0.003)
        assert error == pytest.approx(float((y[taken] == 0).mean()), abs=0.005)


@pytest.mark.parametrize(("n", "alpha", "digits"), [(50, 0.1, None), (100, 0.2, None), (50, 0.1, 1)])
def test_false_accepts_stay_below_alpha_in_expectation(n: int, alpha: float, digits: int | None) -> None:
    found = false_accepts(np.random.default_rng(11), 400, n, alpha, digits)
    assert found.mean() <= alpha + 3 * found.std() / 20
    assert found.max() > alpha, "a promise in expectation: single fit sets do worse"


@pytest.mark.parametrize("testing", ["fixed-sequence", "bonferroni"])
def test_errors_among_the_accepted_stay_below_alpha_with_probability(testing: Testing) -> None:
    _, broken = broken_promises(np.random.default_rng(5), 300, 300, 0.35, testing)
    assert broken <= binom.ppf(0.9999, 300, 0.1) / 300
    assert given_for_nothing(np.random.default_rng(5), 300, 300, testing) <= binom.ppf(0.9999, 300, 0.1) / 300


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "alpha", "digits"), [(20, 0.1, None), (50, 0.1, None), (200, 0.05, None), (200, 0.2, None), (200, 0.1, 1)]
)
def test_coverage_of_the_share_of_false_accepts(n: int, alpha: float, digits: int | None) -> None:
    found = false_accepts(np.random.default_rng(11), 5000, n, alpha, digits)
    error = float(found.std() / np.sqrt(len(found)))
    assert found.mean() <= alpha + 3 * error
    if digits is None:
        assert found.mean() >= alpha - 2 / (n + 1) - 3 * error, "it gives away no more than the proof says"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "alpha", "testing"), list(itertools.product((200, 600), (0.3, 0.4), ("fixed-sequence", "bonferroni")))
)
def test_coverage_of_the_error_among_the_accepted(n: int, alpha: float, testing: Testing) -> None:
    given, broken = broken_promises(np.random.default_rng(5), 3000, n, alpha, testing)
    assert broken <= binom.ppf(0.9999, 3000, 0.1) / 3000
    assert (n, alpha) != (600, 0.4) or given > 0.9, "with much data the guarantee is of use"


@pytest.mark.slow
@pytest.mark.parametrize("testing", ["fixed-sequence", "bonferroni"])
@pytest.mark.parametrize("n", [100, 1000])
def test_coverage_where_no_threshold_deserves_it(n: int, testing: Testing) -> None:
    assert given_for_nothing(np.random.default_rng(7), 3000, n, testing) <= binom.ppf(0.9999, 3000, 0.1) / 3000
