"""Is the score at most a margin worse? A lower bound of the change, and when there are too few tests to say.

The bound is the one-sided BCa bootstrap bound over cases, and never above

    -(1 - level^(1/n))

the bound that n cases give when none of them changed: a true share of changed cases above it would have shown itself
with probability 1 - level. A run in which something changed cannot be surer than one in which nothing did, so a
margin below this is out of reach of n cases whatever the answers: "too few tests".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from pytest_jevbench.scoring.bootstrap import CaseBootstrap
from pytest_jevbench.scoring.intervals import NoInterval
from pytest_jevbench.scoring.pairs import PairedRuns
from pytest_jevbench.scoring.weights import Scored, mean_drops

__all__ = ["LowerBound", "Standing", "lower_bound", "no_change_bound", "stands"]

Standing = Literal["shown", "not_shown", "too_few"]


@dataclass(frozen=True, slots=True)
class LowerBound:
    """A one-sided lower bound of a score's change; ``nearest`` is the closest to 0 that the cases could give."""

    value: float
    nearest: float
    cases: int
    changed: int


def no_change_bound(cases: int, level: float = 0.05) -> float:
    """The lower bound of the change when none of ``cases`` cases changed.

    >>> round(no_change_bound(240), 4)
    -0.0124
    """
    return float(level ** (1.0 / cases)) - 1.0


def lower_bound(pairs: PairedRuns, draws: CaseBootstrap, score: Scored, level: float = 0.05) -> LowerBound | NoInterval:
    """The one-sided lower bound of the score's change at confidence 1 - level, or why there is none."""
    cases = pairs.layout.cases_with(score.columns)
    changed = int(np.count_nonzero(mean_drops(pairs, score)))
    if cases == 0:
        return NoInterval("there is no case")
    nearest = no_change_bound(cases, level)
    if changed == 0:
        return LowerBound(nearest, nearest, cases, 0)
    bounds = draws.bounds(score, (level,))
    if isinstance(bounds, NoInterval):
        return bounds
    return LowerBound(min(nearest, bounds[0]), nearest, cases, changed)


def stands(bound: LowerBound, margin: float) -> Standing:
    """Whether the bound lies above -margin, or could not lie there with so few cases."""
    if bound.nearest <= -margin:
        return "too_few"
    return "shown" if bound.value > -margin else "not_shown"
