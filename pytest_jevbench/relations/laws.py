"""The few forms of law: what is compared, and what deviation means for each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_jevbench.distributions import TIE, Distribution, excess, flipped, largest_rise, total_variation
from pytest_jevbench.relations.base import Measurement, Reading

__all__ = ["at_least", "at_most", "complementary", "equal", "equal_numbers", "never_rising"]


def equal(
    reading: Reading,
    expected: Distribution,
    observed: Distribution,
    *,
    target: str | None = None,
    decides: bool = True,
) -> Measurement:
    """Two distributions are one: the deviation is their total variation distance."""
    return Measurement(
        targets=reading.targets if target is None else (target,),
        deviation=total_variation(expected, observed),
        flip=flipped(expected, observed) if decides else None,
        expected=expected,
        observed=observed,
    )


def equal_numbers(
    reading: Reading, expected: Mapping[str, float], observed: Mapping[str, float], *, decides: bool = False
) -> Measurement:
    """Numbers of the same name are equal: the deviation is the largest gap.

    ``decides`` reads the one number as a probability of yes and looks for a change of sides at 0.5.
    """
    gaps = {name: abs(observed[name] - value) for name, value in expected.items()}
    flip = None
    if decides:
        (before,), (after,) = expected.values(), observed.values()
        flip = _side(before) * _side(after) < 0
    largest = next((gap for gap in gaps.values() if gap != gap), None)  # NaN, which max would lose
    return Measurement(reading.targets, max(gaps.values()) if largest is None else largest, flip, expected, observed)


def complementary(reading: Reading, name: str, p: float, q: float) -> Measurement:
    """P(event) and P(its opposite) sum to 1: the deviation is |p + q − 1|, a flip is both on one side of 0.5."""
    return Measurement(
        targets=reading.targets,
        deviation=abs(p + q - 1.0),
        flip=_side(p) * _side(q) > 0,
        expected={f"P(not {name}) = 1 - P({name})": 1.0 - p},
        observed={f"P(not {name}) = 1 - P({name})": q},
    )


def at_most(reading: Reading, name: str, amount: float, bound: float) -> Measurement:
    """A probability keeps under an upper bound: the deviation is the amount past it."""
    return Measurement(
        reading.targets, excess(amount, bound), None, {f"{name}, at most": bound}, {f"{name}, at most": amount}
    )


def at_least(reading: Reading, name: str, amount: float, bound: float) -> Measurement:
    """A probability keeps above a lower bound: the deviation is the amount short of it."""
    return Measurement(
        reading.targets,
        excess(bound, amount),
        None,
        {f"{name}, at least": bound},
        {f"{name}, at least": amount},
    )


def never_rising(reading: Reading, chain: Sequence[tuple[str, float]]) -> Measurement:
    """Members of a chain do not rise, first to last: the deviation is the largest rise between any two.

    The expected numbers are the closest chain from below in reading order: each member at most all before it.
    """
    lowest = chain[0][1]
    expected: dict[str, float] = {}
    for name, value in chain:
        lowest = min(lowest, value)
        expected[name] = lowest
    return Measurement(reading.targets, largest_rise(v for _, v in chain), None, expected, dict(chain))


def _side(p: float) -> int:
    """Which side of 0.5 a probability is on; 0 where it is on neither."""
    return 0 if abs(p - 0.5) <= TIE / 2 else 1 if p > 0.5 else -1
