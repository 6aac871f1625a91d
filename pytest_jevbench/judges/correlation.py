"""Spearman's rank correlation with average ranks, and its bootstrap interval."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pytest_jevbench.judges.arrays import DRAWS, Floats, bootstrap
from pytest_jevbench.metrics import spearman
from pytest_jevbench.scoring.intervals import Interval, NoInterval

__all__ = ["Correlation", "rank_correlation"]

FEWEST = 3


@dataclass(frozen=True, slots=True)
class Correlation:
    """A rank correlation in [-1, 1] over ``n`` pairs with its 95 % interval; None, and why, where it is undefined."""

    value: float | None
    interval: Interval | NoInterval
    n: int
    reason: str = ""


def rank_correlation(x: Floats, y: Floats, x_name: str = "x", y_name: str = "y", *, draws: int = DRAWS) -> Correlation:
    """Spearman's correlation of x (n,) and y (n,), ties at their mean rank, with a bootstrap interval over the items.

    Undefined for fewer than three items, or where one of the vectors is constant.
    """
    reason = ""
    if len(x) < FEWEST:
        reason = f"{len(x)} pairs, and a correlation takes {FEWEST}"
    elif np.ptp(x) == 0.0:
        reason = f"the {x_name} are all equal"
    elif np.ptp(y) == 0.0:
        reason = f"the {y_name} are all equal"
    if reason:
        return Correlation(None, NoInterval(reason), len(x), reason)
    interval = bootstrap(len(x), lambda drawn: _weighted(drawn, x, y), draws=draws, of="pair")
    return Correlation(spearman(x.tolist(), y.tolist()), interval, len(x))


def _weighted(drawn: Floats, x: Floats, y: Floats) -> Floats:
    """The correlation in each draw, from multiplicities (draws, n)."""
    rx, ry = _ranks(drawn, x), _ranks(drawn, y)
    n = drawn.sum(axis=1, keepdims=True)
    dx, dy = rx - (drawn * rx).sum(axis=1, keepdims=True) / n, ry - (drawn * ry).sum(axis=1, keepdims=True) / n
    spread = np.sqrt((drawn * dx * dx).sum(axis=1) * (drawn * dy * dy).sum(axis=1))
    return np.where(spread > 1e-9, (drawn * dx * dy).sum(axis=1) / np.where(spread > 1e-9, spread, 1.0), np.nan)


def _ranks(drawn: Floats, values: Floats) -> Floats:
    """Average ranks of the items in each draw: (draws, n)."""
    distinct, places = np.unique(values, return_inverse=True)
    counts = np.zeros((len(drawn), len(distinct)))
    np.add.at(counts.T, places, drawn.T)
    upto = np.cumsum(counts, axis=1)
    ranks = upto - counts + (counts + 1.0) / 2.0
    return np.asarray(ranks[:, places], dtype=np.float64)
