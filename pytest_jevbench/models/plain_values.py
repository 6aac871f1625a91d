"""Plain JSON values of what a user's function takes and returns."""

from __future__ import annotations

import numbers
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from pytest_jevbench.json_text import JSON, object_of

__all__ = ["copied", "plain"]


def copied(value: JSON) -> JSON:
    """A copy of a JSON value that shares no list and no object with it."""
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    if isinstance(value, list):
        return [copied(item) for item in value]
    return value


def plain(value: Any) -> JSON:
    """The JSON value that a Python value stands for, sharing no list and no object with it.

    Numpy and torch scalars become numbers, enums of text become text. Two keys that are one text in JSON give a
    :class:`DuplicateKeys`. NaN and infinities stay as they are: whoever reads an answer names them. What is no JSON at
    all becomes a text that names its type, so that one odd value spoils one answer and not the whole reply.
    """
    kind = type(value)
    if kind in _SCALARS:
        result: JSON = value
    elif kind is dict and _TEXT.issuperset(map(type, value)):  # nearly all there are
        if _SCALARS.issuperset(map(type, value.values())):
            result = value.copy()
        else:
            result = {key: item if type(item) in _SCALARS else plain(item) for key, item in value.items()}
    elif isinstance(value, str):
        result = str.__str__(value)
    elif isinstance(value, Mapping):
        result = _object(value)
    elif isinstance(value, (list, tuple)):
        result = [plain(item) for item in value]
    elif isinstance(value, numbers.Integral):
        result = int(value)
    elif isinstance(value, (numbers.Real, Decimal)):
        result = float(value)
    else:
        result = _from_array(value)
    return result


_SCALARS = frozenset({float, str, int, bool, type(None)})
_TEXT = frozenset({str})


def _object(value: Mapping[Any, Any]) -> dict[str, JSON]:
    pairs = [(_key(key), plain(item)) for key, item in value.items()]
    return object_of(pairs)


def _key(key: Any) -> str:
    if isinstance(key, str):
        return str.__str__(key)
    if key is None or isinstance(key, bool):
        return {None: "null", True: "true", False: "false"}[key]  # as in JSON
    if not isinstance(key, numbers.Integral):
        return str(key)
    return str(int(key))  # a level given by its index


def _from_array(value: Any) -> JSON:
    """Scalars and arrays of numerical libraries, by the methods they share."""
    if getattr(value, "ndim", None) == 0 and callable(getattr(value, "item", None)):
        scalar = value.item()
        if type(scalar) in (bool, int, float, str):
            plain_scalar: JSON = scalar
            return plain_scalar
    elif getattr(value, "ndim", None) and callable(getattr(value, "tolist", None)):
        return plain(value.tolist())
    return f"<{type(value).__module__}.{type(value).__qualname__}>"
