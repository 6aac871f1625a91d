"""Print a value beside its limit with as many digits as it takes to see on which side it lies."""

from __future__ import annotations

__all__ = ["FLOAT_NOISE", "beside", "is_above"]

FLOAT_NOISE = 1e-12
"""Two figures this close are equal: 1 - 9/10 reaches a minimum of 0.1. Scores of real runs lie further apart."""

MOST_DECIMALS = 12


def is_above(value: float, limit: float) -> bool:
    """Whether a value lies above a limit by more than float noise."""
    return value > limit + FLOAT_NOISE


def beside(value: float, limit: float, *, decimals: int = 3) -> tuple[str, str]:
    """Both numbers, with the decimals that tell them apart where they differ at all.

    >>> beside(0.9499, 0.95)
    ('0.9499', '0.9500')
    >>> beside(0.3, 0.3)
    ('0.300', '0.300')
    """
    differ = abs(value - limit) > FLOAT_NOISE
    while True:
        texts = (f"{value:.{decimals}f}", f"{limit:.{decimals}f}")
        shows = texts[0] != texts[1] if differ else True
        if (shows and _says(limit, texts[1])) or decimals >= MOST_DECIMALS:
            return texts
        decimals += 1


def _says(limit: float, text: str) -> bool:
    """A limit is somebody's own number: its digits are not rounded away."""
    return abs(float(text) - limit) <= FLOAT_NOISE
