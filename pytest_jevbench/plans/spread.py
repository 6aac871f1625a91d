"""Spreading items over what they can take, as evenly as they allow, without a random number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Any, TypeVar

__all__ = ["spread"]

T = TypeVar("T", bound=Hashable)


def spread(
    offers: Sequence[Sequence[T]],
    *,
    start: int = 0,
    prefer: Callable[[list[T], int, T], Any] | None = None,
) -> list[T]:
    """One of the offers of every item, so that the sum of the squares of how often each is taken is the least possible.

    The least sum of squares also has the smallest largest count and the largest smallest one. Items take in turn what
    was taken least; among equals the lower ``prefer(taken so far, item, offer)`` counts, then the order of the offers,
    begun at another place for every item and ``start``. What a first pass leaves uneven is evened out along chains of
    items that can exchange: an assignment without such a chain is optimal (Harvey, Ladner, Lovász and Tamir,
    Semi-matchings for bipartite graphs and load balancing, 2006).
    """
    taken: list[T] = []
    loads: Counter[T] = Counter()
    for item, offered in enumerate(offers):
        turn = (start + item) % len(offered)
        in_turn = [*offered[turn:], *offered[:turn]]
        best = min(in_turn, key=lambda o: (loads[o], prefer(taken, item, o) if prefer else 0))
        taken.append(best)
        loads[best] += 1
    while True:
        chain = _relieving_chain(offers, taken, loads)
        if chain is None:
            return taken
        for item, offer in chain:
            loads[taken[item]] -= 1
            loads[offer] += 1
            taken[item] = offer


def _relieving_chain(
    offers: Sequence[Sequence[T]], taken: Sequence[T], loads: Counter[T]
) -> list[tuple[int, T]] | None:
    """Moves (item, new offer) that take one from an offer to another that was taken at least twice less; or None."""
    for crowded in sorted(loads, key=lambda offer: -loads[offer]):
        reached: dict[T, tuple[int, T] | None] = {crowded: None}
        queue = [crowded]
        for offer in queue:
            for item, own in enumerate(taken):
                if own != offer:
                    continue
                for other in offers[item]:
                    if other in reached:
                        continue
                    reached[other] = (item, offer)
                    queue.append(other)
                    if loads[other] <= loads[crowded] - 2:
                        return _back(reached, other)
    return None


def _back(reached: dict[T, tuple[int, T] | None], end: T) -> list[tuple[int, T]]:
    moves = []
    step = reached[end]
    while step is not None:
        item, before = step
        moves.append((item, end))
        end, step = before, reached[before]
    return moves
