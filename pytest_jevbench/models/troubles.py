"""Why a request got no answer, and what a server says about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

__all__ = ["Kind", "Trouble", "error_words"]

Kind: TypeAlias = Literal["again", "absent", "refused", "format"]


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why an attempt gave no reply.

    ``kind``: ``again`` may pass if tried again, ``absent`` nothing is there that could answer, ``refused`` the server
    said no for good, ``format`` it answered something that is no response in the dialect. ``body`` is what was found.
    ``wait`` is the number of seconds the server asked for; ``connected`` is False where nothing even took the
    connection, ``timed_out`` True where it was taken and nothing came within the time for one answer.
    """

    kind: Kind
    message: str
    status: int | None = None
    body: str = ""
    wait: float | None = None
    connected: bool = True
    timed_out: bool = False


def error_words(value: Any) -> str:
    """The message in an error body of any of the known shapes; empty where there is none."""
    if not isinstance(value, Mapping):
        return ""
    for name in ("detail", "error", "message", "errors"):
        words = _message(value.get(name))
        if words:
            return words
    return ""


def _message(value: Any) -> str:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list):
        return "; ".join(filter(None, map(_message, value)))
    if not isinstance(value, Mapping):
        return ""
    words = next((w for n in ("message", "msg", "detail", "error") if (w := _message(value.get(n)))), "")
    place = value.get("loc", value.get("field", value.get("param")))
    if isinstance(place, list):
        place = ".".join(str(part) for part in place)
    return f"{place}: {words}" if words and isinstance(place, str) and place else words
