"""The same numbers as scikit-learn, statsmodels and krippendorff give."""

from __future__ import annotations

import warnings

import krippendorff
import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import brier_score_loss, cohen_kappa_score, log_loss
from statsmodels.stats.inter_rater import fleiss_kappa as statsmodels_fleiss

from pytest_jevbench.judges import (
    BetaCalibrator,
    IsotonicCalibrator,
    PlattCalibrator,
    calibration_figures,
    cohen_kappa,
    fleiss_from_counts,
    krippendorff_alpha,
    rank_correlation,
)
from pytest_jevbench.judges.arrays import logit


@pytest.mark.parametrize("seed", range(8))
def test_kappas_and_alphas(seed: int) -> None:
    random = np.random.default_rng(seed)
    ratings = random.integers(0, 2 + seed % 4, size=(3 + seed % 3, 25)).astype(float)
    ratings[1] = np.where(random.random(25) < 0.6, ratings[0], ratings[1])
    kappa = cohen_kappa(ratings[0].tolist(), ratings[1].tolist(), draws=0)
    assert kappa.value == pytest.approx(cohen_kappa_score(ratings[0], ratings[1]), abs=1e-12)
    counts = np.stack([(ratings == k).sum(axis=0) for k in range(6)], axis=1)
    assert fleiss_from_counts(counts.tolist(), draws=0).value == pytest.approx(statsmodels_fleiss(counts), abs=1e-12)
    ratings[random.random(ratings.shape) < 0.2] = np.nan
    for level in ("nominal", "ordinal", "interval"):
        expected = krippendorff.alpha(reliability_data=ratings, level_of_measurement=level)
        assert krippendorff_alpha(ratings, level, draws=0).value == pytest.approx(expected, abs=1e-10)


def test_alpha_of_probabilities() -> None:
    random = np.random.default_rng(3)
    ratings = random.random((4, 60))
    expected = krippendorff.alpha(reliability_data=ratings, level_of_measurement="interval")
    assert krippendorff_alpha(ratings, "interval", draws=0).value == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_calibration(seed: int) -> None:
    random = np.random.default_rng(seed)
    p = np.round(random.random(200), 2)
    y = (random.random(200) < p**2).astype(float)
    figures = calibration_figures(p, y)
    assert figures.brier == pytest.approx(brier_score_loss(y, p), abs=1e-12)
    assert figures.log_loss == pytest.approx(log_loss(y, np.clip(p, 1e-6, 1 - 1e-6)), abs=1e-12)
    other = np.linspace(0, 1, 33)
    isotonic = IsotonicRegression(out_of_bounds="clip").fit(p, y)
    assert IsotonicCalibrator().fit(p, y).apply(other) == pytest.approx(isotonic.predict(other), abs=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        regression = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000).fit(logit(p)[:, None], y)
    fitted = PlattCalibrator(targets="plain").fit(p, y).parameters
    assert fitted["a"] == pytest.approx(regression.coef_[0, 0], abs=1e-4)
    assert fitted["b"] == pytest.approx(regression.intercept_[0], abs=1e-4)
    sides = np.column_stack([np.log(np.clip(p, 1e-6, 1)), -np.log1p(-np.clip(p, 0, 1 - 1e-6))])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        regression = LogisticRegression(C=np.inf, tol=1e-12, max_iter=10_000).fit(sides, y)
    fitted = BetaCalibrator().fit(p, y).parameters
    assert (regression.coef_ > 0).all(), "no bound of the beta calibrator is met"
    assert [fitted["a"], fitted["b"]] == pytest.approx(regression.coef_[0], abs=1e-4)
    assert fitted["c"] == pytest.approx(regression.intercept_[0], abs=1e-4)


def test_the_interval_of_a_rank_correlation_draws_pairs() -> None:
    """Against scipy's own draws, one at a time, with ranks made anew in each."""
    from scipy.stats import spearmanr

    random = np.random.default_rng(0)
    x = random.integers(0, 6, 40).astype(float)
    y = x + random.integers(0, 6, 40)
    found = rank_correlation(x, y)
    assert found.value == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)
    drawn = [spearmanr(x[i], y[i]).statistic for i in random.integers(0, 40, size=(2000, 40))]
    low, high = np.quantile(drawn, (0.025, 0.975))
    assert found.interval.low == pytest.approx(low, abs=0.05)  # type: ignore[union-attr]
    assert found.interval.high == pytest.approx(high, abs=0.05)  # type: ignore[union-attr]
