"""What calibrators keep, promise and say of their fit."""

from __future__ import annotations

import numpy as np
import pytest

from pytest_jevbench.errors import InputError
from pytest_jevbench.judges import (
    CALIBRATORS,
    BetaCalibrator,
    Calibrator,
    HistogramCalibrator,
    IsotonicCalibrator,
    PlattCalibrator,
    TemperatureCalibrator,
    calibration_figures,
    evaluate,
    reliability,
)
from pytest_jevbench.judges.arrays import bootstrap
from pytest_jevbench.scoring.intervals import Interval, NoInterval

EVERY = [*CALIBRATORS.values(), PlattCalibrator(targets="plain"), HistogramCalibrator(bins=3, alpha=0.0)]


@pytest.mark.parametrize("calibrator", EVERY, ids=repr)
@pytest.mark.parametrize("seed", range(4))
def test_what_comes_out_is_a_probability_whatever_was_fitted(calibrator: Calibrator, seed: int) -> None:
    random = np.random.default_rng(seed)
    every = np.concatenate([[0.0, 1e-300, 0.5, 1.0], random.random(50)])
    for p, y in (
        (random.random(30), random.integers(0, 2, 30)),
        (np.array([0.0, 1.0, 0.0, 1.0]), np.array([0, 1, 1, 0])),
        (np.array([0.2, 0.4]), np.array([0, 1])),
        (np.array([0.2, 0.4]), np.array([1, 0])),
        (random.random(5), np.ones(5)),
        (random.random(5), np.zeros(5)),
        (np.array([0.5]), np.array([1])),
    ):
        found = calibrator.fit(p, y).apply(every)
        assert np.isfinite(found).all()
        assert ((found >= 0.0) & (found <= 1.0)).all()


@pytest.mark.parametrize("seed", range(4))
def test_temperature_isotonic_and_beta_keep_the_order(seed: int) -> None:
    random = np.random.default_rng(seed)
    p, y = random.random(60), random.integers(0, 2, 60)
    rising = np.linspace(0.0, 1.0, 101)
    for calibrator in (TemperatureCalibrator(), IsotonicCalibrator(), BetaCalibrator()):
        assert (np.diff(calibrator.fit(p, y).apply(rising)) >= -1e-12).all()


def test_platt_turns_a_reversed_judge_round() -> None:
    p, y = [0.9, 0.8, 0.7, 0.3, 0.2, 0.1], [0, 0, 1, 0, 1, 1]
    fitted = PlattCalibrator().fit(p, y)
    assert fitted.parameters["a"] < 0
    assert fitted.notes == ("the slope is negative: the judge says no where yes is right",)
    assert fitted.apply([0.9])[0] < 0.5 < fitted.apply([0.1])[0]
    kept = TemperatureCalibrator().fit(p, y)
    assert kept.at_bound == ("T",)
    assert kept.parameters["T"] == 50.0


def test_bounds_are_kept_and_said() -> None:
    # Told apart without a mistake by scores around 0.5: the best slope is beyond every bound.
    apart = PlattCalibrator(targets="plain").fit([0.49, 0.495, 0.505, 0.51], [0, 0, 1, 1])
    assert apart.parameters["a"] == 50.0
    assert apart.at_bound == ("a",)
    assert any("a stopped at a bound" in note for note in apart.notes)
    sharp = TemperatureCalibrator().fit([0.1, 0.9], [0, 1])
    assert (sharp.parameters["T"], sharp.at_bound) == (pytest.approx(0.02), ("T",))
    steep = PlattCalibrator(targets="plain").fit([0.1, 0.9], [0, 1])
    assert any("told apart without a mistake" in note for note in steep.notes)
    assert PlattCalibrator().fit([0.1, 0.9], [0, 1]).notes == ()
    assert PlattCalibrator().fit([0.1, 0.9], [1, 1]).notes == ("all fit labels are yes",)


