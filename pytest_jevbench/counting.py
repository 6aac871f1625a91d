"""Numbers with their nouns."""

from __future__ import annotations

__all__ = ["counted"]


def counted(number: int, noun: str) -> str:
    """``1 word``, ``2 words``."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
