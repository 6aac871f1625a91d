"""Figures of a comparison as people read them: points, p-values."""

from __future__ import annotations

from pytest_jevbench.reports.text import percent
from pytest_jevbench.scoring.intervals import Interval, NoInterval

__all__ = ["bracketed", "p_text", "points", "points_interval"]

MOST_DECIMALS = 4


def points(change: float) -> str:
    """A change of a share in percentage points, with its sign; one that is there is never printed as none.

    >>> points(-0.2608), points(0.0004), points(0.0)
    ('-26.1', '+0.04', '0.0')
    """
    if change == 0.0:
        return "0.0"
    decimals = 1
    while decimals < MOST_DECIMALS and float(f"{100 * change:.{decimals}f}") == 0.0:
        decimals += 1
    return f"{100 * change:+.{decimals}f}"


def points_interval(interval: Interval | NoInterval | None) -> str:
    """``[-27.2, -24.8]``, or nothing."""
    return f"[{points(interval.low)}, {points(interval.high)}]" if isinstance(interval, Interval) else ""


def bracketed(interval: Interval | None) -> str:
    """An interval of shares in percent, as narrow as it is: ``[62.2, 64.5]``, or nothing."""
    return "" if interval is None else f"[{percent(interval.low)}, {percent(interval.high)}]"


def p_text(p: float | None) -> str:
    """A p-value in four decimals; one below them is ``<0.0001``, not 0.

    >>> p_text(0.03125), p_text(3e-9), p_text(1.0), p_text(None)
    ('0.0312', '<0.0001', '1', '-')
    """
    if p is None:
        return "-"
    if p < 0.00005:
        return "<0.0001"
    return "1" if p >= 1.0 else f"{p:.4f}"
