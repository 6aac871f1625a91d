"""The five operations on distributions that define the dimensions.

A distribution maps each answer id to its probability. Every law of the taxonomy first reads the
follow-up (or the source) through one of these and then compares.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

__all__ = [
    "TIE",
    "Distribution",
    "argmax",
    "coarsen",
    "collapse",
    "condition",
    "excess",
    "flipped",
    "largest_rise",
    "relabel",
    "total_variation",
]

Distribution: TypeAlias = Mapping[str, float]

TIE = 1e-9
"""Two probabilities closer than this are tied: no decision is read off their order."""


def total_variation(p: Distribution, q: Distribution) -> float:
    """Total variation distance ½ Σ|p − q| over the union of the answers; 0 equal, 1 disjoint.

    >>> total_variation({"a": 0.7, "b": 0.3}, {"a": 0.5, "b": 0.5})
    0.2
    """
    ids = [*p, *(answer for answer in q if answer not in p)]
    return 0.5 * sum(abs(p.get(answer, 0.0) - q.get(answer, 0.0)) for answer in ids)


def relabel(p: Distribution, names: Mapping[str, str]) -> Distribution:
    """The push-forward of ``p`` under a bijection; answers that ``names`` leaves out keep their id (REP).

    >>> relabel({"x": 0.7, "b": 0.3}, {"x": "a"})
    {'a': 0.7, 'b': 0.3}
    """
    return {names.get(answer, answer): mass for answer, mass in p.items()}


def collapse(p: Distribution, origin: Mapping[str, str]) -> Distribution:
    """The push-forward of ``p`` under a many-to-one map: each answer is folded into its original (MEA).

    >>> collapse({"a": 0.5, "a2": 0.25, "b": 0.25}, {"a2": "a"})
    {'a': 0.75, 'b': 0.25}
    """
    folded: dict[str, float] = {}
    for answer, mass in p.items():
        target = origin.get(answer, answer)
        folded[target] = folded.get(target, 0.0) + mass
    return folded


def coarsen(p: Distribution, blocks: Mapping[str, Iterable[str]]) -> Distribution:
    """``p`` summed over blocks; answers in no block keep their own place (MEA).

    >>> coarsen({"a": 0.5, "b": 0.25, "c": 0.25}, {"ab": ["a", "b"]})
    {'ab': 0.75, 'c': 0.25}
    """
    return collapse(p, {answer: block for block, members in blocks.items() for answer in members})


def condition(p: Distribution, kept: Iterable[str]) -> Distribution:
    """``p`` given that the answer is one of ``kept``; uniform where these have no mass (CHO).

    >>> condition({"a": 0.5, "b": 0.25, "c": 0.25}, ["a", "b"])["a"]
    0.6666666666666666
    """
    menu = list(kept)
    mass = sum(p.get(answer, 0.0) for answer in menu)
    if mass <= 0.0:
        return {answer: 1.0 / len(menu) for answer in menu}
    return {answer: p.get(answer, 0.0) / mass for answer in menu}


def excess(amount: float, bound: float) -> float:
    """How far ``amount`` is past its upper ``bound``, at least 0 (LOG).

    >>> excess(0.75, 0.5), excess(0.25, 0.5)
    (0.25, 0.0)
    """
    past = amount - bound
    return 0.0 if past < 0.0 else past  # not max: it takes 0 of 0 and NaN, and what is no number would be a law kept


def largest_rise(chain: Iterable[float]) -> float:
    """The largest rise between any two members, earlier to later, of what should not rise; at least 0.

    >>> largest_rise([0.75, 0.25, 0.5])
    0.25
    """
    lowest: float | None = None
    rise = 0.0
    for value in chain:
        if value != value:
            return value  # NaN, which max and min would lose
        if lowest is not None:
            rise = max(rise, value - lowest)
        lowest = value if lowest is None else min(lowest, value)
    return rise


def argmax(p: Distribution) -> str | None:
    """The answer with the largest probability, or None where the top is tied within :data:`TIE`."""
    top = max(p, key=lambda answer: p[answer])
    if any(answer != top and p[top] - mass <= TIE for answer, mass in p.items()):
        return None
    return top


def flipped(p: Distribution, q: Distribution) -> bool:
    """Whether a decision by largest probability differs; a tied top decides nothing and flips nothing."""
    before, after = argmax(p), argmax(q)
    return before is not None and after is not None and before != after
