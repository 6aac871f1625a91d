"""Agreement between judges beyond chance. It is no accuracy: judges can agree on what is wrong.

============  =====================================================================================
cohen         two raters: (observed - expected) / (1 - expected), expected from each one's own shares
fleiss        any number of raters: the same from pairs of ratings an item, expected from pooled shares
krippendorff  1 - observed / expected disagreement, over the pairable ratings; ratings may be missing
============  =====================================================================================

Where chance alone would agree on everything, a kappa is undefined: None with a reason. Intervals are 95 % percentile
bootstrap intervals over the items.

References: J. Cohen 1960; J. L. Fleiss 1971; K. Krippendorff, Content analysis, 2004, chapter 11.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.judges.arrays import DRAWS, Floats, bootstrap
from pytest_jevbench.scoring.intervals import Interval, NoInterval

__all__ = [
    "LEVELS",
    "Coefficient",
    "Level",
    "cohen_kappa",
    "cohen_matrix",
    "fleiss_from_counts",
    "fleiss_kappa",
    "krippendorff_alpha",
]

Level: TypeAlias = Literal["nominal", "ordinal", "interval"]
LEVELS: tuple[Level, ...] = ("nominal", "ordinal", "interval")
Rating: TypeAlias = Hashable
FLAT = 1e-12


@dataclass(frozen=True, slots=True)
class Coefficient:
    """An agreement over ``n`` items with its interval; ``value`` None, and why, where it is undefined.

    ``observed`` is the share of agreeing pairs of ratings, where that is what the coefficient is made of.
    """

    value: float | None
    interval: Interval | NoInterval
    n: int
    observed: float | None = None
    reason: str = ""


def cohen_kappa(a: Sequence[Rating], b: Sequence[Rating], *, draws: int = DRAWS) -> Coefficient:
    """Cohen's kappa of two raters over the same items (n,), of any categories. Raises :class:`InputError`.

    >>> round(cohen_kappa([1, 1, 1, 0, 0], [1, 1, 0, 0, 1]).value, 6)
    0.166667
    """
    if len(a) != len(b):
        raise InputError(f"{len(a)} ratings and {len(b)}", advice="Let both rate the same items")
    _none_missing([a, b])
    codes, size = _codes([a, b])
    cells = np.zeros((len(a), size * size))
    cells[np.arange(len(a)), codes[0] * size + codes[1]] = 1.0

    def statistic(drawn: Floats) -> Floats:
        table = (drawn @ cells).reshape(-1, size, size) / drawn.sum(axis=1)[:, None, None]
        observed = np.trace(table, axis1=1, axis2=2)
        return _beyond_chance(observed, (table.sum(axis=2) * table.sum(axis=1)).sum(axis=1))

    observed = float(np.mean(codes[0] == codes[1])) if len(a) else None
    return _coefficient(statistic, len(a), observed, "both raters give one and the same rating to every item", draws)


def cohen_matrix(raters: Mapping[str, Sequence[Rating]], *, draws: int = DRAWS) -> dict[tuple[str, str], Coefficient]:
    """Cohen's kappa of every two raters, in their order."""
    names = list(raters)
    return {
        (one, other): cohen_kappa(raters[one], raters[other], draws=draws)
        for i, one in enumerate(names)
        for other in names[i + 1 :]
    }


def fleiss_kappa(ratings: Sequence[Sequence[Rating]], *, draws: int = DRAWS) -> Coefficient:
    """Fleiss' kappa of raters (rows) over the same items (columns), of any categories. Raises :class:`InputError`."""
    if len({len(row) for row in ratings}) > 1:
        raise InputError(f"rows of {', '.join(str(len(row)) for row in ratings)} ratings", advice="Rate the same items")
    _none_missing(ratings)
    codes, size = _codes(ratings)
    counts = np.zeros((codes.shape[1], size))
    for row in codes:
        counts[np.arange(codes.shape[1]), row] += 1.0
    return fleiss_from_counts(counts, draws=draws)


def fleiss_from_counts(counts: Sequence[Sequence[int]] | Floats, *, draws: int = DRAWS) -> Coefficient:
    """Fleiss' kappa from how often each item (row) was put into each category (column).

    Every item has the same number of ratings, else :class:`InputError` names the first that differs.

    >>> round(fleiss_from_counts([[1, 1, 1], [1, 1, 1]]).value, 6)
    -0.5
    """
    widths = {len(row) for row in counts}
    if len(widths) > 1:
        raise InputError("items with different numbers of categories", advice="Give every item a count of each")
    table = np.asarray(counts, dtype=np.float64).reshape(len(counts), -1)
    bad = np.argwhere((table < 0) | (table != np.floor(table)))
    if len(bad):
        i, j = (int(k) for k in bad[0])
        raise InputError.unexpected(float(table[i, j]), "a count", Place(field=f"counts[{i}][{j}]"))
    raters = table.sum(axis=1)
    different = np.flatnonzero(raters != raters[:1])
    if len(different):
        i = int(different[0])
        raise InputError(
            f"item {i} has {raters[i]:g} ratings and item 0 has {raters[0]:g}",
            place=Place(field=f"counts[{i}]"),
            advice="Fleiss' kappa takes equally many an item; krippendorff_alpha() takes missing ones",
        )
    m = float(raters[0]) if len(raters) else 0.0
    if m < 2:
        reason = "fewer than two raters" if len(raters) else "there is no item"
        return Coefficient(None, NoInterval(reason), len(table), None, reason)
    agreeing = ((table * table).sum(axis=1) - m) / (m * (m - 1))

    def statistic(drawn: Floats) -> Floats:
        n = drawn.sum(axis=1)
        shares = (drawn @ table) / (n * m)[:, np.newaxis]
        return _beyond_chance(drawn @ agreeing / n, (shares * shares).sum(axis=1))

    reason = "every rating is the same, so chance alone agrees on everything"
    return _coefficient(statistic, len(table), float(agreeing.mean()), reason, draws)


