"""Bias-corrected and accelerated (BCa) bootstrap bounds of a score or of a difference, over whole cases.

Cases are drawn with replacement, each with all its tests of both runs, and the scores are computed anew: a relation
absent from a draw leaves its dimension's mean, and a draw in which a whole dimension is absent is set aside.

Reference: B. Efron, Better bootstrap confidence intervals, J. Amer. Statist. Assoc. 82 (1987).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pytest_jevbench.scoring.intervals import FLAT, Interval, NoInterval, case_multiplicities
from pytest_jevbench.scoring.pairs import PairedRuns
from pytest_jevbench.scoring.weights import Scored

__all__ = ["DRAWS", "CaseBootstrap", "bca_bounds", "combine"]

DRAWS = 10_000
SEED = 71
DIGITS = 12
Floats = npt.NDArray[np.float64]


def bca_bounds(draws: Floats, value: float, jackknife: Floats, levels: tuple[float, ...]) -> tuple[float, ...]:
    """The BCa quantiles of a bootstrap distribution.

    ``draws`` (n_draws,) are the statistic's values in the draws, ``value`` its value on the data, ``jackknife`` (n,)
    its values with one case left out each. ``levels`` are lower tail probabilities: 0.05 gives the one-sided lower 95 %
    bound. Where all draws are equal, that value.

        z0 = Phi^-1(share of draws below the value, ties half)
        a  = sum(u^3) / (6 sum(u^2)^1.5),  u = mean(jackknife) - jackknife
        level -> Phi(z0 + (z0 + z) / (1 - a (z0 + z))),  z = Phi^-1(level)
    """
    from scipy.special import ndtr, ndtri

    if draws.min() == draws.max():
        return tuple(float(draws[0]) + 0.0 for _ in levels)  # + 0.0: no -0.0
    below = float((np.sum(draws < value) + np.sum(draws <= value)) / (2 * len(draws)))
    # A value outside all draws would send z0 to infinity: it counts as half a draw from the end.
    below = min(max(below, 0.5 / len(draws)), 1 - 0.5 / len(draws))
    bias = float(ndtri(below))
    away = jackknife.mean() - jackknife
    spread = float((away**2).sum()) ** 1.5
    acceleration = float((away**3).sum()) / (6 * spread) if spread > 0 else 0.0
    bounds = []
    for level in levels:
        shift = bias + float(ndtri(level))
        bend = 1 - acceleration * shift
        quantile = float(ndtr(bias + shift / bend)) if bend > 0 else (1.0 if shift > 0 else 0.0)
        bounds.append(float(np.quantile(draws, quantile)) + 0.0)  # + 0.0: no -0.0
    return tuple(bounds)


@dataclass(frozen=True)
class CaseBootstrap:
    """Bootstrap draws of the cases of a pair of runs, shared by all scores taken from it.

    ``rates`` (draws, relations) is the difference of violation rates, now - baseline, in each draw, NaN where the
    relation is absent; ``left_out`` (cases, relations) the same with one case left out, ``whole`` (1, relations) with
    all.
    """

    rates: Floats
    left_out: Floats
    whole: Floats

    @classmethod
    def of(cls, pairs: PairedRuns, *, draws: int = DRAWS, seed: int = SEED) -> CaseBootstrap:
        """Draw the cases once. The work is draws x cases x relations multiplications."""
        filled = pairs.layout.tests.sum(axis=1) > 0
        tests = pairs.layout.tests[filled].astype(np.float64)
        change = np.asarray(pairs.now - pairs.baseline, dtype=np.float64)[filled]
        parts = (
            [_rates(w @ change, w @ tests) for w in case_multiplicities(len(tests), draws, seed)] if len(tests) else []
        )
        return cls(
            np.concatenate(parts) if parts else np.empty((0, tests.shape[1])),
            _rates(change.sum(axis=0) - change, tests.sum(axis=0) - tests),
            _rates(change.sum(axis=0), tests.sum(axis=0))[np.newaxis],
        )

    def bounds(self, score: Scored, levels: tuple[float, ...]) -> tuple[float, ...] | NoInterval:
        """BCa bounds of the score's change (now - baseline), one for each lower tail probability."""
        cases = len(self.left_out)
        if cases < 2:
            reason = "there is one case, and the interval is over cases" if cases else "there is no case"
            return NoInterval(reason)
        changes = _exact(-combine(self.rates, score))
        usable = changes[~np.isnan(changes)]
        if 2 * len(usable) < len(changes):
            return NoInterval("most draws of the cases leave out a whole part of the score")
        jackknife = -combine(self.left_out, score)
        value = float(_exact(-combine(self.whole, score))[0])
        return bca_bounds(usable, value, jackknife[~np.isnan(jackknife)], levels)

    def interval(self, score: Scored) -> Interval | NoInterval:
        """The two-sided 95 % interval of the score's change."""
        bounds = self.bounds(score, (0.025, 0.975))
        if isinstance(bounds, NoInterval):
            return bounds
        low, high = bounds
        return Interval(low, high, degenerate=high - low <= FLAT)


def _exact(values: Floats) -> Floats:
    """Sums of fractions without the noise of floats: draws equal to the value are counted as equal."""
    return np.asarray(np.round(values, DIGITS), dtype=np.float64)


def _rates(violated: Floats, tests: Floats) -> Floats:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(tests > 0, violated / tests, np.nan)


def combine(rates: Floats, score: Scored) -> Floats:
    """Mean over the relations present, then over dimensions; NaN where a dimension has none."""
    means = []
    for columns in score.dimensions:
        part = rates[:, columns]
        present = ~np.isnan(part)
        counts = present.sum(axis=1)
        with np.errstate(invalid="ignore"):
            means.append(np.where(present, part, 0.0).sum(axis=1) / np.where(counts > 0, counts, np.nan))
    return np.asarray(np.mean(means, axis=0), dtype=np.float64)
