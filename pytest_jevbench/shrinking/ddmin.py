"""Delta debugging: from items that fail together to a part of them that fails and of which nothing can be left out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeVar

__all__ = ["ddmin"]

T = TypeVar("T")


def ddmin(items: Sequence[T], fails: Callable[[tuple[T, ...]], bool]) -> tuple[T, ...]:
    """A 1-minimal part of ``items`` that fails, in their order: without any one of its items it does not.

    ``fails`` is asked about parts, never about ``items`` itself, which is taken to fail; it should remember its
    answers, for some parts come twice. The algorithm is ddmin of Zeller & Hildebrandt, "Simplifying and Isolating
    Failure-Inducing Input" (IEEE TSE 28, 2002), with the empty part tried first. At most n² + 3n + 1 parts are asked
    about, and about 2 log₂ n where one item alone is to blame.

    >>> ddmin(range(8), lambda part: {1, 6} <= set(part))
    (1, 6)
    """
    now = tuple(items)
    if not now or fails(()):
        return ()
    n = 2
    while len(now) > 1:
        chunks = _chunks(now, n)
        smaller = next((chunk for chunk in chunks if fails(chunk)), None)
        if smaller is not None:
            now, n = smaller, 2
            continue
        rests = (_without(chunks, i) for i in range(len(chunks))) if n > 2 else ()  # of two, each is the other's rest
        smaller = next((rest for rest in rests if fails(rest)), None)
        if smaller is not None:
            now, n = smaller, max(n - 1, 2)
        elif n < len(now):
            n = min(2 * n, len(now))
        else:
            break
    return now


def _chunks(items: tuple[T, ...], n: int) -> list[tuple[T, ...]]:
    """``n`` contiguous parts, as equal as they can be."""
    cuts = [len(items) * i // n for i in range(n + 1)]
    return [items[start:end] for start, end in pairwise(cuts)]


def _without(chunks: Sequence[tuple[T, ...]], left_out: int) -> tuple[T, ...]:
    return tuple(item for i, chunk in enumerate(chunks) if i != left_out for item in chunk)
