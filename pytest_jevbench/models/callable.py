"""A model that is a Python function: ``(state, questions) -> answers``."""

from __future__ import annotations

import functools
import inspect
import time
import traceback
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from pytest_jevbench.errors import AnswerFormatError, InputError, JevbenchError, ModelError, Place
from pytest_jevbench.json_text import JSON, printable, shown
from pytest_jevbench.models.failing import DOWN_AFTER, FailureStreak
from pytest_jevbench.models.plain_values import copied, plain
from pytest_jevbench.models.protocol import Identity, Reply
from pytest_jevbench.models.redaction import Redactor
from pytest_jevbench.questions import Request

__all__ = ["AnswerFunction", "CallableModel", "named"]

AnswerFunction: TypeAlias = Callable[[Any, dict[str, Any]], Mapping[str, Any]]
"""Takes the state (text, object or array) and the questions by key in wire form, returns the answers by key."""

_LONGEST_ERROR = 1000


class CallableModel:
    """A function as a model.

    The function is given a state and questions of its own, free to change them, and returns the answers object
    itself. Its exceptions become :class:`ModelError` with type, message and place; ``down_after`` of them in a row
    are :class:`ModelDown`. Without a ``name`` its answers are kept for the run only. Raises :class:`InputError` for
    what cannot be called so, an ``async`` function among it.
    """

    def __init__(self, function: AnswerFunction, name: str | None = None, *, down_after: int = DOWN_AFTER) -> None:
        _check(function)
        self._function = function
        self._identity = Identity("callable", name or _own_name(function), stable=bool(name))
        self._streak = FailureStreak(down_after)

    def __repr__(self) -> str:
        return f"CallableModel({self._identity.name!r})"

    @property
    def identity(self) -> Identity:
        return self._identity

    def ask(self, request: Request) -> Reply:
        """The function's answers to one request."""
        self._streak.check()
        questions = {key: question.to_json() for key, question in request.questions.items()}
        started = time.perf_counter()
        try:
            result = self._function(copied(request.state), questions)
        except JevbenchError:
            raise
        except (Exception, SystemExit) as error:
            raise self._streak.failed(ModelError(self._told(error))) from error
        seconds = time.perf_counter() - started
        self._streak.alive()
        return Reply(self._answers(result, request), seconds=seconds)

    def close(self) -> None:
        """Nothing is held."""

    def _told(self, error: BaseException) -> str:
        text = Redactor()(printable(str(error))).strip()[:_LONGEST_ERROR]
        frames = traceback.extract_tb(error.__traceback__)[1:]
        place = f" at {frames[-1].filename}:{frames[-1].lineno} in {frames[-1].name}" if frames else ""
        return f"{self._identity.name} raised {type(error).__name__}{place}: {text or '(no message)'}"

    def _answers(self, result: Any, request: Request) -> Mapping[str, JSON]:
        name = self._identity.name
        if inspect.isawaitable(result):
            if inspect.iscoroutine(result):
                result.close()
            raise AnswerFormatError(f"{name} returned an awaitable. {_ASYNC_ADVICE}")
        if not isinstance(result, Mapping):
            raise AnswerFormatError(
                f"{name} returned {shown(result)}, a {type(result).__name__}. Return the answers: a dict with one "
                "answer for each question key"
            )
        if "answers" in result and "answers" not in request.questions:
            raise AnswerFormatError(
                f"{name} returned a whole response with the key 'answers'. Return the answers object alone: what "
                "stands under that key"
            )
        answers = plain(result)
        assert isinstance(answers, dict)
        return answers


def named(function: AnswerFunction, name: str) -> CallableModel:
    """A function as a model under a name, which lets its answers be kept from one run to the next.

    Give each version another name: ``named(predict, "router-2024-06")``. Raises :class:`InputError` for an empty
    name.
    """
    if not isinstance(name, str) or not name.strip():
        raise InputError.unexpected(name, "a name for the model, such as 'v1'", Place(field="name"))
    return CallableModel(function, name)


_ASYNC_ADVICE = (
    "Give a plain function; one that runs the other: lambda state, questions: asyncio.run(f(state, questions))"
)


def _check(function: Any) -> None:
    place = Place(field="model")
    if not callable(function):
        raise InputError.unexpected(function, "a function (state, questions) -> answers, or a Model", place)
    if inspect.isclass(function):
        raise InputError(
            f"{_own_name(function)} is a class",
            place=place,
            advice="Give an object of it, or a function (state, questions)",
        )
    inner = function
    while isinstance(inner, functools.partial):
        inner = inner.func
    call = getattr(type(inner), "__call__", None)  # noqa: B004 - the method itself is looked at
    if inspect.iscoroutinefunction(inner) or inspect.isasyncgenfunction(inner) or inspect.iscoroutinefunction(call):
        raise InputError(f"{_own_name(function)} is an async function", place=place, advice=_ASYNC_ADVICE)
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # builtins may have none
    try:
        signature.bind("state", {})
    except TypeError as error:
        raise InputError(
            f"{_own_name(function)}{signature} cannot be called with (state, questions): {error}",
            place=place,
            advice="A model is a function of two arguments: the state and the questions by key",
        ) from None


def _own_name(function: Any) -> str:
    inner = function
    while isinstance(inner, functools.partial):
        inner = inner.func
    name = getattr(inner, "__qualname__", None) or type(inner).__qualname__
    module = getattr(inner, "__module__", None) or type(inner).__module__
    return f"{module}.{name}"