def test_a_histogram_by_hand() -> None:
    fitted = HistogramCalibrator(bins=4, alpha=1.0).fit([0.0, 0.1, 0.2, 0.25, 1.0], [0, 0, 1, 1, 1])
    # [0, 0.25): 1 of 3 -> 2/5. [0.25, 0.5): 1 of 1 -> 2/3. [0.5, 0.75): nothing. [0.75, 1]: 1 of 1 -> 2/3.
    assert fitted.parameters["values"] == [pytest.approx(0.4), pytest.approx(2 / 3), None, pytest.approx(2 / 3)]
    assert fitted.parameters["counts"] == [3, 1, 0, 1]
    assert fitted.apply([0.24, 0.25, 0.6, 0.75]) == pytest.approx([0.4, 2 / 3, 0.6, 2 / 3])
    assert fitted.notes == ("1 of 4 bins has no fit data and keeps scores as they are",)


def test_the_reliability_curve_has_wilsons_bands() -> None:
    curve = reliability([0.05, 0.35, 0.35, 0.35, 0.35, 0.35, 0.35], [0, 1, 1, 0, 0, 0, 0], bins=4)
    assert [b.n for b in curve] == [1, 6, 0, 0]
    assert (curve[1].mean, curve[1].rate) == (pytest.approx(0.35), pytest.approx(1 / 3))
    assert curve[1].band is not None
    assert curve[1].band.low == pytest.approx(0.0968, abs=5e-5)
    assert curve[1].band.high == pytest.approx(0.7000, abs=5e-5)
    assert curve[0].band == Interval(0.0, pytest.approx(0.793451, abs=5e-7))
    assert (curve[2].mean, curve[2].rate, curve[2].band) == (None, None, None)


def test_the_largest_gap_leaves_out_empty_bins() -> None:
    # Bin 0: 0.05 against 0, bin 9: 0.9 against 1/2.
    figures = calibration_figures([0.05, 0.9, 0.9], [0, 1, 0])
    assert figures.mce_positive == pytest.approx(0.4)
    assert figures.ece_positive == pytest.approx((0.05 + 2 * 0.4) / 3)


def test_an_interval_of_a_change_takes_before_and_after_from_the_same_items() -> None:
    """A calibrator that moves every score by the same amount changes a Brier score of equal items by one value."""
    fitted = HistogramCalibrator(bins=1, alpha=0.0).fit([0.5] * 4, [1, 1, 1, 0])
    shown = evaluate(fitted, [0.5] * 40, [1, 0] * 20)
    brier = shown.changes["brier"]
    # 0.25 before; 0.0625 or 0.5625 after: a change of -0.1875 or +0.3125, 0.0625 in the mean.
    assert (brier.before, brier.after) == (pytest.approx(0.25), pytest.approx(0.3125))
    assert brier.verdict == "worse"
    assert isinstance(brier.interval, Interval)
    # The share of yes in 40 draws of a fair coin lies in [0.35, 0.65] about 95 % of the time: 0.3125 - 0.5 share.
    assert brier.interval.low == pytest.approx(0.3125 - 0.5 * 0.65, abs=0.02)
    assert brier.interval.high == pytest.approx(0.3125 - 0.5 * 0.35, abs=0.02)
    assert not brier.certain


def test_intervals_of_one_item_and_of_equal_ones() -> None:
    one = bootstrap(1, lambda drawn: drawn.sum(axis=1))
    assert isinstance(one, NoInterval)
    assert one.reason == "there is one item, and the interval is over items"
    equal = bootstrap(5, lambda drawn: drawn @ np.ones(5) / 5)
    assert equal == Interval(1.0, 1.0, degenerate=True)


def test_arrays_that_do_not_fit_are_named() -> None:
    for scores, labels, told in (
        ([0.5, 1.2], [1, 0], r"scores\[1\]: found 1.2"),
        ([0.5, float("nan")], [1, 0], r"scores\[1\]: found nan"),
        ([0.5], [2], r"labels\[0\]: found 2.0"),
        ([0.5], [1, 0], "1 scores and 2 labels"),
        ([], [], "there are no scores"),
        ([True, False], [1, 0], "truth values"),
        (["a"], [1], "not all of it is numbers"),
        ([[0.5]], [1], r"an array of shape \(1, 1\)"),
    ):
        with pytest.raises(InputError, match=told):
            PlattCalibrator().fit(scores, labels)
