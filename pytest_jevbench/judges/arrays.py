"""Plain arrays of probabilities and labels, checked; and figures over many bootstrap draws of items at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.scoring.intervals import Interval, NoInterval, case_multiplicities, percentile_interval

if TYPE_CHECKING:
    Numbers: TypeAlias = Sequence[float] | npt.NDArray[Any]
    Labels: TypeAlias = Sequence[bool] | Sequence[int] | Sequence[float] | npt.NDArray[Any]

__all__ = [
    "CLIP",
    "DRAWS",
    "Floats",
    "bootstrap",
    "bootstraps",
    "labels_array",
    "logit",
    "percentiles",
    "scores_and_labels",
    "sigmoid",
]

Floats: TypeAlias = npt.NDArray[np.float64]

CLIP = 1e-6
"""Probabilities are clipped to [CLIP, 1 - CLIP] before a logarithm is taken."""

DRAWS = 2_000


def _vector(values: Any, name: str) -> Floats:
    try:
        found = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(
            "not all of it is numbers", place=Place(field=name), advice="Give one number an item"
        ) from None
    if found.ndim != 1:
        raise InputError(f"an array of shape {found.shape}", place=Place(field=name), advice="Give one number an item")
    return found


def probabilities_array(scores: Any, name: str = "scores") -> Floats:
    """Probabilities as a float vector (n,). Raises :class:`InputError` for one outside [0, 1], or NaN."""
    found = _vector(scores, name)
    if isinstance(scores, (list, tuple)) and any(isinstance(value, bool) for value in scores):
        raise InputError("truth values where probabilities belong", place=Place(field=name), advice="Give P(yes)")
    bad = np.flatnonzero(~((found >= 0.0) & (found <= 1.0)))
    if len(bad):
        raise InputError.unexpected(
            float(found[bad[0]]), "a number between 0 and 1", Place(field=f"{name}[{int(bad[0])}]")
        )
    return found


def labels_array(labels: Any, name: str = "labels") -> Floats:
    """Right answers as a float vector of 0 and 1 (n,). Raises :class:`InputError` for anything else."""
    found = _vector(labels, name)
    bad = np.flatnonzero((found != 0.0) & (found != 1.0))
    if len(bad):
        raise InputError.unexpected(
            float(found[bad[0]]), "true or false, or 1 or 0", Place(field=f"{name}[{int(bad[0])}]")
        )
    return found


def scores_and_labels(scores: Any, labels: Any) -> tuple[Floats, Floats]:
    """P(yes) and right answers of the same items, both (n,) with n > 0. Raises :class:`InputError`."""
    p, y = probabilities_array(scores), labels_array(labels)
    if len(p) != len(y):
        raise InputError(f"{len(p)} scores and {len(y)} labels", advice="Give one label for each score")
    if not len(p):
        raise InputError("there are no scores", place=Place(field="scores"), advice="Give at least one")
    return p, y


def logit(p: Floats) -> Floats:
    """ln(p / (1 - p)) of clipped probabilities, in about [-13.8, 13.8]."""
    clipped = np.clip(p, CLIP, 1.0 - CLIP)
    return np.asarray(np.log(clipped) - np.log1p(-clipped), dtype=np.float64)


def sigmoid(x: Floats) -> Floats:
    """1 / (1 + exp(-x)), without overflow."""
    return np.asarray(0.5 * (1.0 + np.tanh(0.5 * x)), dtype=np.float64)


def bootstrap(
    n: int, statistic: Callable[[Floats], Floats], *, draws: int = DRAWS, of: str = "item"
) -> Interval | NoInterval:
    """The 95 % percentile interval of a statistic over draws of ``n`` items with replacement.

    ``statistic`` takes multiplicities (draws, n), how often each item stands in each draw, to values (draws,), NaN
    where a draw leaves it undefined; such draws are set aside, and where they are most there is no interval.
    """
    return bootstraps(n, lambda drawn: {"": statistic(drawn)}, [""], draws=draws, of=of)[""]


def bootstraps(
    n: int,
    statistics: Callable[[Floats], Mapping[str, Floats]],
    names: Sequence[str],
    *,
    draws: int = DRAWS,
    of: str = "item",
) -> dict[str, Interval | NoInterval]:
    """The intervals of several named statistics over the same draws, as :func:`bootstrap` gives each."""
    reason = ""
    if n < 2:
        reason = f"there is one {of}, and the interval is over {of}s" if n else f"there is no {of}"
    elif not draws:
        reason = "no bootstrap draws were asked for"
    if reason:
        return dict.fromkeys(names, NoInterval(reason))
    with np.errstate(invalid="ignore", divide="ignore"):
        parts = [statistics(drawn) for drawn in case_multiplicities(n, draws)]
    return {name: percentiles(np.concatenate([part[name] for part in parts]), of=of) for name in names}


def percentiles(values: Floats, *, of: str = "item") -> Interval | NoInterval:
    """The 95 % interval from a statistic's values in bootstrap draws, NaN where it was undefined."""
    usable = values[~np.isnan(values)]
    if 2 * len(usable) < len(values):
        return NoInterval(f"undefined in most draws of the {of}s")
    return percentile_interval(usable)
