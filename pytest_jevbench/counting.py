"""Numbers with their nouns."""

from __future__ import annotations

__all__ = ["counted"]


def counted(number: int, noun: str, thousands: str = "") -> str:
    """``1 word``, ``2 words``; with ``thousands=","`` also ``1,200 words``."""
    return f"{number:{thousands}} {noun}" if number == 1 else f"{number:{thousands}} {noun}s"
