"""Isotonic regression: pool adjacent violators."""

from __future__ import annotations

import numpy as np

from pytest_jevbench.judges.arrays import Floats

__all__ = ["isotonic_steps"]


def isotonic_steps(x: Floats, y: Floats) -> tuple[Floats, Floats]:
    """The non-decreasing function of least squares through (x, y): distinct x in order (k,), and its values there (k,).

    Equal x are taken together at their mean. Only the first and last x of each level are kept: between them it is flat.

    Reference: R. E. Barlow et al., Statistical inference under order restrictions, Wiley 1972.
    """
    distinct, places = np.unique(x, return_inverse=True)
    weights = np.bincount(places).astype(np.float64)
    means = np.bincount(places, weights=y) / weights
    sums: list[float] = []
    counts: list[float] = []
    lengths: list[int] = []
    for mean, weight in zip(means.tolist(), weights.tolist(), strict=True):
        sums.append(mean * weight)
        counts.append(weight)
        lengths.append(1)
        while len(sums) > 1 and sums[-2] * counts[-1] >= sums[-1] * counts[-2]:
            last = sums.pop(), counts.pop(), lengths.pop()
            sums[-1] += last[0]
            counts[-1] += last[1]
            lengths[-1] += last[2]
    values = np.repeat(np.array(sums) / np.array(counts), lengths)
    ends = np.cumsum(lengths)
    kept = np.unique(np.concatenate([ends - np.array(lengths), ends - 1]))
    return distinct[kept], np.clip(values[kept], 0.0, 1.0)
