"""Calibrators: what takes a judge's P(yes) to a probability that fits the labels it was fitted on.

==============  =========================================================================  ==========================
platt           sigmoid(a logit(p) + b)                                                    Platt 1999; Lin et al. 2007
temperature     sigmoid(logit(p) / T), T > 0                                               Guo et al. 2017
histogram       (yes in the bin + alpha) / (items in the bin + 2 alpha)                    Zadrozny and Elkan 2001
isotonic        the non-decreasing function of least squares                               Zadrozny and Elkan 2002
beta            sigmoid(a ln(p) - b ln(1 - p) + c), a, b >= 0                              Kull et al. 2017
==============  =========================================================================  ==========================

Each is a small frozen setting with ``fit(scores, labels)``, which gives a :class:`FittedCalibrator`. Logarithms are
taken of probabilities clipped to [1e-6, 1 - 1e-6].
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

import numpy as np

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.judges.arrays import (
    CLIP,
    DRAWS,
    Floats,
    logit,
    probabilities_array,
    scores_and_labels,
    sigmoid,
)
from pytest_jevbench.judges.isotonic import isotonic_steps
from pytest_jevbench.metrics import BINS

if TYPE_CHECKING:
    from pytest_jevbench.judges.arrays import Labels, Numbers
    from pytest_jevbench.judges.calibration import Calibration

__all__ = [
    "CALIBRATORS",
    "BetaCalibrator",
    "Calibrator",
    "FittedCalibrator",
    "HistogramCalibrator",
    "IsotonicCalibrator",
    "PlattCalibrator",
    "TemperatureCalibrator",
]

SLOPE = 50.0
SHIFT = 100.0
TEMPERATURES = (0.02, 50.0)
FLAT = 1e-9


@dataclass(frozen=True)
class FittedCalibrator:
    """A calibrator with its parameters, fitted on ``n`` items.

    ``at_bound`` names the parameters that stopped at a bound: the best value lies beyond it. ``notes`` say what else
    there is to know of the fit.
    """

    method: str
    parameters: Mapping[str, Any]
    n: int
    at_bound: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    function: Callable[[Floats], Floats] = field(repr=False, compare=False, default=lambda p: p)

    def apply(self, scores: Numbers) -> Floats:
        """Calibrated probabilities (n,) of scores (n,). Raises :class:`InputError` for a score outside [0, 1]."""
        return np.clip(self.function(probabilities_array(scores)), 0.0, 1.0)

    def evaluate(self, scores: Numbers, labels: Labels, bins: int = BINS, *, draws: int = DRAWS) -> Calibration:
        """The figures before and after on other items than those it was fitted on, and each change's interval."""
        from pytest_jevbench.judges.calibration import evaluate

        return evaluate(self, scores, labels, bins, draws=draws)


class Calibrator(Protocol):
    """A method with its settings."""

    name: ClassVar[str]

    def fit(self, scores: Numbers, labels: Labels) -> FittedCalibrator: ...


