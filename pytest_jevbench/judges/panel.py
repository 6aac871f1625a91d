"""Several judges as one: majority verdicts, and which judges are worth their cost."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from pytest_jevbench.distributions import TIE

__all__ = ["ParetoRank", "Verdict", "panel_verdict", "pareto_ranks"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a panel says: ``inconclusive``, with the reason, unless more than half of all judges say the same."""

    verdict: Literal["yes", "no", "inconclusive"]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ParetoRank:
    """A judge's place by cost and accuracy: rank 1 is dominated by no judge, rank 2 by those of rank 1 alone, ..."""

    judge: str
    cost: float
    accuracy: float
    rank: int


def panel_verdict(probabilities: Sequence[float | None]) -> Verdict:
    """The verdict of more than half of the judges asked; a judge that failed (None) or ties counts for no side.

    >>> panel_verdict([0.9, None, None])
    Verdict(verdict='inconclusive', reason='2 of 3 judges gave no answer')
    """
    n = len(probabilities)
    given = [p for p in probabilities if p is not None and not math.isnan(p)]
    yes, no = sum(p > 0.5 + TIE for p in given), sum(p < 0.5 - TIE for p in given)
    if 2 * yes > n:
        return Verdict("yes")
    if 2 * no > n:
        return Verdict("no")
    if len(given) < n and 2 * len(given) <= n:
        return Verdict("inconclusive", f"{n - len(given)} of {n} judges gave no answer")
    ties = len(given) - yes - no
    parts = [f"{yes} yes", f"{no} no"] + [f"{ties} undecided"] * bool(ties)
    parts += [f"{n - len(given)} without an answer"] * (len(given) < n)
    return Verdict("inconclusive", f"{', '.join(parts)} of {n}")


def pareto_ranks(costs: Mapping[str, float], accuracies: Mapping[str, float]) -> list[ParetoRank]:
    """The judges by rank, then cost. One dominates another that costs no less and is no more accurate, and differs.

    Equal points share a rank. Raises ``ValueError`` where the two mappings name different judges.

    >>> [(r.judge, r.rank) for r in pareto_ranks({"s": 1, "m": 2, "l": 3}, {"s": 0.8, "m": 0.7, "l": 0.9})]
    [('s', 1), ('l', 1), ('m', 2)]
    """
    if set(costs) != set(accuracies):
        raise ValueError("costs and accuracies of different judges")
    left = {judge: (float(costs[judge]), float(accuracies[judge])) for judge in costs}
    ranked: list[ParetoRank] = []
    rank = 0
    while left:
        rank += 1
        front = [judge for judge, point in left.items() if not any(_dominates(q, point) for q in left.values())]
        ranked += [ParetoRank(judge, *left[judge], rank) for judge in sorted(front, key=lambda judge: left[judge])]
        left = {judge: point for judge, point in left.items() if judge not in front}
    return ranked


def _dominates(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one[0] <= other[0] and one[1] >= other[1] and one != other
