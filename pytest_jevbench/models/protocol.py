"""What everything that answers a request looks like from the inside."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from pytest_jevbench.questions import Request

__all__ = ["Identity", "Model", "Reply", "Usage"]


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens a server says it used for one request; None where it said nothing."""

    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back for one request.

    ``answers`` is the raw ``answers`` object as read from JSON, one value a key, unchecked (an object in which a
    key stood twice is a ``json_text.DuplicateKeys``). ``model`` is the name the server answered under, ``attempts``
    the number of requests sent for this one, ``seconds`` the time of the attempt that was answered.
    """

    answers: Mapping[str, Any]
    model: str | None = None
    usage: Usage = Usage()
    attempts: int = 1
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Identity:
    """What tells one model from another.

    ``dialect`` is the way it is asked (``systemone`` or another one of :mod:`pytest_jevbench.models.dialects`,
    ``callable``, ``command``, ``reference``), ``name`` the name asked for, ``revision`` what the user says tells
    versions apart, ``launch`` the launch command with ``{port}`` unfilled, ``address`` the URL without secrets.
    ``stable`` is False for a model whose answers must not be kept beyond the run (an unnamed callable). ``details`` is
    what else decides the answers, by name: it tells models apart too.
    """

    dialect: str
    name: str
    revision: str = ""
    launch: str = ""
    address: str = ""
    stable: bool = True
    details: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        parts = ("dialect", "name", "revision", "launch", "address")
        return ", ".join(f"{part} {value}" for part in parts if (value := getattr(self, part)))


@runtime_checkable
class Model(Protocol):
    """What answers requests. One instance is one replica; it is asked by one thread at a time."""

    @property
    def identity(self) -> Identity: ...

    def ask(self, request: Request) -> Reply:
        """The reply to one request.

        Raises :class:`~pytest_jevbench.errors.Refused`, :class:`~pytest_jevbench.errors.Unreachable`,
        :class:`~pytest_jevbench.errors.ModelDown` or :class:`~pytest_jevbench.errors.AnswerFormatError` (there is a
        reply, and it has no ``answers`` object).
        """
        ...

    def close(self) -> None:
        """Give back what the model holds: connections, processes."""
        ...
