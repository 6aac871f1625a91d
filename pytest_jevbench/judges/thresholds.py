"""Thresholds on a judge's P(yes): an item is accepted (judged yes) where p >= threshold.

Two kinds. :func:`optimal_threshold` has the least cost on the fit data and promises nothing for other data.
:func:`risk_controlling_threshold` and :func:`precision_threshold` come with a guarantee for further items of the same
source (exchangeable with the fit items, or independent of the same distribution):

* share of false accepts over all items, at most alpha in expectation over fit data and new item. Conformal risk
  control: A. N. Angelopoulos, S. Bates, A. Fisch, L. Lei, T. Schuster, Conformal risk control, arXiv:2208.02814 (2022).
* error among the accepted, at most alpha with probability 1 - delta over the fit data. Learn then Test:
  A. N. Angelopoulos, S. Bates, E. J. Candès, M. I. Jordan, L. Lei, Learn then Test: calibrating predictive algorithms
  to achieve risk control, arXiv:2110.01052 (2021).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.judges.arrays import scores_and_labels
from pytest_jevbench.scoring.intervals import Interval, wilson

if TYPE_CHECKING:
    from pytest_jevbench.judges.arrays import Labels, Numbers

__all__ = [
    "ABOVE_ALL",
    "GRID",
    "AcceptedFigures",
    "GuaranteedThreshold",
    "OptimalThreshold",
    "Testing",
    "accepted_figures",
    "optimal_threshold",
    "precision_threshold",
    "risk_controlling_threshold",
]

ABOVE_ALL = math.nextafter(1.0, 2.0)
"""The threshold that no probability reaches: everything is judged no."""

MOST_COST = 1e100

GRID: tuple[float, ...] = tuple(k / 100 for k in range(101))
"""The thresholds that Learn then Test tries. They are fixed before any data are seen, as the guarantee asks."""

STARTS: tuple[float, ...] = (0.95, 0.8, 0.65, 0.5)
"""Where the fixed sequences of tests start, each going down: fixed beforehand too."""

Testing: TypeAlias = Literal["fixed-sequence", "bonferroni"]


@dataclass(frozen=True, slots=True)
class OptimalThreshold:
    """The threshold of least cost on ``n`` fit items; ``rule`` says where it judges everything alike."""

    threshold: float
    rule: Literal["threshold", "all positive", "all negative"]
    cost: float
    false_positives: int
    false_negatives: int
    n: int
    false_positive_cost: float
    false_negative_cost: float


@dataclass(frozen=True, slots=True)
class GuaranteedThreshold:
    """The lowest threshold with a guarantee, None with a ``reason`` where the fit data support none.

    ``promise`` is the guarantee in words, ``source`` the paper it is proved in, ``tested`` how many thresholds passed.
    """

    threshold: float | None
    reason: str
    promise: str
    source: str
    alpha: float
    delta: float | None
    n: int
    tested: int | None = None


@dataclass(frozen=True, slots=True)
class AcceptedFigures:
    """What a threshold does on some items: shares with Wilson's 95 % intervals; the error is None if none is accepted.

    ``false_accept_share`` counts over all items, ``error_among_accepted`` over the accepted ones.
    """

    n: int
    accepted: int
    false_accepts: int
    accepted_share: float
    accepted_interval: Interval | None
    false_accept_share: float
    false_accept_interval: Interval | None
    error_among_accepted: float | None
    error_interval: Interval | None
    accuracy: float
    accuracy_interval: Interval | None


def optimal_threshold(
    scores: Numbers, labels: Labels, *, false_positive_cost: float = 1.0, false_negative_cost: float = 1.0
) -> OptimalThreshold:
    """The threshold of least total cost on the data given; of several equally good ones the nearest to 0.5.

    Candidates are 0 (all positive), 0.5, the middle between every two neighbouring scores, and just above 1 (all
    negative). Costs are of one false positive and of one false negative, above 0. Raises :class:`InputError`.

    >>> optimal_threshold([.1, .4, .6, .9], [0, 1, 0, 1], false_positive_cost=5).threshold
    0.75
    """
    for name, cost in (("false_positive_cost", false_positive_cost), ("false_negative_cost", false_negative_cost)):
        if isinstance(cost, bool) or not 0.0 < cost <= MOST_COST:
            raise InputError.unexpected(cost, f"a number above 0, at most {MOST_COST:g}", Place(field=name))
    p, y = scores_and_labels(scores, labels)
    distinct = np.unique(p)
    candidates = np.unique(np.concatenate([[0.0, 0.5, ABOVE_ALL], (distinct[1:] + distinct[:-1]) / 2]))
    yes, no = np.sort(p[y == 1.0]), np.sort(p[y == 0.0])
    missed = np.searchsorted(yes, candidates, side="left")
    falsely = len(no) - np.searchsorted(no, candidates, side="left")
    costs = falsely * false_positive_cost + missed * false_negative_cost
    best = costs <= costs.min() * (1 + 1e-12)
    at = min(np.flatnonzero(best), key=lambda i: (abs(candidates[i] - 0.5), candidates[i]))
    accepted = int((p >= candidates[at]).sum())
    rule: Literal["threshold", "all positive", "all negative"] = (
        "all positive" if accepted == len(p) else "all negative" if accepted == 0 else "threshold"
    )
    return OptimalThreshold(
        threshold=float(candidates[at]),
        rule=rule,
        cost=float(costs[at]),
        false_positives=int(falsely[at]),
        false_negatives=int(missed[at]),
        n=len(p),
        false_positive_cost=float(false_positive_cost),
        false_negative_cost=float(false_negative_cost),
    )


def risk_controlling_threshold(scores: Numbers, labels: Labels, *, alpha: float = 0.1) -> GuaranteedThreshold:
    """The lowest threshold whose expected share of false accepts, over all items, is at most alpha for the next item.

    With n fit items and R(t) their share of false accepts at t, the lowest t with n/(n + 1) R(t) + 1/(n + 1) <= alpha
    (conformal risk control with a loss of at most 1), moved up to the next score of a fit item. The promise is an
    average over fit data too: one set of fit data may do worse. Raises :class:`InputError`.

    >>> risk_controlling_threshold([.9] * 10 + [.2] * 10, [1] * 10 + [0] * 10, alpha=0.1).threshold
    0.9
    """
    _share(alpha, "alpha")
    p, y = scores_and_labels(scores, labels)
    n = len(p)
    promise = f"in expectation, at most {alpha:g} of all items are accepted wrongly"
    source = "conformal risk control, arXiv:2208.02814"
    allowed = math.floor(alpha * (n + 1) - 1 + 1e-9)
    if allowed < 0:
        needed = math.ceil(1 / alpha - 1e-9) - 1
        reason = f"{n} fit items, and {alpha:g} takes at least {needed}"
        return GuaranteedThreshold(None, reason, promise, source, alpha, None, n)
    wrong = np.sort(p[y == 0.0])[::-1]
    if len(wrong) <= allowed:
        return GuaranteedThreshold(0.0, "", promise, source, alpha, None, n)
    above = p[p > wrong[allowed]]
    threshold = float(above.min()) if len(above) else ABOVE_ALL
    return GuaranteedThreshold(threshold, "", promise, source, alpha, None, n)


def precision_threshold(
    scores: Numbers,
    labels: Labels,
    *,
    alpha: float = 0.1,
    delta: float = 0.1,
    testing: Testing = "fixed-sequence",
    grid: tuple[float, ...] = GRID,
    starts: tuple[float, ...] = STARTS,
) -> GuaranteedThreshold:
    """The lowest threshold at which the error among the accepted is at most alpha, with probability 1 - delta.

    For each threshold of a grid that is fixed beforehand, the hypothesis "more than alpha of what it accepts is wrong"
    gets the exact binomial p-value P(Bin(accepted, alpha) <= wrong); with the family-wise error held at delta, every
    threshold whose hypothesis is rejected keeps the promise. ``bonferroni`` rejects p-values up to delta / len(grid).
    ``fixed-sequence`` goes down the grid from several starts, each with delta / len(starts), until the first p-value
    above that: it asks less of each threshold, and gains where neighbours behave alike. Raises :class:`InputError`.
    """
    from scipy.special import bdtr

    _share(alpha, "alpha")
    _share(delta, "delta")
    if testing not in ("fixed-sequence", "bonferroni"):
        raise InputError.unexpected(testing, "fixed-sequence or bonferroni", Place(field="testing"))
    p, y = scores_and_labels(scores, labels)
    thresholds = np.array(sorted(grid, reverse=True))
    accepted = len(p) - np.searchsorted(np.sort(p), thresholds, side="left")
    no = np.sort(p[y == 0.0])
    wrong = len(no) - np.searchsorted(no, thresholds, side="left")
    values = np.where(accepted > 0, bdtr(wrong, np.maximum(accepted, 1), alpha), 1.0)
    if testing == "bonferroni":
        level = delta / len(thresholds)
        passed = values <= level
    else:
        level = delta / len(starts)
        passed = np.zeros(len(thresholds), dtype=bool)
        for start in {int((thresholds > one).sum()) for one in starts}:
            failed = np.flatnonzero(values[start:] > level)
            passed[start : start + failed[0] if len(failed) else None] = True
    promise = f"with probability {1 - delta:g}, at most {alpha:g} of the accepted items are wrong"
    source = f"Learn then Test, arXiv:2110.01052 ({testing}, exact binomial p-values)"
    if passed.any():
        found = float(thresholds[np.flatnonzero(passed)[-1]])
        return GuaranteedThreshold(found, "", promise, source, alpha, delta, len(p), int(passed.sum()))
    needed = math.ceil(math.log(level) / math.log1p(-alpha))
    reason = f"no threshold passes; one that accepts {needed} fit items and none wrongly would"
    return GuaranteedThreshold(None, reason, promise, source, alpha, delta, len(p), 0)


def accepted_figures(scores: Numbers, labels: Labels, threshold: float) -> AcceptedFigures:
    """What is accepted at a threshold, and how much of it wrongly, on any items. Raises :class:`InputError`."""
    p, y = scores_and_labels(scores, labels)
    taken = p >= threshold
    n, accepted, wrong = len(p), int(taken.sum()), int((taken & (y == 0.0)).sum())
    right = int((taken == (y == 1.0)).sum())
    return AcceptedFigures(
        n=n,
        accepted=accepted,
        false_accepts=wrong,
        accepted_share=accepted / n,
        accepted_interval=wilson(accepted, n),
        false_accept_share=wrong / n,
        false_accept_interval=wilson(wrong, n),
        error_among_accepted=wrong / accepted if accepted else None,
        error_interval=wilson(wrong, accepted),
        accuracy=right / n,
        accuracy_interval=wilson(right, n),
    )


def _share(value: float, name: str) -> None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0.0 < value < 1.0:
        raise InputError.unexpected(value, "a number between 0 and 1, both excluded", Place(field=name))
