"""Strict JSON, in and out.

Python's ``json`` reads NaN and duplicate keys and writes NaN and lone surrogates; none of these is
JSON that another tool can read, and each has hidden an error somewhere. Everything the project reads or
writes goes through here.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from functools import cache
from typing import Any, TypeAlias

__all__ = [
    "JSON",
    "DuplicateKeys",
    "JsonProblem",
    "dumps",
    "find_surrogate",
    "loads",
    "object_of",
    "printable",
    "shown",
]

_SURROGATE = re.compile("[\ud800-\udfff]")
_UNSAFE = re.compile("[\x85\u2028\u2029\ud800-\udfff]")

JSON: TypeAlias = None | bool | int | float | str | list[Any] | dict[str, Any]


class JsonProblem(ValueError):
    """The text is not strict JSON; the message says what is wrong and where."""


class DuplicateKeys(dict[str, Any]):
    """An object in which a key stood twice; the last value is kept, ``repeated`` names the keys."""

    repeated: tuple[str, ...] = ()


def _refuse_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise JsonProblem(f"key {shown(_repeated(pairs)[0])} stands twice in one object")
    return value


def object_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these members, a :class:`DuplicateKeys` where a key stands twice."""
    value = dict(pairs)
    if len(value) == len(pairs):
        return value
    marked = DuplicateKeys(value)
    marked.repeated = _repeated(pairs)
    return marked


def _repeated(pairs: list[tuple[str, Any]]) -> tuple[str, ...]:
    seen: set[str] = set()
    twice: dict[str, None] = {}
    for key, _ in pairs:
        if key in seen:
            twice[key] = None
        seen.add(key)
    return tuple(twice)


def _no_constant(name: str) -> Any:
    raise JsonProblem(f"{name} is not JSON")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise JsonProblem(f"{text[:20]} is too large for a number")
    return value


@cache
def _decoder(mark_duplicates: bool, allow_constants: bool) -> json.JSONDecoder:
    return json.JSONDecoder(
        object_pairs_hook=object_of if mark_duplicates else _refuse_duplicates,
        parse_constant=None if allow_constants else _no_constant,
        parse_float=None if allow_constants else _finite,
    )


@cache
def _encoder(indent: int | None, compact: bool) -> json.JSONEncoder:
    separators = (",", ":") if compact else None
    return json.JSONEncoder(ensure_ascii=False, allow_nan=False, indent=indent, separators=separators)


def loads(text: str, *, mark_duplicates: bool = False, allow_constants: bool = False) -> Any:
    """The value of a JSON text.

    A key that stands twice in an object is refused, or, with ``mark_duplicates``, gives a
    :class:`DuplicateKeys`. ``NaN``, ``Infinity`` and numbers that overflow (1e400) are refused unless
    ``allow_constants`` (to read what a model sent, where the reader of answers names the value). Raises
    :class:`JsonProblem`.
    """
    try:
        return _decoder(mark_duplicates, allow_constants).decode(text)
    except json.JSONDecodeError as error:
        if not text.strip():
            raise JsonProblem("not JSON: it is empty") from None
        line = f"line {error.lineno}, " if error.lineno > 1 else ""
        raise JsonProblem(f"not JSON: {error.msg.removesuffix(' at')} at {line}column {error.colno}") from None
    except RecursionError:
        raise JsonProblem("not JSON: nested too deeply") from None
    except JsonProblem:
        raise
    except ValueError:  # Python converts no integer of thousands of digits
        raise JsonProblem("not JSON that can be read: a whole number has thousands of digits") from None


def dumps(value: object, *, indent: int | None = None, compact: bool = False) -> str:
    """Strict JSON text, non-ASCII kept, keys in their order.

    U+0085, U+2028, U+2029 and lone surrogates are escaped: the first three split lines in readers that use
    ``str.splitlines``, the last cannot be encoded in UTF-8. Raises ``ValueError`` on NaN and infinities.
    """
    text = _encoder(indent, compact).encode(value)
    return text if text.isascii() else _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def find_surrogate(value: object, field: str = "") -> str | None:
    """The dotted place of the first lone surrogate inside a JSON value, or None."""
    if isinstance(value, str):
        return field if not value.isascii() and _SURROGATE.search(value) else None
    if isinstance(value, dict):
        for key, item in value.items():
            inner = f"{field}.{key}" if field else str(key)
            found = find_surrogate(key, inner) or find_surrogate(item, inner)
            if found is not None:
                return found
    if isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            found = find_surrogate(item, f"{field}[{index}]")
            if found is not None:
                return found
    return None


def printable(text: str) -> str:
    """The text with control, format and unassigned characters escaped: safe on a terminal and in XML."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or (c == "\n") else _visible(c) for c in text)


def _visible(character: str) -> str:
    if unicodedata.category(character) == "Zs":
        return " "
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def shown(value: object, limit: int = 80) -> str:
    """A value as JSON on one line, cut to ``limit`` characters, safe to print in a message."""
    if isinstance(value, float) and not math.isfinite(value):
        text = str(value)
    else:
        try:
            text = json.dumps(value, ensure_ascii=False, default=repr)
        except (TypeError, ValueError, RecursionError):
            text = repr(value)
    text = printable(text).replace("\n", "\\n")
    return text if len(text) <= limit else text[: limit - 1] + "…"
