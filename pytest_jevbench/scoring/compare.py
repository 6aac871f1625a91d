"""Two runs of the same frozen tests: what broke, what was mended, and what each score's change is worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from pytest_jevbench.scoring.bootstrap import DRAWS, CaseBootstrap
from pytest_jevbench.scoring.intervals import Interval, NoInterval
from pytest_jevbench.scoring.pairs import Changes, PairedRuns, Row, find_changes, pair_rows
from pytest_jevbench.scoring.swap_test import SwapTest, holm, mcnemar, swap_test
from pytest_jevbench.scoring.weights import (
    DIMENSION_IDS,
    OVERALL,
    SCORED_FROM,
    Scored,
    ScoredFrom,
    Undefined,
    exact_drops,
    mean_drops,
    score_names,
    weigh,
)

__all__ = [
    "FAMILY",
    "Comparison",
    "McNemar",
    "ScoreChange",
    "compare",
    "compare_pairs",
    "drop_test",
    "score_change",
    "score_value",
]

FAMILY: tuple[str, ...] = (OVERALL, *DIMENSION_IDS)
"""The scores that Holm's correction is made over."""


@dataclass(frozen=True, slots=True)
class McNemar:
    """The changed tests of one relation with at most one test a case, and the exact one-sided p-value."""

    fixed: int
    new: int
    p: float


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """One score in both runs, on the tests that both judged.

    ``change`` is now - before (negative: worse). ``test`` is the one-sided permutation test of a drop; ``adjusted_p``
    its p-value by Holm's correction over the overall and the dimensions, None for other scores. ``mcnemar`` is given
    where it is valid: for a relation with one test a case.
    """

    name: str
    before: float
    now: float
    change: float
    interval: Interval | NoInterval
    tests: int
    cases: int
    test: SwapTest
    adjusted_p: float | None = None
    mcnemar: McNemar | None = None


Compared: TypeAlias = "ScoreChange | Undefined"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Every score of two runs by name (see :func:`score_names`), and the tests whose verdict changed."""

    changes: Changes
    scores: Mapping[str, Compared]


def compare(
    baseline: Sequence[Row],
    now: Sequence[Row],
    groups: Mapping[str, str],
    *,
    graded: bool = False,
    scored_from: ScoredFrom = SCORED_FROM,
    draws: int = DRAWS,
) -> Comparison:
    """Compare two runs of the same tests.

    ``groups`` names the group of every relation in the taxonomy's order. With ``graded`` the graded scores are compared
    instead of the counts, with sampled p-values. Raises :class:`JevbenchError` where a test stands twice in a run.
    """
    pairs = pair_rows(baseline, now, groups, graded=graded)
    return Comparison(find_changes(baseline, now), compare_pairs(pairs, scored_from=scored_from, draws=draws))


def compare_pairs(
    pairs: PairedRuns, *, scored_from: ScoredFrom = SCORED_FROM, draws: int = DRAWS
) -> dict[str, Compared]:
    """The change of every score of a pair of runs, by name."""
    bootstrap = CaseBootstrap.of(pairs, draws=draws)
    weighed = {name: weigh(pairs.layout, name, scored_from) for name in score_names(pairs.layout)}
    tests = {name: drop_test(pairs, score) for name, score in weighed.items() if isinstance(score, Scored)}
    family = [name for name in FAMILY if name in tests]
    adjusted = dict(zip(family, holm([tests[name].p for name in family]), strict=True))
    return {
        name: score
        if isinstance(score, Undefined)
        else score_change(pairs, score, bootstrap.interval(score), tests[name], adjusted.get(name))
        for name, score in weighed.items()
    }


def drop_test(pairs: PairedRuns, score: Scored) -> SwapTest:
    """The one-sided permutation test that a score dropped."""
    units = exact_drops(pairs, score)[0] if pairs.is_counted else None
    return swap_test(units, mean_drops(pairs, score))


def score_change(
    pairs: PairedRuns,
    score: Scored,
    interval: Interval | NoInterval,
    test: SwapTest,
    adjusted_p: float | None = None,
) -> ScoreChange:
    """One score's line of a comparison."""
    columns = list(score.columns)
    before, now = score_value(pairs, score, pairs.baseline), score_value(pairs, score, pairs.now)
    drop = float(mean_drops(pairs, score).sum())
    return ScoreChange(
        score.name,
        before,
        now,
        -drop if drop else 0.0,
        interval,
        int(pairs.layout.tests[:, columns].sum()),
        pairs.layout.cases_with(columns),
        test,
        adjusted_p,
        _mcnemar(pairs, score),
    )


def score_value(pairs: PairedRuns, score: Scored, losses: np.ndarray) -> float:
    """The score of one of the two runs, given as ``pairs.baseline`` or ``pairs.now``."""
    totals = losses[:, list(score.columns)].sum(axis=0).tolist()
    return float(1 - sum(w * total for w, total in zip(score.weights, totals, strict=True)))


def _mcnemar(pairs: PairedRuns, score: Scored) -> McNemar | None:
    if len(score.columns) != 1 or score.name not in pairs.layout.relations or not pairs.is_counted:
        return None
    column = score.columns[0]
    if pairs.layout.tests[:, column].max() > 1:
        return None
    changed = pairs.now[:, column] - pairs.baseline[:, column]
    fixed, new = int((changed < 0).sum()), int((changed > 0).sum())
    return McNemar(fixed, new, mcnemar(fixed, new))