def krippendorff_alpha(
    ratings: Sequence[Sequence[float | None]] | Floats, level: Level = "nominal", *, draws: int = DRAWS
) -> Coefficient:
    """Krippendorff's alpha of raters (rows) over items (columns), None or NaN where a rating is missing.

    Categories are numbers: for ``ordinal`` their order counts, for ``interval`` their distance. Items with fewer than
    two ratings are in no pair and left out. Raises :class:`InputError`.

    >>> round(krippendorff_alpha([[1, 2, 3, None], [1, 2, 3, 4], [None, 2, 2, 4]], "interval").value, 6)
    0.913462
    """
    if level not in LEVELS:
        raise InputError.unexpected(level, f"one of {', '.join(LEVELS)}", Place(field="level"))
    if len({len(row) for row in ratings}) > 1:
        raise InputError(
            f"rows of {', '.join(str(len(row)) for row in ratings)} ratings", advice="Use null for missing"
        )
    try:
        table = np.array(ratings, dtype=np.float64).reshape(len(ratings), -1).T
    except (TypeError, ValueError):
        raise InputError("not all ratings are numbers", place=Place(field="ratings"), advice="Number them") from None
    table = table[(~np.isnan(table)).sum(axis=1) >= 2]
    if not len(table):
        reason = "no item has two ratings"
        return Coefficient(None, NoInterval(reason), 0, None, reason)
    present = ~np.isnan(table)
    distinct, places = np.unique(table[present], return_inverse=True)
    codes = np.zeros(table.shape, dtype=np.int64)
    codes[present] = places
    disagreement = _Disagreement(codes, present, distinct, level)
    reason = "every rating is the same, so there is nothing to agree on"
    return _coefficient(disagreement.alphas, len(table), None, reason, draws)


class _Disagreement:
    """Alpha for draws of the items. An item of m ratings weighs each of its pairs 1 / (m - 1).

    The ordinal distance of two categories is the difference of their mean ranks, so it is the interval distance of
    values that depend on the draw.
    """

    def __init__(self, codes: Any, present: Any, distinct: Floats, level: Level) -> None:
        self.level = level
        self.codes, self.present, self.distinct = codes, present.astype(np.float64), distinct
        self.m = self.present.sum(axis=1)
        self.items = np.repeat(np.arange(len(codes)), present.sum(axis=1))
        self.flat = codes[present]
        self.centre = float(distinct.mean())  # takes the common part of large numbers out of the squares
        equal = np.zeros(len(codes))
        for j in range(codes.shape[1]):
            equal += ((codes == codes[:, [j]]) * self.present * self.present[:, [j]]).sum(axis=1)
        self.unequal = (self.m * self.m - equal) / (self.m - 1)

    def alphas(self, drawn: Floats) -> Floats:
        return np.array([self._alpha(weights) for weights in drawn])

    def _alpha(self, weights: Floats) -> float:
        counts = np.bincount(self.flat, weights=weights[self.items], minlength=len(self.distinct))
        n = counts.sum()
        if self.level == "nominal":
            observed = float(weights @ self.unequal) / n
            expected = float(n * n - counts @ counts) / (n * (n - 1))
        else:
            values = self.distinct - self.centre if self.level == "interval" else np.cumsum(counts) - counts / 2.0
            if self.level == "ordinal":
                values = values - n / 2.0
            of_items = values[self.codes] * self.present
            spread = self.m * (of_items * of_items).sum(axis=1) - of_items.sum(axis=1) ** 2
            observed = float(weights @ (2.0 * spread / (self.m - 1))) / n
            expected = 2.0 * float(n * (counts @ (values * values)) - (counts @ values) ** 2) / (n * (n - 1))
        if (counts > 0).sum() < 2 or expected <= 0.0:
            return float("nan")
        return float(1.0 - observed / expected)


def _codes(ratings: Sequence[Sequence[Rating]]) -> tuple[Any, int]:
    """Ratings as numbers of their categories (raters, items), and how many categories there are."""
    categories: dict[Rating, int] = {}
    codes = [[categories.setdefault(rating, len(categories)) for rating in row] for row in ratings]
    return np.array(codes, dtype=np.int64).reshape(len(codes), -1), max(1, len(categories))


def _none_missing(ratings: Sequence[Sequence[Rating]]) -> None:
    for r, row in enumerate(ratings):
        for i, rating in enumerate(row):
            if rating is None or rating != rating:
                raise InputError(
                    "a rating is missing",
                    place=Place(field=f"ratings[{r}][{i}]"),
                    advice="krippendorff_alpha() takes missing ratings, the kappas do not",
                )


def _beyond_chance(observed: Floats, expected: Floats) -> Floats:
    room = 1.0 - expected
    return np.where(room > FLAT, (observed - expected) / np.where(room > FLAT, room, 1.0), np.nan)


def _coefficient(
    statistic: Callable[[Floats], Floats], n: int, observed: float | None, reason: str, draws: int
) -> Coefficient:
    value = float(statistic(np.ones((1, n)))[0]) if n else float("nan")
    if value != value:
        reason = reason if n else "there is no item"
        return Coefficient(None, NoInterval(reason), n, observed, reason)
    return Coefficient(value + 0.0, bootstrap(n, statistic, draws=draws), n, observed)
