"""The exit status of a run: one number for what matters most."""

from __future__ import annotations

__all__ = ["FAILED", "INCOMPLETE", "UNREACHABLE", "first_of"]

FAILED = 1
INCOMPLETE = 16
"""Tests were not judged, or were lost, where a verdict was asked for."""
UNREACHABLE = 17
"""The model could not be used at all."""

PRECEDENCE = (4, 3, UNREACHABLE, 2, INCOMPLETE, FAILED, 5, 0)


def first_of(statuses: set[int]) -> int:
    """The status that goes before all others; one that is not ours stays what it is."""
    for status in PRECEDENCE:
        if status in statuses:
            return status
    return max(statuses, default=0)