@dataclass(frozen=True)
class PlattCalibrator:
    """p' = sigmoid(a logit(p) + b), a and b of least cross-entropy, |a| <= 50 and |b| <= 100.

    ``targets`` is ``smoothed`` (the target of a yes is (N+ + 1)/(N+ + 2) and of a no 1/(N- + 2), with N+ and N- the
    counts in the fit data: a separable judge gets a finite slope) or ``plain`` (1 and 0). Scores that are all equal
    give the mean target, with a = 0. A judge that is the wrong way round gets a negative slope.

    References: J. Platt, Probabilistic outputs for support vector machines, 1999; H.-T. Lin, C.-J. Lin, R. C. Weng, A
    note on Platt's probabilistic outputs for support vector machines, Machine Learning 68 (2007).

    >>> fitted = PlattCalibrator().fit([0.1, 0.2, 0.8, 0.9], [0, 0, 1, 1])
    >>> round(fitted.parameters["a"], 3), abs(round(fitted.parameters["b"], 6))
    (0.59, 0.0)
    """

    name: ClassVar[str] = "platt"
    targets: Literal["smoothed", "plain"] = "smoothed"

    def __post_init__(self) -> None:
        if self.targets not in ("smoothed", "plain"):
            raise InputError.unexpected(self.targets, "smoothed or plain", Place(field="targets"))

    def fit(self, scores: Numbers, labels: Labels) -> FittedCalibrator:
        p, y = scores_and_labels(scores, labels)
        yes = float(y.sum())
        no = len(y) - yes
        target = np.where(y == 1.0, (yes + 1) / (yes + 2), 1 / (no + 2)) if self.targets == "smoothed" else y
        x = logit(p)
        notes = _one_class(yes, no)
        if np.ptp(x) == 0.0:
            a, b = 0.0, float(np.clip(logit(np.array([target.mean()]))[0], -SHIFT, SHIFT))
            notes += ("all scores are equal, so the slope is 0",)
            at_bound: tuple[str, ...] = ()
        else:
            design = np.column_stack([x, np.ones_like(x)])
            (a, b), at_bound = _least_cross_entropy(
                design, target, (1.0, 0.0), {"a": (-SLOPE, SLOPE), "b": (-SHIFT, SHIFT)}
            )
            notes += _told_apart(design @ (a, b), target)
        notes += _at_bound(at_bound)
        if a < -FLAT and yes and no:
            notes += ("the slope is negative: the judge says no where yes is right",)
        parameters = {"a": a, "b": b, "targets": self.targets}
        return FittedCalibrator(self.name, parameters, len(p), at_bound, notes, lambda q: sigmoid(a * logit(q) + b))


@dataclass(frozen=True)
class TemperatureCalibrator:
    """p' = sigmoid(logit(p) / T), T of least cross-entropy in [0.02, 50]. It keeps the order of scores.

    The cross-entropy is convex in 1/T, so the root of its derivative is the one best T; where there is none inside the
    bounds, the bound that is best, which ``at_bound`` says.

    Reference: C. Guo, G. Pleiss, Y. Sun, K. Q. Weinberger, On calibration of modern neural networks, ICML 2017.

    >>> fitted = TemperatureCalibrator().fit([.99, .99, .99, .01, .01, .01], [1, 1, 0, 0, 0, 1])
    >>> round(fitted.parameters["T"], 5)
    6.62936
    """

    name: ClassVar[str] = "temperature"

    def fit(self, scores: Numbers, labels: Labels) -> FittedCalibrator:
        from scipy.optimize import brentq

        p, y = scores_and_labels(scores, labels)
        x = logit(p)
        notes = _one_class(float(y.sum()), float(len(y) - y.sum()))
        low, high = 1.0 / TEMPERATURES[1], 1.0 / TEMPERATURES[0]

        def slope(inverse: float) -> float:
            return float(x @ (sigmoid(inverse * x) - y))

        at_bound: tuple[str, ...] = ()
        if not np.any(x):
            inverse = 1.0
            notes += ("every score is 0.5, which no temperature changes",)
        elif slope(low) >= 0.0:
            inverse, at_bound = low, ("T",)
        elif slope(high) <= 0.0:
            inverse, at_bound = high, ("T",)
        else:
            inverse = float(brentq(slope, low, high, xtol=1e-14, rtol=1e-14))
        if at_bound:
            which = "largest" if inverse == low else "smallest"
            notes += (f"the {which} T allowed fits best: no T inside the bounds does",)
        return FittedCalibrator(
            self.name, {"T": 1.0 / inverse}, len(p), at_bound, notes, lambda q: sigmoid(inverse * logit(q))
        )


