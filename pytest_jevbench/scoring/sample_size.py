"""How many cases a margin needs, and which drop a suite can notice: said before a run is paid for.

With D the change of a score, D = mean of x_i over cases, and v = Var(x_i):

    cases needed    (z_{1-alpha} + z_power)^2 v / margin^2
    noticed drop    the d for which  d = (z_{1-alpha} + z_power) sqrt((v + d u) / cases)

where u is what a unit of discordance adds to v: a drop by d makes a further share d of the tests differ. v comes from
the baseline and a repeat of it (two runs of one model), or from an assumption that is shown with every figure drawn
from it: the share q of tests whose verdict differs between two such runs, and the correlation c of these differences
within a case.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from pytest_jevbench.scoring.pairs import Layout, PairedRuns
from pytest_jevbench.scoring.weights import Scored, mean_drops

__all__ = ["ASSUMED", "Assumption", "assumed_variance", "cases_needed", "measured_variance", "noticed_drop"]


@dataclass(frozen=True, slots=True)
class Assumption:
    """How two runs of one model are assumed to differ.

    ``discordance`` is the share of tests whose verdict differs, ``correlation`` that of the differences (+1 new, -1
    fixed, 0 none) of two tests of one case.
    """

    discordance: float = 0.10
    correlation: float = 0.05

    @property
    def text(self) -> str:
        return (
            f"assuming that {self.discordance:.3g} of the tests differ between two runs and that differences within a "
            f"case correlate by {self.correlation:.3g}"
        )


ASSUMED = Assumption()


def assumed_variance(layout: Layout, score: Scored, assumption: Assumption = ASSUMED) -> float:
    """Var(x_i) under an assumption, averaged over the cases that have a test of the score.

    x_i is the number of these cases times what case i takes from the score. With weights w of the case's tests,

        v_i = q ((1 - c) sum(w^2) + c sum(w)^2)
    """
    tests = layout.tests[:, list(score.columns)]
    cases = layout.cases_with(score.columns)
    weights = np.array([float(w) for w in score.weights]) * cases
    apart = float((tests @ weights**2).sum()) / cases
    together = float(((tests @ weights) ** 2).sum()) / cases
    c = assumption.correlation
    return assumption.discordance * ((1 - c) * apart + c * together)


def measured_variance(repeat: PairedRuns, score: Scored) -> float:
    """Var(x_i) from two runs of one model, whose mean difference is known to be zero."""
    cases = repeat.layout.cases_with(score.columns)
    return float((mean_drops(repeat, score) ** 2).sum()) * cases


def _z(level: float, power: float) -> float:
    from scipy.special import ndtri

    return float(ndtri(1 - level) + ndtri(power))


def cases_needed(margin: float, variance: float, *, level: float = 0.05, power: float = 0.8) -> int:
    """The fewest cases with which a margin can be shown, and is with the given power where nothing got worse.

    The larger of (z_{1-level} + z_power)^2 variance / margin^2 and the n from which 1 - level^(1/n) < margin.

    >>> cases_needed(0.05, 0.04)
    99
    """
    by_variance = math.ceil(_z(level, power) ** 2 * variance / margin**2)
    by_no_change = math.floor(math.log(level) / math.log1p(-margin)) + 1 if margin < 1 else 1
    return max(by_variance, by_no_change)


def noticed_drop(
    variance: float, cases: int, *, per_discordance: float = 0.0, level: float = 0.05, power: float = 0.8
) -> float:
    """The smallest drop that a one-sided test at the level notices with the given power.

    ``per_discordance`` is u, :func:`assumed_variance` at a discordance of 1.

    >>> round(noticed_drop(0.04, 99), 4)
    0.05
    """
    z = _z(level, power)
    by_drop = z**2 * per_discordance / cases
    return (by_drop + math.sqrt(by_drop**2 + 4 * z**2 * variance / cases)) / 2
