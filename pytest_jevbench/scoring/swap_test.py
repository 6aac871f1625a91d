"""Is the drop larger than chance explains? Two exact tests and a correction for asking several questions.

The permutation test takes this as its null: within each case the two runs are exchangeable, so that which run is
called the baseline is a coin toss a case. Under it the drop has the distribution of sum(s_i d_i), where d_i is what
case i takes from the score and the signs s_i are independent fair coins. No normality, no independence of tests.

References: R. A. Fisher, The Design of Experiments (1935), section 21; B. Phipson and G. K. Smyth, Permutation
p-values should never be zero, Stat. Appl. Genet. Mol. Biol. 9 (2010); S. Holm, A simple sequentially rejective
multiple test procedure, Scand. J. Statist. 6 (1979).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from pytest_jevbench.scoring.pairs import Counts

__all__ = ["SwapTest", "cases_to_reach", "exact_swap_test", "holm", "mcnemar", "sampled_swap_test", "swap_test"]

LARGEST_CONVOLUTION = 4_000_000_000
"""Additions beyond which a sample is drawn instead: some four seconds, about what the sample takes."""

DRAWS = 99_999
SEED = 20_240_229


@dataclass(frozen=True, slots=True)
class SwapTest:
    """One-sided p-value of a drop. ``changed`` counts the cases whose part of the score differs between the runs."""

    p: float
    changed: int
    method: Literal["exact", "sampled"]


def exact_swap_test(units: Counts) -> SwapTest:
    """The p-value by convolution, for whole contributions of the cases (positive: the case got worse).

    sum(s_i d_i) >= sum(d_i) means that the magnitudes whose sign is + sum to at least the positive ones'. That sum's
    distribution is built case by case, up to the smaller tail alone.

    >>> exact_swap_test(np.array([3, 1, 0, -1])).p  # of 8 sign patterns 3 sum to 3 or more
    0.375
    """
    magnitudes = np.sort(np.abs(units[units != 0]))
    if len(magnitudes) == 0:
        return SwapTest(1.0, 0, "exact")
    magnitudes //= np.gcd.reduce(magnitudes)
    scale = int(np.abs(units).sum()) // int(magnitudes.sum())
    worse = int(units[units > 0].sum()) // scale
    better = int(magnitudes.sum()) - worse
    got_worse = better < worse
    p = _sum_at_most(magnitudes, better) if got_worse else 1.0 - _sum_at_most(magnitudes, worse - 1)
    return SwapTest(min(1.0, max(p, sys.float_info.min)), len(magnitudes), "exact")


def _sum_at_most(magnitudes: Counts, limit: int) -> float:
    """P(sum(b_i m_i) <= limit) for independent fair coins b_i in {0, 1}."""
    if limit < 0:
        return 0.0
    chances = np.zeros(limit + 1)
    chances[0] = 1.0
    reached = 0
    for magnitude in magnitudes.tolist():
        reached = min(limit, reached + magnitude)
        shifted = chances[: max(0, reached + 1 - magnitude)].copy()
        chances[: reached + 1] *= 0.5
        chances[magnitude : reached + 1] += 0.5 * shifted
    return float(chances.sum())


def sampled_swap_test(drops: npt.NDArray[np.float64], draws: int = DRAWS, seed: int = SEED) -> SwapTest:
    """The p-value from a fixed-seed sample of sign swaps, the observed signs counted as one of them.

    (1 + hits) / (1 + draws) is itself a valid p-value, whatever the number of draws.
    """
    magnitudes = np.abs(drops[drops != 0])
    if len(magnitudes) == 0:
        return SwapTest(1.0, 0, "sampled")
    observed = float(drops.sum())
    slack = 1e-12 * float(magnitudes.sum())
    random = np.random.default_rng(seed)
    rows = max(1, 4_000_000 // len(magnitudes))
    hits = 0
    for start in range(0, draws, rows):
        count = min(rows, draws - start)
        signs = random.integers(0, 2, size=(count, len(magnitudes)), dtype=np.int8) * 2.0 - 1.0
        hits += int((signs @ magnitudes >= observed - slack).sum())
    return SwapTest((1 + hits) / (1 + draws), len(magnitudes), "sampled")


def swap_test(units: Counts | None, drops: npt.NDArray[np.float64]) -> SwapTest:
    """Exact where the contributions are whole (``units``) and the convolution is small enough, else sampled."""
    if units is not None:
        nonzero = np.abs(units[units != 0])
        total = int(nonzero.sum()) // int(np.gcd.reduce(nonzero)) if len(nonzero) else 0
        if total // 2 * len(nonzero) <= LARGEST_CONVOLUTION:
            return exact_swap_test(units)
    return sampled_swap_test(drops)


def cases_to_reach(level: float) -> int:
    """The fewest changed cases with which a p-value can be at most ``level``: 5 at 0.05, for 2^-5 = 0.031."""
    needed = math.ceil(-math.log2(level))
    return needed if 2.0**-needed <= level else needed + 1


def mcnemar(fixed: int, new: int) -> float:
    """Exact one-sided McNemar: P(X >= new), X ~ Binomial(fixed + new, 1/2).

    Valid for one relation with at most one test a case, where the changed tests are independent; over the tests of
    several relations it is not.
    """
    from scipy.special import bdtrc  # not scipy.stats, which takes a second to import

    return min(1.0, float(bdtrc(new - 1, fixed + new, 0.5))) if new else 1.0


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """Holm's adjusted p-values: each at most the level together keeps the family at the level.

    >>> [round(p, 4) for p in holm([0.01, 0.04, 0.03])]
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [1.0] * len(p_values)
    largest = 0.0
    for rank, i in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[i]))
        adjusted[i] = largest
    return tuple(adjusted)
