"""What a model gave for a request, as one line of ASCII text and back, without any change of meaning.

Reading a stored reply must give the verdict that reading the fresh one gave. So the text keeps what strict JSON
cannot: NaN and infinities, lone surrogates, and objects in which a key stood twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from json.encoder import JSONEncoder, encode_basestring_ascii
from math import isfinite
from typing import Any, Literal, TypeAlias

from pytest_jevbench.errors import AnswerFormatError, Refused
from pytest_jevbench.json_text import DuplicateKeys, JsonProblem, loads
from pytest_jevbench.models.protocol import Reply, Usage

__all__ = ["Kind", "Recorded", "Unstorable", "decode", "encode", "kind_of"]

Recorded: TypeAlias = Reply | Refused | AnswerFormatError
"""All a request can lead to that asking again would not change."""

Kind: TypeAlias = Literal["answered", "refused", "malformed"]


class Unstorable(ValueError):
    """The value is none that JSON can hold, or the text none that was written here."""


def kind_of(recorded: Recorded) -> Kind:
    """Which of the three a recorded outcome is."""
    if isinstance(recorded, Reply):
        return "answered"
    return "refused" if isinstance(recorded, Refused) else "malformed"


def encode(recorded: Recorded, *, circumstances: bool = True) -> str:
    """One line of ASCII. Without ``circumstances`` (time, attempts) equal answers give equal text in every run.

    Raises :class:`Unstorable` for values that no JSON text has, as a callable model may give them.
    """
    fields: dict[str, Any]
    if isinstance(recorded, Reply):
        usage = recorded.usage
        fields = {
            "model": recorded.model,
            "usage": [usage.input_tokens, usage.output_tokens],
            "seconds": recorded.seconds,
            "attempts": recorded.attempts,
        }
    else:
        fields = {"message": str(recorded)}
        if isinstance(recorded, Refused):
            fields |= {"status": recorded.status, "body": recorded.body, "attempts": recorded.attempts}
    if not circumstances:
        fields = {name: value for name, value in fields.items() if name not in ("seconds", "attempts")}
    if not isinstance(recorded, Reply):
        return text_of(fields)
    return f'{{"answers":{text_of(recorded.answers)},{text_of(fields)[1:]}'


def decode(kind: Kind, text: str) -> Recorded:
    """The outcome that :func:`encode` wrote. Raises :class:`Unstorable` where the text is damaged."""
    try:
        fields = loads(text, mark_duplicates=True, allow_constants=True)
        if kind == "answered":
            tokens_in, tokens_out = fields["usage"]
            return Reply(
                answers=fields["answers"],
                model=fields["model"],
                usage=Usage(tokens_in, tokens_out),
                attempts=fields.get("attempts", 1),
                seconds=fields.get("seconds", 0.0),
            )
        if kind == "refused":
            return Refused(
                fields["message"], status=fields["status"], body=fields["body"], attempts=fields.get("attempts", 1)
            )
        if kind == "malformed":
            return AnswerFormatError(fields["message"])
    except (JsonProblem, KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unstorable(f"not a stored reply: {error}") from None
    raise Unstorable(f"no kind of reply: {kind}")


def text_of(value: object) -> str:
    """JSON text in ASCII of any value that was read from JSON, doubled keys and NaN included."""
    with suppress(ValueError, RecursionError):  # NaN and infinities are written below
        if _is_ordinary(value):
            return _ORDINARY.encode(value)
    pieces: list[str] = []
    try:
        _write(value, pieces.append)
    except (RecursionError, ValueError) as error:
        raise Unstorable(f"cannot be stored: {error}") from None
    return "".join(pieces)


_ORDINARY = JSONEncoder(allow_nan=False, separators=(",", ":"))
_SCALARS = frozenset({str, int, float, bool, type(None)})


def _is_ordinary(value: object) -> bool:
    """Whether the standard encoder, ten times as fast, loses nothing of a value: no doubled key, no type of its own."""
    kind = type(value)
    if kind is dict:
        members: dict[Any, Any] = value  # type: ignore[assignment]
        return all(type(key) is str for key in members) and all(map(_is_ordinary, members.values()))
    if kind is list:
        items: list[Any] = value  # type: ignore[assignment]
        return all(map(_is_ordinary, items))
    return kind in _SCALARS


def _write(value: object, put: Callable[[str], None]) -> None:
    if isinstance(value, str):
        put(encode_basestring_ascii(str(value)))
    elif isinstance(value, float):
        put(_number(value))
    elif isinstance(value, Mapping):
        _write_members(value, put)
    elif value is None or value is True or value is False:
        put("null" if value is None else "true" if value else "false")
    elif isinstance(value, int):
        put(int.__repr__(value))
    elif isinstance(value, (list, tuple)):
        put("[")
        for index, item in enumerate(value):
            if index:
                put(",")
            _write(item, put)
        put("]")
    else:
        raise Unstorable(f"a {type(value).__name__} is no JSON value")


def _write_members(value: Mapping[Any, Any], put: Callable[[str], None]) -> None:
    pairs = list(value.items())
    if isinstance(value, DuplicateKeys):
        # Written again at the end, each doubled key is read as doubled, in the same order, with the same value.
        pairs += [(key, value[key]) for key in value.repeated]
    put("{")
    for index, (key, item) in enumerate(pairs):
        if not isinstance(key, str):
            raise Unstorable(f"a key that is a {type(key).__name__}, not text")
        put(f"{',' if index else ''}{encode_basestring_ascii(str(key))}:")
        _write(item, put)
    put("}")


def _number(value: float) -> str:
    if isfinite(value):
        return float.__repr__(value)
    return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
