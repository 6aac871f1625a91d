"""The names of the dialects, at no cost to import."""

from __future__ import annotations

__all__ = ["CHAT", "DIALECT_NAMES"]

CHAT = "openai"
"""The dialect of chat models: the one whose requests have further fields."""

DIALECT_NAMES = ("systemone", "list", "decisions", "openai-decisions", CHAT)
"""The first one is spoken where nothing else is said."""
