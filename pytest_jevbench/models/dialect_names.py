"""The names of the dialects, at no cost to import."""

from __future__ import annotations

__all__ = ["DIALECT_NAMES"]

DIALECT_NAMES = ("systemone", "list", "decisions", "openai-decisions", "openai")
"""The first one is spoken where nothing else is said."""
