"""Values worked out by hand or stated by others."""

from __future__ import annotations

import math

import pytest

from pytest_jevbench.errors import InputError
from pytest_jevbench.judges import (
    CALIBRATORS,
    BetaCalibrator,
    HistogramCalibrator,
    PlattCalibrator,
    TemperatureCalibrator,
    calibration_figures,
    cohen_kappa,
    fleiss_from_counts,
    fleiss_kappa,
    panel_verdict,
    position_bias,
)
from tests.judges.worked_example import FIT, HOLDOUT


def test_the_worked_example_uncalibrated() -> None:
    figures = calibration_figures(*HOLDOUT)
    # Bin 9: mean 0.97 against 2/3; bin 0: 0.03 against 1/3; each half of the weight.
    assert figures.ece_positive == pytest.approx((0.97 - 2 / 3 + 1 / 3 - 0.03) / 2, abs=1e-12)
    assert figures.ece_positive == pytest.approx(0.303333, abs=5e-7)
    assert figures.mce_positive == pytest.approx(0.303333, abs=5e-7)
    assert figures.brier == pytest.approx(0.3143, abs=1e-12)


@pytest.mark.parametrize(
    ("calibrator", "ece", "brier"),
    [
        (PlattCalibrator(targets="plain"), 0.037181, 0.222829),
        (PlattCalibrator(), 0.089749, 0.229762),
        (HistogramCalibrator(bins=10, alpha=1.0), 0.066667, 0.226667),
        (TemperatureCalibrator(), 0.037181, 0.222829),
    ],
)
def test_the_worked_example_calibrated(calibrator: PlattCalibrator, ece: float, brier: float) -> None:
    shown = calibrator.fit(*FIT).evaluate(*HOLDOUT)
    assert shown.after.ece_positive == pytest.approx(ece, abs=5e-7)
    assert shown.after.brier == pytest.approx(brier, abs=5e-7)
    assert shown.improvement["brier"] == pytest.approx(0.3143 - brier, abs=1e-6)
    assert shown.changes["brier"].verdict == "better"


def test_the_worked_example_has_closed_forms() -> None:
    # Two of three yes at logit ln 99, one of three at -ln 99: p' = 2/3 and 1/3, so that T ln 2 = ln 99 and a = 1 / T.
    t = math.log(99) / math.log(2)
    assert t == pytest.approx(6.62936, abs=5e-6)
    assert TemperatureCalibrator().fit(*FIT).parameters["T"] == pytest.approx(t, abs=1e-9)
    plain = PlattCalibrator(targets="plain").fit(*FIT).parameters
    assert (plain["a"], plain["b"]) == (pytest.approx(1 / t, abs=1e-9), pytest.approx(0.0, abs=1e-9))
    # Smoothed targets: a yes counts 4/5, a no 1/5, so that the upper group's mean target is (4 + 4 + 1) / 15.
    smoothed = PlattCalibrator().fit(*FIT).parameters
    assert smoothed["a"] == pytest.approx(math.log(0.6 / 0.4) / math.log(99), abs=1e-9)
    beta = BetaCalibrator().fit(*FIT)
    assert beta.apply([0.99, 0.01]) == pytest.approx([2 / 3, 1 / 3], abs=1e-8)


def test_platt_on_four_and_on_equal_scores() -> None:
    fitted = PlattCalibrator().fit([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1])
    assert fitted.parameters["a"] == pytest.approx(0.590, abs=5e-4)
    assert fitted.parameters["b"] == pytest.approx(0.0, abs=1e-9)
    for calibrator in CALIBRATORS.values():
        if calibrator.name not in ("temperature", "isotonic", "histogram"):
            assert calibrator.fit([0.7] * 4, [1, 0, 1, 0]).apply([0.1, 0.7]) == pytest.approx([0.5, 0.5])


def test_an_empty_bin_is_identity() -> None:
    fitted = HistogramCalibrator().fit([0.05, 0.05], [1, 0])
    assert fitted.apply([0.05, 0.55, 1.0]).tolist() == [0.5, 0.55, 1.0]


def test_the_two_calibration_errors() -> None:
    one = calibration_figures([0.9] * 4, [1, 0, 0, 0])
    assert (one.ece_positive, one.ece_top_label) == (pytest.approx(0.65), pytest.approx(0.65))
    other = calibration_figures([0.1, 0.9], [0, 0])
    assert (other.ece_positive, other.ece_top_label) == (pytest.approx(0.5), pytest.approx(0.4))
    assert calibration_figures([0.4], [1]).brier == pytest.approx(0.36)
    assert calibration_figures([1, 1, 1], [1, 1, 1]).brier == 0.0


def test_kappas() -> None:
    small, large = [True, False, True], [True, False, False]
    # Observed 2/3, expected (2 x 1 + 1 x 2) / 9 = 4/9: (2/3 - 4/9) / (5/9) = 0.4.
    assert cohen_kappa(small, large).value == pytest.approx(0.4, abs=1e-12)
    # Pooled shares 1/2 and 1/2, observed 2/3: (2/3 - 1/2) / (1/2) = 1/3.
    assert fleiss_kappa([small, large]).value == pytest.approx(1 / 3, abs=1e-12)
    assert fleiss_from_counts([[1, 1, 1], [1, 1, 1]]).value == pytest.approx(-0.5, abs=1e-12)
    with pytest.raises(InputError, match="item 1 has 2 ratings and item 0 has 3"):
        fleiss_from_counts([[1, 1, 1], [1, 1, 0]])


def test_a_judge_that_always_prefers_the_first() -> None:
    found = position_bias([0.9] * 10, [0.7] * 10)
    assert found.first_rate.value == 1.0
    assert found.signed_bias.value == 1.0
    assert (found.consistent, found.decisive, found.flips_to_first) == (0, 10, 10)
    assert found.inconsistency.value == pytest.approx(0.6)
    assert found.conclusive


def test_two_of_three_judges_fail() -> None:
    verdict = panel_verdict([0.9, None, None])
    assert (verdict.verdict, verdict.reason) == ("inconclusive", "2 of 3 judges gave no answer")
    assert panel_verdict([0.9, 0.8, None]).verdict == "yes"
    assert panel_verdict([0.9, 0.1]).verdict == "inconclusive"