@dataclass(frozen=True)
class HistogramCalibrator:
    """p' = (yes in the bin + alpha) / (items in the bin + 2 alpha), in bins of equal width.

    A bin without fit data keeps the score as it is. The order of scores need not be kept.

    Reference: B. Zadrozny, C. Elkan, Obtaining calibrated probability estimates from decision trees and naive Bayesian
    classifiers, ICML 2001.
    """

    name: ClassVar[str] = "histogram"
    bins: int = BINS
    alpha: float = 1.0

    def __post_init__(self) -> None:
        if isinstance(self.bins, bool) or not isinstance(self.bins, int) or self.bins < 1:
            raise InputError.unexpected(self.bins, "at least 1 bin", Place(field="bins"))
        if not 0.0 <= self.alpha < np.inf:
            raise InputError.unexpected(self.alpha, "a number of at least 0", Place(field="alpha"))

    def fit(self, scores: Numbers, labels: Labels) -> FittedCalibrator:
        p, y = scores_and_labels(scores, labels)
        places = self._places(p)
        counts = np.bincount(places, minlength=self.bins).astype(np.float64)
        yes = np.bincount(places, weights=y, minlength=self.bins)
        with np.errstate(invalid="ignore", divide="ignore"):
            values = np.where(counts > 0, (yes + self.alpha) / (counts + 2 * self.alpha), np.nan)
        shown = [None if np.isnan(value) else float(value) for value in values]
        empty = int((counts == 0).sum())
        does = "has no fit data and keeps" if empty == 1 else "have no fit data and keep"
        notes = (f"{empty} of {self.bins} bins {does} scores as they are",) if empty else ()

        def function(q: Floats) -> Floats:
            found = values[self._places(q)]
            return np.where(np.isnan(found), q, found)

        parameters = {"bins": self.bins, "alpha": self.alpha, "values": shown, "counts": counts.astype(int).tolist()}
        return FittedCalibrator(self.name, parameters, len(p), (), notes, function)

    def _places(self, p: Floats) -> Any:
        edges = np.array([k / self.bins for k in range(self.bins + 1)])
        return np.minimum(np.searchsorted(edges, p, side="right") - 1, self.bins - 1)


@dataclass(frozen=True)
class IsotonicCalibrator:
    """The non-decreasing function of least squares, linear between the fit scores and level outside them.

    Reference: B. Zadrozny, C. Elkan, Transforming classifier scores into accurate multiclass probability estimates,
    KDD 2002. It needs more fit data than the others, and gives probabilities of exactly 0 and 1.
    """

    name: ClassVar[str] = "isotonic"

    def fit(self, scores: Numbers, labels: Labels) -> FittedCalibrator:
        p, y = scores_and_labels(scores, labels)
        x, values = isotonic_steps(p, y)
        parameters = {"scores": x.tolist(), "values": values.tolist()}
        return FittedCalibrator(self.name, parameters, len(p), (), (), lambda q: np.interp(q, x, values))


@dataclass(frozen=True)
class BetaCalibrator:
    """p' = sigmoid(a ln(p) - b ln(1 - p) + c), of least cross-entropy with a, b in [0, 50] and |c| <= 100.

    With a = b it is Platt's; with both 1 and c = 0 it changes nothing.

    Reference: M. Kull, T. Silva Filho, P. Flach, Beta calibration, AISTATS 2017.
    """

    name: ClassVar[str] = "beta"

    def fit(self, scores: Numbers, labels: Labels) -> FittedCalibrator:
        p, y = scores_and_labels(scores, labels)
        yes = float(y.sum())
        notes = _one_class(yes, len(y) - yes)
        design = np.column_stack([*_log_sides(p), np.ones_like(p)])
        if np.ptp(p) == 0.0:
            a, b, c = 0.0, 0.0, float(logit(np.array([y.mean()]))[0])
            notes += ("all scores are equal, so the slopes are 0",)
            at_bound: tuple[str, ...] = ()
        else:
            bounds = {"a": (0.0, SLOPE), "b": (0.0, SLOPE), "c": (-SHIFT, SHIFT)}
            (a, b, c), at_bound = _least_cross_entropy(design, y, (1.0, 1.0, 0.0), bounds)
            notes += _told_apart(design @ (a, b, c), y)
        notes += _at_bound(at_bound)

        def function(q: Floats) -> Floats:
            of_yes, of_no = _log_sides(q)
            return sigmoid(a * of_yes + b * of_no + c)

        return FittedCalibrator(self.name, {"a": a, "b": b, "c": c}, len(p), at_bound, notes, function)


