"""Check that a value is a result of an evaluation of judges, before anything is made of it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from pytest_jevbench.errors import Place
from pytest_jevbench.scoring.schema_check import check_value

__all__ = ["check_judges", "judges_schema"]


def check_judges(value: object, place: Place | None = None) -> None:
    """Raise :class:`~pytest_jevbench.errors.InputError` for the first part that judges.schema.json does not allow."""
    check_value(value, _whole_schema(), place or Place())


@cache
def judges_schema() -> dict[str, Any]:
    """The schema beside this file."""
    schema: dict[str, Any] = json.loads(
        (files("pytest_jevbench.judges") / "judges.schema.json").read_text(encoding="utf-8")
    )
    return schema


@cache
def _whole_schema() -> Any:
    """The schema with each reference replaced by what it refers to; none refers to itself."""
    schema = judges_schema()
    return _replaced({name: part for name, part in schema.items() if name != "$defs"}, schema["$defs"])


def _replaced(part: Any, definitions: Mapping[str, Any]) -> Any:
    if isinstance(part, dict):
        if "$ref" in part:
            return _replaced(definitions[part["$ref"].rpartition("/")[2]], definitions)
        return {name: _replaced(inner, definitions) for name, inner in part.items()}
    if isinstance(part, list):
        return [_replaced(inner, definitions) for inner in part]
    return part
