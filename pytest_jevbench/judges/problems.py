"""Everything that is wrong with a file, gathered and told at once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import shown

__all__ = ["ManyProblems", "Problems"]

MOST_TOLD = 50


class ManyProblems(InputError):
    """Several problems of one input, each with its place: ``problems`` has all of them, the message the first fifty."""

    def __init__(self, problems: Iterable[InputError], place: Place) -> None:
        self.problems = tuple(problems)
        told = [f"  {problem}" for problem in self.problems[:MOST_TOLD]]
        if len(self.problems) > MOST_TOLD:
            told.append(f"  and {len(self.problems) - MOST_TOLD} more")
        super().__init__("\n".join([f"{len(self.problems)} problems", *told]), place=Place(place.file))


class Problems:
    """What has been found so far; :meth:`settle` raises it."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self._found: list[InputError] = []

    def __len__(self) -> int:
        return len(self._found)

    def add(self, field: str, problem: str, advice: str = "") -> None:
        """Something is wrong at a field, such as ``items[3].truth``."""
        self._found.append(InputError(problem, place=Place(field=field or self._place.field), advice=advice))

    def unexpected(self, field: str, found: object, wanted: str) -> None:
        self._found.append(InputError.unexpected(found, wanted, Place(field=field or self._place.field)))

    def settle(self) -> None:
        """Raise :class:`ManyProblems`, or the one :class:`InputError`, where anything was found."""
        if len(self._found) == 1:
            one = self._found[0]
            raise InputError(one.problem, place=Place(self._place.file, field=one.place.field), advice=one.advice)
        if self._found:
            raise ManyProblems(self._found, self._place)

    # Checks that several readers make --------------------------------------------------------------------------------

    def text(self, value: Mapping[str, Any], name: str, field: str, *, blank: bool = False) -> str:
        """A text that is there and, unless ``blank``, not blank; "" where it is not."""
        found = value.get(name)
        if name not in value:
            self.add(_join(field, name), f"there is no {name!r}")
        elif not isinstance(found, str) or not (blank or found.strip()):
            self.unexpected(_join(field, name), found, "a text" if blank else "a text that is not empty")
        else:
            return found
        return ""

    def probability(self, found: object, field: str) -> float | None:
        """A number in [0, 1] that is no truth value; None where it is not."""
        if isinstance(found, bool) or not isinstance(found, (int, float)) or not 0.0 <= found <= 1.0:
            self.unexpected(field, found, "a number between 0 and 1")
            return None
        return float(found)

    def near_misses(self, value: Mapping[str, Any], known: Iterable[str], field: str) -> None:
        """Fields that look like a known one misspelt. Other further fields are a person's own."""
        known = list(known)
        for name in value:
            close = [] if name in known else get_close_matches(str(name), [k for k in known if k not in value], 1, 0.8)
            if close:
                self.add(
                    _join(field, str(name)), f"the field {shown(name)} is not known", f"Did you mean {close[0]!r}?"
                )


def _join(field: str, name: str) -> str:
    return f"{field}.{name}" if field else name