CALIBRATORS: Mapping[str, Calibrator] = {
    one.name: one
    for one in (
        PlattCalibrator(),
        TemperatureCalibrator(),
        HistogramCalibrator(),
        IsotonicCalibrator(),
        BetaCalibrator(),
    )
}
"""Each method by name, with its default settings."""


def _one_class(yes: float, no: float) -> tuple[str, ...]:
    return () if yes and no else (f"all fit labels are {'yes' if yes else 'no'}",)


def _told_apart(x: Floats, target: Floats) -> tuple[str, ...]:
    """What to know where every target is met: any steeper curve meets them as well, and nothing says which is right."""
    met = np.ptp(target) == 1.0 and float(np.abs(sigmoid(x) - target).max()) < 1e-3
    return ("yes and no are told apart without a mistake, so that the slope could be any steep one",) if met else ()


def _at_bound(names: tuple[str, ...]) -> tuple[str, ...]:
    verb = "stopped at bounds: the best values lie" if len(names) > 1 else "stopped at a bound: the best value lies"
    return (f"{' and '.join(names)} {verb} beyond",) if names else ()


def _log_sides(p: Floats) -> tuple[Floats, Floats]:
    clipped = np.clip(p, CLIP, 1.0 - CLIP)
    return np.log(clipped), -np.log1p(-clipped)


def _least_cross_entropy(
    design: Floats, target: Floats, start: tuple[float, ...], bounds: Mapping[str, tuple[float, float]]
) -> tuple[tuple[float, ...], tuple[str, ...]]:
    """The parameters within bounds of least mean cross-entropy of sigmoid(design @ parameters), and those at a bound.

    It is convex, so that the search ends at the one best value from any start.
    """
    from scipy.optimize import minimize

    def loss(parameters: Floats) -> tuple[float, Floats]:
        x = design @ parameters
        value = np.logaddexp(0.0, x) - target * x
        return float(value.mean()), design.T @ (sigmoid(x) - target) / len(target)

    found = minimize(
        loss,
        np.array(start),
        jac=True,
        method="L-BFGS-B",
        bounds=list(bounds.values()),
        options={"ftol": 1e-16, "gtol": 1e-12, "maxiter": 10_000, "maxfun": 100_000},
    )
    values = _polished(design, target, np.asarray(found.x, dtype=np.float64), list(bounds.values()))
    at_bound = tuple(
        name for (name, (low, high)), value in zip(bounds.items(), values, strict=True) if value in (low, high)
    )
    return tuple(float(value) + 0.0 for value in values), at_bound


def _polished(design: Floats, target: Floats, values: Floats, bounds: list[tuple[float, float]]) -> Floats:
    """A few Newton steps from the optimiser's answer, which stops a little short; kept while they lead downhill."""

    def loss(parameters: Floats) -> float:
        x = design @ parameters
        return float((np.logaddexp(0.0, x) - target * x).mean())

    free = np.array([low < value < high for value, (low, high) in zip(values, bounds, strict=True)])
    for _ in range(20):
        p = sigmoid(design @ values)
        gradient = (design.T @ (p - target))[free]
        curvature = (design.T * (p * (1.0 - p))) @ design
        step = np.zeros_like(values)
        step[free] = np.linalg.lstsq(curvature[np.ix_(free, free)], gradient, rcond=None)[0]
        moved = np.array([min(max(v, low), high) for v, (low, high) in zip(values - step, bounds, strict=True)])
        if not loss(moved) < loss(values):
            break
        values = moved
    return values
