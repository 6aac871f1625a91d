"""How far a run is, in one line: tests done, rate, time left, violations."""

from __future__ import annotations

__all__ = ["progress_text"]


def progress_text(done: int, total: int, violated: int, unjudged: int, seconds: float) -> str:
    """The line. Rate and time left are left out until there is something to measure them by.

    >>> progress_text(50, 200, 3, 0, 10.0)
    'jevbench  50/200 tests  25%  5.0/s  30 s left  3 violated'
    """
    parts = [f"jevbench  {done}/{total} tests", f"{100 * done // max(1, total)}%"]
    if done and seconds > 0:
        rate = done / seconds
        parts.append(f"{rate:.1f}/s")
        if done < total:
            parts.append(f"{_duration((total - done) / rate)} left")
    parts.append(f"{violated} violated")
    if unjudged:
        parts.append(f"{unjudged} unjudged")
    return "  ".join(parts)


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = seconds / 60
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"
