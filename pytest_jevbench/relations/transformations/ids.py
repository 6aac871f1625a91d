"""New ids that collide with none that is there."""

from __future__ import annotations

from collections.abc import Collection

__all__ = ["fresh", "fresh_series"]


def fresh(wanted: str, taken: Collection[str]) -> str:
    """``wanted``, or ``wanted_2``, ``wanted_3``, ... where it is taken."""
    name, n = wanted, 1
    while name in taken:
        n += 1
        name = f"{wanted}_{n}"
    return name


def fresh_series(stem: str, n: int, taken: Collection[str]) -> list[str]:
    """``stem_1`` to ``stem_n``; the stem grows an x until none of them is taken."""
    while any(f"{stem}_{index}" in taken for index in range(1, n + 1)):
        stem += "x"
    return [f"{stem}_{index}" for index in range(1, n + 1)]
