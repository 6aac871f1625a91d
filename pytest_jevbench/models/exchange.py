"""What was sent to a model and what came back, word for word, for whoever keeps it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

__all__ = ["Exchange", "Recorder", "Recording"]


class Exchange(NamedTuple):
    """One attempt. ``sent`` is the body as text or the call as JSON, ``received`` what came, without secrets.

    ``received`` is None where nothing came, and ``problem`` says why. ``status`` is the HTTP status where there is one,
    ``seconds`` the time between the two.
    """

    sent: Any
    received: Any = None
    status: int | None = None
    seconds: float | None = None
    problem: str = ""


Recorder: TypeAlias = Callable[[Exchange], None]


@runtime_checkable
class Recording(Protocol):
    """A model that tells each exchange to whoever sets ``record``."""

    record: Recorder | None
