"""Needle, a small model that calls functions: it names a label by a call, and states no distribution.

By default there is one tool, whose one argument is the answer. With the option ``{"choice_mode": "tools"}`` each option
of a Choice is a tool of its own, and the tool that is called is the answer. A call that the model withheld, or none at
all, is an abstention. Its single ``confidence`` is never made into a distribution.

The runtime is a factory: called with ``tools`` it gives an agent with ``complete(text)``, as the class ``Needle`` of
the package cactus-needle does.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Any

from pytest_jevbench.errors import InputError, Place, Refused
from pytest_jevbench.json_text import JSON, dumps, shown
from pytest_jevbench.models.dialects.base import LABEL_ONLY, Called, Dialect, InProcess, Route
from pytest_jevbench.models.dialects.rubric import with_rubric
from pytest_jevbench.questions import Choice, Noul, Question, answer_ids

__all__ = ["NEEDLE", "needle"]

NEEDLE = "needle"
MODES = ("argument", "tools")
_TOOL, _ARGUMENT = "answer", "answer"
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,63}")


def needle(options: Mapping[str, Any] | None = None) -> Dialect:
    """The dialect; ``options`` may have ``choice_mode``: ``argument`` (default) or ``tools``.

    Raises :class:`InputError` for another option.
    """
    given = {name: value for name, value in (options or {}).items() if value is not None}
    place = Place(field="request options")
    if set(given) - {"choice_mode"}:
        raise InputError.unexpected(sorted(given), '{"choice_mode": "tools"} or nothing', place)
    mode = given.get("choice_mode", MODES[0])
    if mode not in MODES:
        raise InputError.unexpected(mode, f"one of {', '.join(MODES)}", place.at("choice_mode"))

    def call(runtime: Any, state: JSON, question: Question) -> Called:
        return _call(runtime, state, tools_of(question, mode))

    def read(received: Any, question: Question) -> Any:
        return _read(received, question, mode)

    return Dialect(
        name=NEEDLE,
        route=Route("", (), version=""),
        write=lambda request, _: request.body_text(),
        read=lambda value, _: value,
        probs_source=LABEL_ONLY,
        details={"probs_source": LABEL_ONLY, "choice_mode": mode},
        in_process=InProcess(call, read, lambda question: tools_of(question, mode)),
    )


def tools_of(question: Question, mode: str) -> list[dict[str, JSON]]:
    """The tools that ask a question. Raises :class:`Refused` where an option cannot be the name of a tool."""
    if mode == "tools" and isinstance(question, Choice):
        for option in question.options:
            if not _NAME.fullmatch(option):
                raise Refused(
                    f"not sent: with choice_mode tools each option is a tool, and {shown(option)} is no name of one",
                    attempts=0,
                )
        return [
            _tool(option, f"{question.instructions} {option}: {text}", {}) for option, text in question.options.items()
        ]
    argument: dict[str, JSON]
    if isinstance(question, Noul):
        argument = {"type": "boolean"}
    elif isinstance(question, Choice):
        argument = {"type": "string", "enum": list(question.options)}
    else:
        argument = {"type": "integer", "enum": list(range(len(question.levels)))}
    return [_tool(_TOOL, with_rubric(question), {_ARGUMENT: argument})]


def _tool(name: str, description: str, properties: dict[str, JSON]) -> dict[str, JSON]:
    parameters: JSON = {"type": "object", "properties": properties, "required": list(properties)}
    return {"name": name, "description": description, "parameters": parameters}


def _call(runtime: Any, state: JSON, tools: list[dict[str, JSON]]) -> Called:
    text = state if isinstance(state, str) else dumps(state, compact=True)
    agent = runtime(tools=tools, **_settings(runtime))
    try:
        received = agent.complete(text)
    finally:
        close = getattr(agent, "close", None)
        if callable(close):
            close()
    return Called({"tools": list(tools), "text": text}, received)


def _settings(runtime: Any) -> dict[str, Any]:
    """What keeps the answers of the real package the same from day to day: it tells the model the date by itself."""
    try:
        named = inspect.signature(runtime).parameters
    except (TypeError, ValueError):
        return {}
    return {"auto_date": False} if "auto_date" in named else {}


def _read(received: Any, question: Question, mode: str) -> Any:
    calls = received.get("function_calls") if isinstance(received, Mapping) else None
    if not isinstance(calls, (list, tuple)):
        return {"type": question.type, "problem": 'the model\'s response has no list "function_calls"'}
    if not calls:
        return {"type": question.type, "abstained": True}
    if len(calls) > 1:
        return {"type": question.type, "problem": f"{len(calls)} calls where one answers the question"}
    call = calls[0]
    name = call.get("name") if isinstance(call, Mapping) else None
    arguments = call.get("arguments") if isinstance(call, Mapping) else None
    if mode == "tools" and isinstance(question, Choice):
        return {"type": question.type, "label": name}
    if name != _TOOL or not isinstance(arguments, Mapping) or _ARGUMENT not in arguments:
        return {"type": question.type, "problem": f"the call {shown(call)} does not give the answer"}
    return {"type": question.type, "label": _label(arguments[_ARGUMENT], question)}


def _label(value: Any, question: Question) -> Any:
    """The answer id that an argument means; what means none stays as it is, and is no label."""
    if isinstance(question, Noul):
        return {True: "true", False: "false"}[value] if isinstance(value, bool) else value
    if isinstance(question, Choice):
        return value
    whole = isinstance(value, int) and not isinstance(value, bool)
    return str(value) if whole and str(value) in answer_ids(question) else value
