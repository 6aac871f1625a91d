"""How well probabilities of yes fit what was true: calibration errors, Brier score, log loss, reliability curves.

With p the probability of yes, y = 1 where yes is right, and bins of equal width, half open, the last one closed:

=================  =============================================================================
ece_positive       sum over bins of n_b/n |mean p - share of yes|
ece_top_label      the same of max(p, 1 - p) against the share right; at p = 0.5 half right
mce_positive       largest |mean p - share of yes| over the bins that are not empty
mce_top_label      the same of the top label
brier              mean of (p - y)²
log_loss           mean of -ln(p if y else 1 - p), p clipped to [1e-6, 1 - 1e-6]
accuracy           share right where p above 0.5 says yes; p = 0.5 counts half
=================  =============================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from pytest_jevbench.distributions import TIE
from pytest_jevbench.judges.arrays import CLIP, DRAWS, Floats, bootstraps, scores_and_labels
from pytest_jevbench.metrics import BINS, Bin, calibration_bins, ece
from pytest_jevbench.scoring.intervals import Interval, NoInterval, wilson

if TYPE_CHECKING:
    from pytest_jevbench.judges.arrays import Labels, Numbers

__all__ = ["FIGURES", "CalibrationFigures", "ReliabilityBin", "calibration_figures", "change_intervals", "reliability"]

FIGURES = ("ece_positive", "ece_top_label", "mce_positive", "mce_top_label", "brier", "log_loss")
"""The figures of which less is better."""


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """One bin of a reliability curve: mean P(yes) against the share of yes with its Wilson 95 % band; None if empty."""

    low: float
    high: float
    n: int
    mean: float | None
    rate: float | None
    band: Interval | None


@dataclass(frozen=True, slots=True)
class CalibrationFigures:
    """The figures of some probabilities over ``n`` items, ``yes`` of them with yes as the right answer."""

    n: int
    yes: int
    accuracy: float
    accuracy_interval: Interval | None
    ece_positive: float
    ece_top_label: float
    mce_positive: float
    mce_top_label: float
    brier: float
    log_loss: float
    bins: int


def calibration_figures(scores: Numbers, labels: Labels, bins: int = BINS) -> CalibrationFigures:
    """All figures of probabilities of yes (n,) against right answers (n,). Raises :class:`InputError`.

    >>> figures = calibration_figures([0.9, 0.9, 0.9, 0.9], [1, 0, 0, 0])
    >>> round(figures.ece_positive, 12), round(figures.ece_top_label, 12)
    (0.65, 0.65)
    """
    p, y = scores_and_labels(scores, labels)
    top, right = _top_label(p, y)
    positive, of_top = (
        calibration_bins(p.tolist(), y.tolist(), bins),
        calibration_bins(top.tolist(), right.tolist(), bins),
    )
    accuracy = float(right.mean())
    return CalibrationFigures(
        n=len(p),
        yes=int(y.sum()),
        accuracy=accuracy,
        accuracy_interval=wilson(float(right.sum()), len(p)),
        ece_positive=_known(ece(positive)),
        ece_top_label=_known(ece(of_top)),
        mce_positive=_largest(positive),
        mce_top_label=_largest(of_top),
        brier=float(((p - y) ** 2).mean()),
        log_loss=float(_log_losses(p, y).mean()),
        bins=bins,
    )


def reliability(scores: Numbers, labels: Labels, bins: int = BINS) -> tuple[ReliabilityBin, ...]:
    """The bins of the reliability curve of P(yes), with Wilson's 95 % band for each share of yes."""
    p, y = scores_and_labels(scores, labels)
    found = []
    for b in calibration_bins(p.tolist(), y.tolist(), bins):
        band = wilson(round(b.rate * b.n), b.n) if b.rate is not None else None
        found.append(ReliabilityBin(b.low, b.high, b.n, b.mean, b.rate, band))
    return tuple(found)


def change_intervals(
    before: Numbers, after: Numbers, labels: Labels, bins: int = BINS, *, draws: int = DRAWS
) -> dict[str, Interval | NoInterval]:
    """95 % intervals of each figure's change, after - before, on the same items: both are drawn together.

    The calibrator is held fixed: the interval is of drawing other items to show it on, not of fitting it anew.
    """
    p, y = scores_and_labels(before, labels)
    q, _ = scores_and_labels(after, labels)
    of_before, of_after = _statistics(p, y, bins), _statistics(q, y, bins)

    def changes(drawn: Floats) -> dict[str, Floats]:
        first, second = of_before(drawn), of_after(drawn)
        return {name: second[name] - first[name] for name in FIGURES}

    return bootstraps(len(p), changes, FIGURES, draws=draws)


def _statistics(p: Floats, y: Floats, bins: int) -> Callable[[Floats], Mapping[str, Floats]]:
    """All figures as a function of multiplicities (draws, n)."""
    top, right = _top_label(p, y)
    squares, logs = (p - y) ** 2, _log_losses(p, y)
    sides = {"positive": _gaps(p, y, bins), "top_label": _gaps(top, right, bins)}
    n = len(p)

    def figures(drawn: Floats) -> dict[str, Floats]:
        found = {"brier": drawn @ squares / n, "log_loss": drawn @ logs / n}
        for side, (gaps, member) in sides.items():
            size, counts = np.abs(drawn @ gaps), drawn @ member
            found[f"ece_{side}"] = size.sum(axis=1) / n
            found[f"mce_{side}"] = np.where(counts > 0, size / np.maximum(counts, 1), 0.0).max(axis=1)
        return found

    return figures


def _gaps(p: Floats, hit: Floats, bins: int) -> tuple[Floats, Floats]:
    """p - hit in the column of each item's bin, and its membership: (n, bins) both."""
    edges = np.array([k / bins for k in range(bins + 1)])
    places = np.minimum(np.searchsorted(edges, p, side="right") - 1, bins - 1)
    member = (places[:, np.newaxis] == np.arange(bins)).astype(np.float64)
    return member * (p - hit)[:, np.newaxis], member


def _top_label(p: Floats, y: Floats) -> tuple[Floats, Floats]:
    right = np.where(np.abs(p - 0.5) <= TIE, 0.5, (p > 0.5) == (y == 1.0)).astype(np.float64)
    return np.maximum(p, 1.0 - p), right


def _log_losses(p: Floats, y: Floats) -> Floats:
    clipped = np.clip(p, CLIP, 1.0 - CLIP)
    return np.asarray(-np.where(y == 1.0, np.log(clipped), np.log1p(-clipped)))


def _known(value: float | None) -> float:
    assert value is not None, "there is at least one item"
    return value


def _largest(bins: Sequence[Bin]) -> float:
    return max(abs(b.mean - b.rate) for b in bins if b.mean is not None and b.rate is not None)
