"""What a value of JSON must not hold, all of it: numbers that are none, half characters, keys that stand twice."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from pytest_jevbench.json_text import DuplicateKeys, find_surrogate, shown

__all__ = ["MAX_DEPTH", "json_faults"]

MAX_DEPTH = 200
"""Lists and objects inside each other; what is deeper cannot be written by every Python that reads it."""


def json_faults(value: Any) -> Iterator[tuple[str, str, str]]:
    """The place of each fault, what it is, and what to do. A value that is nested too deeply is told once."""
    waiting: list[tuple[Any, str, int]] = [(value, "", 0)]
    while waiting:  # not by recursion: a value may be nested deeply
        item, place, depth = waiting.pop()
        if depth > MAX_DEPTH:
            yield _top(place), f"nested more than {MAX_DEPTH} levels deep", "Make it flatter"
            return
        if isinstance(item, float) and not math.isfinite(item):
            yield place, "the number is not finite", "Give a number that JSON can hold, or null"
        elif isinstance(item, str) and find_surrogate(item) is not None:
            yield place, "the text has a lone surrogate (half of a character)", "Repair it where it was exported"
        inner: list[tuple[Any, str, int]] = []
        if isinstance(item, dict):
            repeated = item.repeated if isinstance(item, DuplicateKeys) else ()
            for key, of in item.items():
                at = f"{place}.{key}" if place else str(key)
                if key in repeated:
                    yield at, f"the key {shown(key)} stands twice", "Keep one of the two"
                if find_surrogate(key) is not None:
                    yield at, "the key has a lone surrogate (half of a character)", "Repair it where it was exported"
                inner.append((of, at, depth + 1))
        elif isinstance(item, list):
            inner = [(of, f"{place}[{index}]", depth + 1) for index, of in enumerate(item)]
        waiting += reversed(inner)


def _top(place: str) -> str:
    return place.partition(".")[0].partition("[")[0]
