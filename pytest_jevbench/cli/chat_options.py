"""Options of commands that ask a chat model, and where its key comes from."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_jevbench.json_text import JSON

__all__ = ["extra_fields", "key_from"]


def key_from(variable: str) -> str | None:
    """A key from the environment."""
    return os.environ.get(variable) or None


def extra_fields(text: str | None, option: str) -> dict[str, JSON]:
    """The fields of an option that takes a JSON object. Raises :class:`~pytest_jevbench.errors.InputError`."""
    from pytest_jevbench.errors import InputError, Place
    from pytest_jevbench.json_text import JsonProblem, loads

    if text is None:
        return {}
    place, advice = Place(field=option), 'Give a JSON object, such as \'{"reasoning_effort": "low"}\''
    try:
        value = loads(text)
    except JsonProblem as problem:
        raise InputError(str(problem), place=place, advice=advice) from None
    if not isinstance(value, dict):
        raise InputError.unexpected(value, "a JSON object", place)
    taken = [name for name in ("model", "messages", "stream") if name in value]
    if taken:
        raise InputError(f"{taken[0]} is no further field", place=place, advice="Leave it out")
    return value
