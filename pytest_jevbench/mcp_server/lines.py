"""Messages as they come in: one JSON text a line, of at most 1 MiB. What is none is answered here, and goes no further.

The SDK reads lines of any length and passes over broken ones in silence; a client that sent one would wait for ever.
"""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any, BinaryIO

import anyio
import anyio.to_thread

from pytest_jevbench.json_text import find_surrogate

__all__ = ["MOST_BYTES", "IncomingLines", "OutgoingLines"]

MOST_BYTES = 1024 * 1024

PARSE_ERROR = -32700
INVALID_REQUEST = -32600

ENDS = 400
DEEPEST = 100
"""A card is nested less deeply than 20."""

_ID = rb'"jsonrpc"\s*:\s*"2\.0"\s*,\s*"id"\s*:\s*(-?\d{1,18}|"[\w-]{1,200}")\s*'
_ID_FIRST = re.compile(rb"\s*\{\s*" + _ID + b",")
_ID_LAST = re.compile(b"," + rb"\s*" + _ID + rb"\}\s*$")


class OutgoingLines:
    """Standard output as the SDK writes it: text, then a flush. One message is written at a time."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._lock = anyio.Lock()

    async def write(self, text: str) -> None:
        async with self._lock:
            await anyio.to_thread.run_sync(self._put, text.encode("utf-8", "backslashreplace"))

    async def flush(self) -> None:
        """Each message was flushed when it was written."""

    def _put(self, data: bytes) -> None:
        self._stream.write(data)
        self._stream.flush()


class IncomingLines:
    """Lines of standard input that are messages. The others get a JSON-RPC error.

    ``understood`` is whether the SDK can read a message: what it cannot, it would pass over in silence.
    """

    def __init__(self, stream: BinaryIO, out: OutgoingLines, understood: Callable[[str], bool]) -> None:
        self._stream = stream
        self._out = out
        self._understood = understood

    async def __aiter__(self) -> AsyncIterator[str]:
        while line := await anyio.to_thread.run_sync(self._read, abandon_on_cancel=True):
            if len(line) > MOST_BYTES:
                await self._refuse(
                    _id_of_broken(line), INVALID_REQUEST, f"the message has more than {MOST_BYTES:,} bytes"
                )
                continue
            if not line.strip():
                continue
            text, identifier, problem, code = _checked(line, self._understood)
            if problem:
                await self._refuse(identifier, code, problem)
            elif text:
                yield text

    def _read(self) -> bytes:
        """The next line; of one that is too long its start, a line feed, and its end."""
        line = self._stream.readline(MOST_BYTES + 2)
        if len(line) > MOST_BYTES and not line.endswith(b"\n"):
            end = b""
            while (rest := self._stream.readline(MOST_BYTES)) and not (end := (end + rest)[-ENDS:]).endswith(b"\n"):
                pass
            return line + b"\n" + end
        return line.rstrip(b"\r\n") or (line and b" ")

    async def _refuse(self, identifier: Any, code: int, problem: str) -> None:
        error = {"jsonrpc": "2.0", "id": identifier, "error": {"code": code, "message": problem}}
        await self._out.write(json.dumps(error) + "\n")


def _checked(line: bytes, understood: Callable[[str], bool]) -> tuple[str, Any, str, int]:
    """The text of a message, the id to answer to, and what is wrong with it."""
    try:
        text = line.decode("utf-8")
        value = json.loads(text, parse_constant=_refuse_constant)
    except UnicodeDecodeError:
        return "", _id_of_broken(line), "the message is not UTF-8", PARSE_ERROR
    except (ValueError, RecursionError):
        return "", _id_of_broken(line), "the message is not JSON", PARSE_ERROR
    if not isinstance(value, dict):
        return "", None, "the message is not a JSON-RPC object", INVALID_REQUEST
    is_response = "method" not in value and ("result" in value or "error" in value)
    identifier = value.get("id")
    if isinstance(identifier, bool) or not isinstance(identifier, (str, int, type(None))):
        return "", None, "the id is neither a text nor a whole number", INVALID_REQUEST
    problem = "" if is_response else _problem(value)
    if not problem and not understood(text):
        problem = "" if is_response else "the message is no request and no notification"
        text = ""
    return text, identifier, problem, INVALID_REQUEST


def _problem(value: dict[str, Any]) -> str:
    """What is wrong with a request or a notification."""
    if _depth(value) > DEEPEST:
        return f"the message is nested more than {DEEPEST} deep"
    half = find_surrogate(value)
    if half is not None:
        return f"{half[:200]}: half of a character (a lone surrogate)"
    if "id" in value and value["id"] is None:
        return "the id is null"
    if value.get("jsonrpc") != "2.0":
        return 'there is no "jsonrpc": "2.0"'
    if not isinstance(value.get("method"), str):
        return "there is no method"
    return "" if isinstance(value.get("params", {}), dict) else "the params are no object"


def _depth(value: Any) -> int:
    """How deep lists and objects are nested, looked at no further than is allowed."""
    level, depth = [value], 0
    while level and depth <= DEEPEST:
        level = [one for part in level if isinstance(part, (dict, list)) for one in _inside(part)]
        depth += bool(level)
    return depth


def _inside(part: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return part.values() if isinstance(part, dict) else part


def _id_of_broken(line: bytes) -> Any:
    """The id of a message that cannot be read, where clients put it, first or last: its sender waits for it."""
    found = _ID_FIRST.match(line) or _ID_LAST.search(line[-ENDS:])
    return json.loads(found[1]) if found else None


def _refuse_constant(name: str) -> None:
    raise ValueError(name)
