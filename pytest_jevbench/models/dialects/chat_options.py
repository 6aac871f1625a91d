"""Further fields of a request to a chat model, as a person gives them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import JsonProblem, dumps, find_surrogate, loads
from pytest_jevbench.models.redaction import Redactor, looks_like_a_key

__all__ = ["DEFAULTS", "LIMITS", "effective", "longest_output", "recorded", "request_options"]

DEFAULTS: Mapping[str, Any] = {"temperature": 0}
"""What is sent where nothing else is said. Some models refuse it: null takes it out."""

LIMITS = ("max_completion_tokens", "max_tokens")
"""The fields by which servers are told how many tokens an answer may have."""

_FIXED = {
    "model": "Name it as the model instead",
    "messages": "They are made of the cases",
    "stream": "An answer is read whole",
    "n": "A request has one answer",
}


def request_options(text: str, place: Place) -> dict[str, Any]:
    """The options in a JSON text. Raises :class:`InputError`; the text may hold a secret and is not shown."""
    try:
        value = loads(text)
    except JsonProblem as problem:
        raise InputError(
            f"the text is {problem}" if "stands twice" not in str(problem) else "a name stands twice in one object",
            place=place,
            advice="""Give a JSON object such as '{"temperature": 0.2}'""",
        ) from None
    if not isinstance(value, dict):
        raise InputError.unexpected(value, 'a JSON object such as {"temperature": 0.2}', place)
    for name, advice in _FIXED.items():
        if name in value:
            raise InputError(f"{name!r} cannot be set here", place=place, advice=advice)
    if find_surrogate(value) is not None:
        raise InputError("a text in it cannot be written as UTF-8", place=place, advice="Remove the lone surrogate")
    if _holds_a_key(value):
        raise InputError(
            "there is something like a key in it, and options are written into the card",
            place=place,
            advice="Put the key into the environment variable JEVBENCH_API_KEY",
        )
    return value


def _holds_a_key(value: Any) -> bool:
    if isinstance(value, str):
        return looks_like_a_key(value) or Redactor()(value) != value
    if isinstance(value, dict):
        return any(map(_holds_a_key, value.values()))
    return isinstance(value, list) and any(map(_holds_a_key, value))


def effective(options: Mapping[str, Any]) -> dict[str, Any]:
    """What is sent of the defaults and the options; an option that is null takes a field out."""
    return {name: value for name, value in {**DEFAULTS, **options}.items() if value is not None}


def recorded(options: Mapping[str, Any]) -> str:
    """The fields sent, as one JSON text that does not depend on the order they were given in.

    A ``response_format`` that was taken out or replaced stands in it; the one that is sent otherwise does not.
    """
    fields = effective(options)
    if "response_format" in options:
        fields["response_format"] = options["response_format"]
    return dumps(_sorted(fields), compact=True)


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _sorted(value[name]) for name in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value


def longest_output(options: Mapping[str, Any]) -> int | None:
    """The limit of tokens in an answer that the options set."""
    limits = [value for name in LIMITS if type(value := options.get(name)) is int and value > 0]
    return max(limits, default=None)
