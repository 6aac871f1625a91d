"""Checks a JSON value against the card's JSON Schema, as far as that schema goes.

It knows the keywords that card.schema.json uses, so that reading a card needs no further package; the tests hold it
against a complete validator.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.scoring.fields import is_number

__all__ = ["card_schema", "check_value"]

_TYPES: Mapping[str, tuple[str, Any]] = {
    "object": ("an object", lambda v: isinstance(v, dict)),
    "array": ("an array", lambda v: isinstance(v, list)),
    "string": ("a text", lambda v: isinstance(v, str)),
    "boolean": ("true or false", lambda v: isinstance(v, bool)),
    "null": ("null", lambda v: v is None),
    "number": ("a number", is_number),
    "integer": ("an integer", lambda v: is_number(v) and float(v).is_integer()),
}


@lru_cache(maxsize=1)
def card_schema() -> dict[str, Any]:
    """The JSON Schema of a card."""
    text = Path(__file__).with_name("card.schema.json").read_text(encoding="utf-8")
    return json.loads(text)  # type: ignore[no-any-return]


def check_value(value: Any, schema: Any, place: Place) -> None:
    """Raise :class:`InputError` for the first part of a value that the schema does not allow."""
    if schema is True:
        return
    if "$ref" in schema:
        check_value(value, card_schema()["$defs"][schema["$ref"].rpartition("/")[2]], place)
    elif "anyOf" in schema:  # null, or one other thing
        other, _ = schema["anyOf"]
        if value is not None:
            check_value(value, other, place)
    elif "oneOf" in schema:
        _check_one_of(value, schema["oneOf"], place)
    else:
        _check_plain(value, schema, place)
        if isinstance(value, dict):
            _check_object(value, schema, place)
        elif isinstance(value, list) and "items" in schema:
            for i, item in enumerate(value):
                check_value(item, schema["items"], Place(place.file, place.line, f"{place.field or ''}[{i}]"))


def _check_one_of(value: Any, choices: list[Any], place: Place) -> None:
    """The alternatives exclude one another by their constants: the last error is as good as any."""
    for choice in choices[:-1]:
        try:
            return check_value(value, choice, place)
        except InputError:
            continue
    return check_value(value, choices[-1], place)


def _check_plain(value: Any, schema: Mapping[str, Any], place: Place) -> None:
    if "const" in schema and value != schema["const"]:
        raise InputError.unexpected(value, f"{schema['const']!r}", place)
    if "enum" in schema and value not in schema["enum"]:
        raise InputError.unexpected(value, f"one of {', '.join(schema['enum'])}", place)
    if "type" in schema:
        names = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
        if not any(_TYPES[name][1](value) for name in names):
            raise InputError.unexpected(value, " or ".join(_TYPES[name][0] for name in names), place)
    if "pattern" in schema and not re.search(schema["pattern"], value):
        raise InputError.unexpected(value, f"a text of the form {schema['pattern']}", place)
    if "minimum" in schema and value < schema["minimum"]:
        raise InputError.unexpected(value, f"at least {schema['minimum']}", place)
    if "maximum" in schema and value > schema["maximum"]:
        raise InputError.unexpected(value, f"at most {schema['maximum']}", place)
    size = len(value) if isinstance(value, list) else 0
    if size < schema.get("minItems", 0) or size > schema.get("maxItems", size):
        raise InputError.unexpected(value, schema.get("description", "another number of items"), place)


def _check_object(value: Mapping[str, Any], schema: Mapping[str, Any], place: Place) -> None:
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            raise InputError(f"there is no {name!r}", place=place.at(name))
    for name, item in value.items():
        inner = properties.get(name, schema.get("additionalProperties", True))
        if inner is not True:
            check_value(item, inner, place.at(name))
