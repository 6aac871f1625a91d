"""A calibrator shown on held-out items: every figure before and after, what changed, and whether it got worse."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from pytest_jevbench.judges.arrays import DRAWS, scores_and_labels
from pytest_jevbench.judges.figures import (
    FIGURES,
    CalibrationFigures,
    ReliabilityBin,
    calibration_figures,
    change_intervals,
    reliability,
)
from pytest_jevbench.metrics import BINS
from pytest_jevbench.scoring.intervals import Interval, NoInterval

if TYPE_CHECKING:
    from pytest_jevbench.judges.arrays import Labels, Numbers
    from pytest_jevbench.judges.calibrators import FittedCalibrator

__all__ = ["Calibration", "Change", "Verdict", "evaluate"]

Verdict: TypeAlias = Literal["better", "worse", "same"]
SAME = 1e-12


@dataclass(frozen=True, slots=True)
class Change:
    """How a figure changed: ``change`` is after - before, so that below 0 is better.

    ``verdict`` is the sign of the change; ``certain`` is whether the whole interval lies on that side of 0.
    """

    before: float
    after: float
    change: float
    interval: Interval | NoInterval
    verdict: Verdict
    certain: bool


@dataclass(frozen=True)
class Calibration:
    """A fitted calibrator on items it has not seen."""

    fitted: FittedCalibrator
    before: CalibrationFigures
    after: CalibrationFigures
    changes: Mapping[str, Change]
    curve_before: tuple[ReliabilityBin, ...]
    curve_after: tuple[ReliabilityBin, ...]

    @property
    def improvement(self) -> dict[str, float]:
        """Before minus after for each figure: below 0 is worse."""
        return {name: -change.change for name, change in self.changes.items()}


def evaluate(
    fitted: FittedCalibrator, scores: Numbers, labels: Labels, bins: int = BINS, *, draws: int = DRAWS
) -> Calibration:
    """A calibrator on scores (n,) and labels (n,) that it was not fitted on. Raises :class:`InputError`."""
    p, y = scores_and_labels(scores, labels)
    q = fitted.apply(p)
    before, after = calibration_figures(p, y, bins), calibration_figures(q, y, bins)
    intervals = change_intervals(p, q, y, bins, draws=draws)
    changes = {name: _change(getattr(before, name), getattr(after, name), intervals[name]) for name in FIGURES}
    return Calibration(fitted, before, after, changes, reliability(p, y, bins), reliability(q, y, bins))


def _change(before: float, after: float, interval: Interval | NoInterval) -> Change:
    change = after - before
    verdict: Verdict = "same" if abs(change) <= SAME else "better" if change < 0.0 else "worse"
    certain = isinstance(interval, Interval) and (interval.high < 0.0 or interval.low > 0.0)
    return Change(before, after, change, interval, verdict, certain)
