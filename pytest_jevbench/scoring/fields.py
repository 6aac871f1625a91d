"""Reading the fields of a JSON file that another program may have written: every wrong one is named with its place."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from pytest_jevbench.errors import InputError, Place

__all__ = ["Fields"]

T = TypeVar("T")
_REQUIRED: Any = object()


class Fields:
    """A JSON object with its place. Each reader raises :class:`InputError` where the field is not what it should be."""

    __slots__ = ("_inside", "_label", "values")

    def __init__(self, values: object, inside: Place, label: str | tuple[str, int] = "") -> None:
        """``label`` is the object's field in the place it is inside: a name, or an array's name and a position."""
        self._inside = inside
        self._label = label
        if not isinstance(values, dict):
            raise InputError.unexpected(values, "a JSON object", self.place)
        self.values: Mapping[str, Any] = values

    @property
    def place(self) -> Place:
        """Made on demand: a card has tens of thousands of objects and at most one is wrong."""
        if not self._label:
            return self._inside
        name = self._label if isinstance(self._label, str) else f"{self._label[0]}[{self._label[1]}]"
        return self._inside.at(name)

    def _read(self, name: str, default: T, wanted: str, fits: Callable[[Any], bool]) -> T:
        value = self.values.get(name, default)
        if value is not default and fits(value):
            return value  # type: ignore[no-any-return]
        if value is _REQUIRED:
            raise InputError(f"there is no {name!r}", place=self.place.at(name), advice=f"Give {wanted}")
        if value is default:
            return value
        raise InputError.unexpected(value, wanted, self.place.at(name))

    def text(self, name: str, default: str = _REQUIRED) -> str:
        """A text."""
        return self._read(name, default, "a text", lambda v: isinstance(v, str))

    def whole(self, name: str, default: int = _REQUIRED) -> int:
        """An integer of at least 0."""
        return self._read(name, default, "an integer of at least 0", is_whole)

    def number(self, name: str, default: float = _REQUIRED) -> float:
        """A finite number."""
        return self._read(name, default, "a number", is_number)

    def optional_number(self, name: str) -> float | None:
        """A finite number or null; absent is null."""
        return self._read(name, None, "a number or null", lambda v: v is None or is_number(v))

    def optional_flag(self, name: str) -> bool | None:
        """True, false or null; absent is null."""
        return self._read(name, None, "true, false or null", lambda v: v is None or isinstance(v, bool))

    def one_of(self, name: str, allowed: tuple[str, ...], default: str = _REQUIRED) -> str:
        """One of some texts."""
        return self._read(name, default, f"one of {', '.join(allowed)}", lambda v: v in allowed)

    def array(self, name: str, default: list[Any] = _REQUIRED) -> list[Any]:
        """An array."""
        return self._read(name, default, "an array", lambda v: isinstance(v, list))

    def texts(self, name: str, default: list[str] = _REQUIRED) -> list[str]:
        """An array of texts."""
        return self._read(
            name, default, "an array of texts", lambda v: isinstance(v, list) and all(isinstance(t, str) for t in v)
        )

    def object(self, name: str) -> Fields:
        """An object."""
        return Fields(self._read(name, _REQUIRED, "an object", lambda v: isinstance(v, dict)), self.place, name)

    def object_or_empty(self, name: str) -> Fields:
        """An object; absent or null is an empty one."""
        value = self.values.get(name)
        return Fields({} if value is None else value, self.place, name)

    def counts(self, name: str) -> dict[str, int]:
        """An object of counts; absent or null is an empty one."""
        inner = self.object_or_empty(name)
        return {key: inner.whole(key) for key in inner.values}

    def strings(self, name: str) -> dict[str, str]:
        """An object of texts; absent or null is an empty one."""
        inner = self.object_or_empty(name)
        return {key: inner.text(key) for key in inner.values}

    def objects(self, name: str) -> list[Fields]:
        """An array of objects."""
        place = self.place
        return [Fields(value, place, (name, i)) for i, value in enumerate(self.array(name))]


def is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
