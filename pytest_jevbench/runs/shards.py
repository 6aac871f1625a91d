"""Dividing a plan by whole cases, so that machines can share it without talking to each other."""

from __future__ import annotations

import heapq
from collections.abc import Sequence

from pytest_jevbench.plans.plan import PlannedTest

__all__ = ["shard_cases"]


def shard_cases(tests: Sequence[PlannedTest], index: int, count: int) -> frozenset[str]:
    """The cases of part ``index`` (from 1) of ``count``.

    The same plan is always divided alike. Cases are dealt out by the number of their trials, the largest first, each to
    the part with fewest so far; so no part has more than one case's trials above the mean. Trials are counted and not
    read: a machine reads its own part alone.
    """
    sizes: dict[str, int] = {}
    for test in tests:
        sizes[test.id.case_id] = sizes.get(test.id.case_id, 1) + len(test.trials)
    order = sorted(sizes, key=lambda case_id: -sizes[case_id])
    parts = [(0, part) for part in range(1, count + 1)]
    mine = []
    for case_id in order:
        load, part = heapq.heappop(parts)
        if part == index:
            mine.append(case_id)
        heapq.heappush(parts, (load + sizes[case_id], part))
    return frozenset(mine)
