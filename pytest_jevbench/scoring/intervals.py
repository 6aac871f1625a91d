"""Intervals: Wilson's for a rate over tests, the percentile bootstrap over cases for a score.

Tests of one case share their source answers, so a score's uncertainty is that of drawing other cases, never that
of drawing other tests. An interval that is not defined is None, and its reason says why.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Floats: TypeAlias = npt.NDArray[np.float64]

__all__ = [
    "Z_95",
    "CaseCounts",
    "Interval",
    "NoInterval",
    "bootstrap_means",
    "case_multiplicities",
    "percentile_interval",
    "wilson",
]

Z_95 = 1.959963984540054
"""The standard normal quantile at 0.975, correctly rounded."""

SEED = 20_250_101
"""The fixed seed of all bootstrap draws: equal outcomes have equal intervals."""

FLAT = 1e-12
"""An interval narrower than this is a point."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A two-sided 95 % interval; ``degenerate`` where it is a point because nothing varied."""

    low: float
    high: float
    degenerate: bool = False


@dataclass(frozen=True, slots=True)
class NoInterval:
    """Why there is no interval."""

    reason: str


def wilson(successes: float, n: int, z: float = Z_95) -> Interval | None:
    """Wilson's score interval of a rate, exactly inside [0, 1]; None where ``n`` is 0.

        centre = (p + z²/2n) / (1 + z²/n),  half = z √(p(1 − p)/n + z²/4n²) / (1 + z²/n),  p = successes / n

    Reference: E. B. Wilson, Probable inference, the law of succession, and statistical inference, JASA 22 (1927).

    >>> wilson(0, 77).low, round(wilson(0, 77).high, 6)
    (0.0, 0.047518)
    """
    if n == 0:
        return None
    p = successes / n
    shrink = 1.0 + z * z / n
    centre = (p + z * z / (2 * n)) / shrink
    half = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / shrink
    low = 0.0 if successes == 0 else max(0.0, centre - half)
    high = 1.0 if successes == n else min(1.0, centre + half)
    return Interval(low, high)


@dataclass(frozen=True)
class CaseCounts:
    """Judged tests by case (row) and relation (column): (cases, relations) arrays.

    ``tests`` and ``violated`` are counts, ``graded`` the sum of the tests' graded scores.
    """

    tests: Floats
    violated: Floats
    graded: Floats

    @classmethod
    def collect(cls, rows: Sequence[tuple[int, int, bool, float]], relations: int) -> CaseCounts:
        """Count rows of (case, column, violated, graded). Only cases that have a test become rows of the arrays."""
        import numpy as np

        places: dict[int, int] = {}
        cells = np.array(
            [places.setdefault(case, len(places)) * relations + column for case, column, _, _ in rows], dtype=np.int64
        )
        size = len(places) * relations

        def summed(weights: Sequence[float] | None) -> Floats:
            values = None if weights is None else np.array(weights, dtype=np.float64)
            return np.bincount(cells, weights=values, minlength=size).astype(np.float64).reshape(len(places), relations)

        return cls(summed(None), summed([row[2] for row in rows]), summed([row[3] for row in rows]))


def case_multiplicities(cases: int, draws: int, seed: int = SEED) -> Iterator[Floats]:
    """How often each case stands in each draw with replacement: arrays (some draws, cases), ``draws`` rows in all."""
    import numpy as np

    random = np.random.Generator(np.random.PCG64(seed))
    rows = max(1, 1_000_000 // cases)
    for start in range(0, draws, rows):
        count = min(rows, draws - start)
        drawn = random.integers(0, cases, size=(count, cases))
        drawn += np.arange(count)[:, np.newaxis] * cases
        yield np.bincount(drawn.ravel(), minlength=count * cases).reshape(count, cases).astype(np.float64)


def bootstrap_means(
    counts: CaseCounts, means: Mapping[str, Sequence[Sequence[int]]], draws: int, seed: int = SEED
) -> dict[str, tuple[Interval | NoInterval, Interval | NoInterval]]:
    """95 % percentile intervals, over cases, of means of relation scores: binary and graded.

    ``means`` gives each score's columns in parts: a group or dimension is one part (the mean of its relations), the
    overall has one part a dimension (the mean of their means). A relation absent from a draw leaves its part's mean;
    a draw in which a whole part is absent says nothing about that score and is set aside.
    """
    import numpy as np

    cases = len(counts.tests)
    if draws == 0 or cases < 2:
        reason = "no bootstrap draws were asked for" if draws == 0 else _too_few(cases)
        return {name: (NoInterval(reason), NoInterval(reason)) for name in means}
    binary: list[Floats] = []
    graded: list[Floats] = []
    for drawn in case_multiplicities(cases, draws, seed):
        tests = drawn @ counts.tests
        with np.errstate(invalid="ignore", divide="ignore"):
            binary.append(np.where(tests > 0, 1.0 - (drawn @ counts.violated) / tests, np.nan))
            graded.append(np.where(tests > 0, (drawn @ counts.graded) / tests, np.nan))
    by_relation = (np.concatenate(binary), np.concatenate(graded))
    return {
        name: (_percentile_interval(by_relation[0], parts), _percentile_interval(by_relation[1], parts))
        for name, parts in means.items()
    }


def _too_few(cases: int) -> str:
    return "there is one case, and the interval is over cases" if cases == 1 else "there is no case"


def _percentile_interval(scores: Floats, parts: Sequence[Sequence[int]]) -> Interval | NoInterval:
    import numpy as np

    of_parts = []
    for columns in parts:
        part = scores[:, list(columns)]
        present = ~np.isnan(part)
        counted = present.sum(axis=1)
        sums = np.where(present, part, 0.0).sum(axis=1)
        of_parts.append(np.where(counted > 0, sums / np.maximum(counted, 1), np.nan))
    values = np.mean(of_parts, axis=0)
    usable = values[~np.isnan(values)]
    if 2 * len(usable) < len(values):
        return NoInterval("most draws of the cases leave out a whole part of the score")
    return percentile_interval(usable)


def percentile_interval(draws: Floats) -> Interval:
    """The central 95 % of draws (n,), n > 0, none of them NaN: their 2.5 and 97.5 % quantiles, interpolated linearly.

    As ``numpy.quantile`` gives them, which imports masked arrays for it.
    """
    import numpy as np

    at = np.array([0.025, 0.975]) * (len(draws) - 1)
    low, high = (float(q) + 0.0 for q in np.interp(at, np.arange(len(draws)), np.sort(draws)))  # + 0.0: no -0.0
    return Interval(low, high, degenerate=high - low <= FLAT)
