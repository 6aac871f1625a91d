"""What an answer gains with a live judge by what says nothing about it, in matched pairs: it against itself."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pytest_jevbench.judges.arrays import DRAWS, bootstrap
from pytest_jevbench.judges.bias import Rate
from pytest_jevbench.scoring.intervals import NoInterval

__all__ = ["mean_gains"]


def mean_gains(gains: Mapping[str, Mapping[str, float]], *, draws: int = DRAWS) -> dict[str, Rate]:
    """The mean of each law's gains, ``judge_gains`` of a card, with a bootstrap interval over its cases.

    A gain is how much more an answer is favoured than the same answer as it was, in [-1, 1]; 0 is no bias. The favour
    is P(it is better), a tie shared out; of a single answer its grade over the highest, or P(yes).

    >>> mean_gains({"judge_markup": {"a": 0.2, "b": 0.0}})["judge_markup"].value
    0.1
    """
    return {law: _mean(list(by_case.values()), draws) for law, by_case in gains.items()}


def _mean(gains: list[float], draws: int) -> Rate:
    values, n = np.array(gains, dtype=np.float64), len(gains)
    if not n:
        return Rate(None, NoInterval("no answer was edited"), 0, "no answer was edited")
    return Rate(float(values.mean()), bootstrap(n, lambda drawn: drawn @ values / n, draws=draws, of="case"), n)
