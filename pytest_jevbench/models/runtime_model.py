"""A model that runs in this process, found by the name of what makes or answers, and called in a dialect."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pytest_jevbench.errors import InputError, JevbenchError, ModelError, Place
from pytest_jevbench.json_text import JSON, printable
from pytest_jevbench.models.dialects.base import Dialect
from pytest_jevbench.models.exchange import Exchange, Recorder
from pytest_jevbench.models.failing import DOWN_AFTER, FailureStreak
from pytest_jevbench.models.plain_values import copied, plain
from pytest_jevbench.models.protocol import Identity, Reply
from pytest_jevbench.models.redaction import Redactor
from pytest_jevbench.questions import Request

__all__ = ["RuntimeModel", "find_runtime"]

_LONGEST_ERROR = 1000


class RuntimeModel:
    """A runtime, called with one question after another on the thread that asks.

    ``runtime`` is called as the ``dialect`` says. ``name`` and ``revision`` tell versions apart; without either the
    answers are kept for the run alone. ``record``, where it is set, is told of each call. ``down_after`` exceptions in
    a row are :class:`~pytest_jevbench.errors.ModelDown`.
    """

    def __init__(
        self,
        runtime: Any,
        dialect: Dialect,
        *,
        name: str | None = None,
        revision: str = "",
        entry: str = "",
        down_after: int = DOWN_AFTER,
    ) -> None:
        if dialect.in_process is None:
            raise ValueError(f"the dialect {dialect.name} asks a server")
        self._runtime = runtime
        self._dialect = dialect
        self._how = dialect.in_process
        details = {"runtime": entry, **dialect.details} if entry else dict(dialect.details)
        self._identity = Identity(
            dialect.name, name or entry or dialect.name, revision, stable=bool(name or revision), details=details
        )
        self._streak = FailureStreak(down_after)
        self._told = False
        self.record: Recorder | None = None

    def __repr__(self) -> str:
        return f"RuntimeModel({self._identity.name!r}, {self._dialect.name})"

    @property
    def identity(self) -> Identity:
        return self._identity

    def ask(self, request: Request) -> Reply:
        """The runtime's answers to one request, question by question."""
        self._streak.check()
        answers: dict[str, JSON] = {}
        started = time.perf_counter()
        for key, question in request.questions.items():
            began = time.perf_counter()
            try:
                called = self._how.call(self._runtime, copied(request.state), question)
            except JevbenchError:
                raise
            except (Exception, SystemExit) as error:
                told = self._told_of(error)
                self._tell(Exchange(request.body(), seconds=time.perf_counter() - began, problem=told))
                raise self._streak.failed(ModelError(told)) from error
            received = plain(called.received)
            self._tell(Exchange(called.sent, received, seconds=time.perf_counter() - began))
            answers[key] = self._how.read(received, question)
        self._streak.alive()
        self._warn_if_cut(answers)
        return Reply(answers, seconds=time.perf_counter() - started)

    def close(self) -> None:
        """Close the runtime, if it can be closed."""
        close = getattr(self._runtime, "close", None)
        if callable(close) and not isinstance(self._runtime, type):
            close()

    def _tell(self, exchange: Exchange) -> None:
        if self.record is not None:
            self.record(exchange)

    def _warn_if_cut(self, answers: Mapping[str, Any]) -> None:
        cut = any(isinstance(answer, Mapping) and answer.get("truncated") for answer in answers.values())
        if cut and not self._told and self.record is None:
            from pytest_jevbench.warning import notify

            self._told = True
            notify(f"{self._identity.name} says that it cut a state, so its answers are about a part of it")

    def _told_of(self, error: BaseException) -> str:
        text = Redactor()(printable(str(error))).strip()[:_LONGEST_ERROR]
        return f"{self._identity.name} raised {type(error).__name__}: {text or '(no message)'}"


def find_runtime(entry: str) -> Any:
    """What ``MODULE:NAME`` names, modules below the current directory among them.

    Raises :class:`InputError` for what is not there or cannot be imported.
    """
    place = Place(field="runtime")
    module_name, colon, path = entry.partition(":")
    if not colon or not module_name or not path:
        raise InputError.unexpected(entry, "MODULE:NAME, such as my_models:openjev or needle:Needle", place)
    here = str(Path.cwd())
    sys.path.insert(0, here)
    try:
        found: Any = importlib.import_module(module_name)
        for part in path.split("."):
            found = getattr(found, part)
    except (Exception, SystemExit) as error:
        text = printable(f"{type(error).__name__}: {error}")[:_LONGEST_ERROR]
        raise InputError(f"{entry} cannot be imported ({text})", place=place, advice="Name what is there") from error
    finally:
        if here in sys.path:
            sys.path.remove(here)
    if not callable(found) and not any(callable(getattr(found, name, None)) for name in ("predict", "decide")):
        raise InputError(
            f"{entry} is a {type(found).__name__}, and neither a function nor an object with predict or decide",
            place=place,
        )
    return found
