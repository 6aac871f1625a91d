"""Every score is a weighted count of violated tests; this file gives the weights, exactly.

::

    relation   1 - violated / tests
    group      mean of its scored relations
    dimension  mean of its scored relations
    overall    mean of the five dimensions, where all five are scored

So a score is 1 - sum over relations of weight x violated tests, and the difference of two runs on the same tests is
the same sum over what changed. The weights are fractions: with them the permutation test is exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from pytest_jevbench.relations.taxonomy import DIMENSIONS
from pytest_jevbench.scoring.pairs import Counts, Layout, PairedRuns

__all__ = [
    "DIMENSION_IDS",
    "OVERALL",
    "SCORED_FROM",
    "Scored",
    "ScoredFrom",
    "Undefined",
    "exact_drops",
    "mean_drops",
    "score_names",
    "weigh",
]

OVERALL = "overall"
DIMENSION_IDS: tuple[str, ...] = tuple(dimension.id for dimension in DIMENSIONS)


@dataclass(frozen=True, slots=True)
class ScoredFrom:
    """From how many tests a relation is scored, and which share of its planned tests must be judged."""

    min_n: int = 5
    min_coverage: float = 0.95


SCORED_FROM = ScoredFrom()


@dataclass(frozen=True, slots=True)
class Undefined:
    """A score that is not reported, and why."""

    name: str
    reason: str


@dataclass(frozen=True, slots=True)
class Scored:
    """A score by its parts: ``columns`` are relations of the layout, ``weights`` the cost of one violated test of each.

    ``dimensions`` tells which of the columns form one dimension (for the overall; otherwise all in one tuple).
    """

    name: str
    columns: tuple[int, ...]
    weights: tuple[Fraction, ...]
    dimensions: tuple[tuple[int, ...], ...]


def score_names(layout: Layout) -> tuple[str, ...]:
    """``overall``, then the dimensions, groups and relations that have tests, in the taxonomy's order."""
    dimensions = (d for d in DIMENSION_IDS if d in layout.dimensions)
    return (OVERALL, *dimensions, *dict.fromkeys(layout.groups), *layout.relations)


def weigh(layout: Layout, name: str, scored_from: ScoredFrom = SCORED_FROM) -> Scored | Undefined:
    """The weights of a score, or why it is not reported. ``name`` is one of :func:`score_names`."""
    if name != OVERALL:
        columns = _mean_of(layout, name, scored_from)
        if isinstance(columns, Undefined):
            return columns
        return _weighted(layout, name, (columns,))
    parts: list[tuple[int, ...]] = []
    for dimension in DIMENSION_IDS:
        columns = _mean_of(layout, dimension, scored_from)
        if isinstance(columns, Undefined):
            return Undefined(name, columns.reason)
        parts.append(columns)
    return _weighted(layout, name, tuple(parts))


def _weighted(layout: Layout, name: str, parts: tuple[tuple[int, ...], ...]) -> Scored:
    tests = layout.tests_per_relation
    columns = tuple(column for part in parts for column in part)
    weights = tuple(Fraction(1, len(parts) * len(part) * int(tests[c])) for part in parts for c in part)
    return Scored(name, columns, weights, parts)


def _mean_of(layout: Layout, name: str, scored_from: ScoredFrom) -> tuple[int, ...] | Undefined:
    """The columns whose mean is the score of a relation, a group or a dimension."""
    inside = [
        i
        for i, names in enumerate(zip(layout.relations, layout.groups, layout.dimensions, strict=True))
        if name in names
    ]
    if not inside:
        return Undefined(name, f"no test of {name} is planned")
    tests = layout.tests_per_relation
    for i in inside:
        if tests[i] == 0 or tests[i] < scored_from.min_coverage * layout.planned[i]:
            share = f"{tests[i]} of {layout.planned[i]} planned tests judged"
            return Undefined(name, f"{layout.relations[i]} is incomplete: {share}")
    scored = tuple(i for i in inside if tests[i] >= scored_from.min_n)
    if not scored:
        most = int(max(tests[inside]))
        return Undefined(name, f"{name} has at most {most} tests a relation, scored from {scored_from.min_n} on")
    return scored


def exact_drops(pairs: PairedRuns, score: Scored) -> tuple[Counts, Fraction]:
    """What each case takes from a score, now against the baseline, in whole units.

    Returns (cases,) integers and the unit: score now = score before - unit x their sum. The runs must be counted.
    """
    scale = math.lcm(*(w.denominator for w in score.weights))
    per_test = [int(w * scale) for w in score.weights]
    common = math.gcd(*per_test)
    whole = np.array([w // common for w in per_test], dtype=np.int64)
    changed = np.asarray(pairs.now[:, score.columns] - pairs.baseline[:, score.columns], dtype=np.int64)
    return changed @ whole, Fraction(common, scale)


def mean_drops(pairs: PairedRuns, score: Scored) -> npt.NDArray[np.float64]:
    """What each case takes from a score; the sum over cases is the drop, in units of the score."""
    if pairs.is_counted:
        units, unit = exact_drops(pairs, score)
        return np.asarray(units * float(unit), dtype=np.float64)
    changed = pairs.now[:, score.columns] - pairs.baseline[:, score.columns]
    return np.asarray(changed @ np.array([float(w) for w in score.weights]), dtype=np.float64)
