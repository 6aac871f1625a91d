"""The fields of a JSON object, each read with the type it must have."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from pytest_jevbench.errors import InputError, Place

__all__ = ["RowFields"]

Word = TypeVar("Word", bound=str)


@dataclass(frozen=True, slots=True)
class RowFields:
    """An object and where it stands. A field that is left out reads as null.

    Every reader raises :class:`InputError` naming the field. A truth value is never a number.
    """

    fields: Mapping[str, Any]
    place: Place

    @classmethod
    def of(cls, value: object, place: Place) -> RowFields:
        """The fields of an object."""
        if not isinstance(value, dict):
            raise InputError.unexpected(value, "an object", place)
        return cls(value, place)

    def value(self, name: str) -> Any:
        return self.fields.get(name)

    def inner(self, name: str) -> RowFields:
        """The object under a name; empty where there is none."""
        found = self.fields.get(name)
        return RowFields.of({} if found is None else found, self.place.at(name))

    def text(self, name: str) -> str:
        """A text that is not empty."""
        found = self.fields.get(name)
        if not isinstance(found, str) or not found:
            raise InputError.unexpected(found, "non-empty text", self.place.at(name))
        return found

    def optional_text(self, name: str) -> str | None:
        found = self.fields.get(name)
        if found is not None and not isinstance(found, str):
            raise InputError.unexpected(found, "text or null", self.place.at(name))
        return found

    def one_of(self, name: str, words: Sequence[Word]) -> Word:
        found = self.fields.get(name)
        for word in words:
            if found == word and isinstance(found, str):
                return word
        raise InputError.unexpected(found, f"one of {', '.join(repr(w) for w in words)}", self.place.at(name))

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts; empty where there is none."""
        found = self.fields.get(name)
        if found is None:
            return ()
        if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
            raise InputError.unexpected(found, "a list of texts", self.place.at(name))
        return tuple(found)

    def truth(self, name: str) -> bool:
        """A truth value; false where there is none."""
        found = self.fields.get(name, False)
        if not isinstance(found, bool):
            raise InputError.unexpected(found, "true or false", self.place.at(name))
        return found

    def whole(self, name: str) -> int | None:
        """A whole number of at least 0, or null."""
        found = self.fields.get(name)
        if found is None:
            return None
        if isinstance(found, bool) or not isinstance(found, int) or found < 0:
            raise InputError.unexpected(found, "a whole number of at least 0, or null", self.place.at(name))
        return found

    def number(self, name: str, *, low: float = -math.inf, high: float = math.inf) -> float | None:
        """A finite number between the bounds, or null."""
        found = self.fields.get(name)
        return None if found is None else _number(found, self.place.at(name), low, high)

    def numbers(self, name: str, *, low: float = -math.inf, high: float = math.inf) -> dict[str, float] | None:
        """Finite numbers by name, or null."""
        found = self.fields.get(name)
        if found is None:
            return None
        if not isinstance(found, dict):
            raise InputError.unexpected(found, "an object of numbers, or null", self.place.at(name))
        return {key: _number(item, self.place.at(name).at(key), low, high) for key, item in found.items()}


def _number(value: object, place: Place, low: float, high: float) -> float:
    wanted = "a finite number" if math.isinf(low) else f"a finite number from {low:g} on"
    if not math.isinf(high):
        wanted = f"a number from {low:g} to {high:g}"
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InputError.unexpected(value, wanted, place)
    try:
        number = float(value)
    except OverflowError:
        raise InputError.unexpected(value, wanted, place) from None
    if not math.isfinite(number) or not low <= number <= high:
        raise InputError.unexpected(value, wanted, place)
    return number
