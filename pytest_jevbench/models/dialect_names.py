"""The names of the dialects, at no cost to import."""

from __future__ import annotations

__all__ = ["ALL_DIALECTS", "CHAT", "DIALECT_NAMES", "FORMS", "RUNTIMES"]

CHAT = "openai"
"""The dialect of chat models: the one whose requests have further fields."""

DIALECT_NAMES = ("systemone", "list", "decisions", "openai-decisions", CHAT)
"""Those in which one exchange with a server asks a batch. The first one is spoken where nothing else is said."""

FORMS = ("gradio_space",)
"""Those in which a server is asked one question after another."""

RUNTIMES = ("local_openjev", "needle")
"""Those of models that run in this process."""

ALL_DIALECTS = (*DIALECT_NAMES, *FORMS, *RUNTIMES)
