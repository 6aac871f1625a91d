"""Numbers and switches that a caller gives, checked before anything is planned or asked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from math import isfinite
from typing import Any

from pytest_jevbench.errors import InputError, Place

__all__ = ["check_numbers", "check_switches"]


def _whole(least: int) -> Callable[[object], bool]:
    return lambda value: isinstance(value, int) and not isinstance(value, bool) and value >= least


def _real(value: object) -> bool:
    return isinstance(value, (int, float, Decimal)) and not isinstance(value, bool) and isfinite(value)


_POSITIVE = (_whole(1), "a whole number of at least 1")
_COUNT = (_whole(0), "a whole number of at least 0")
_AMOUNT = (lambda value: _real(value) and value >= 0, "a number of at least 0")

_WANTED: Mapping[str, tuple[Callable[[Any], bool], str]] = {
    "tolerance": (lambda value: _real(value) and 0 <= value < 1, "a number from 0 to below 1"),
    "min_n": _POSITIVE,
    "bootstrap": _COUNT,
    "seed": _COUNT,
    "draws": _POSITIVE,
    "replicas": _POSITIVE,
    "per_replica": _POSITIVE,
    "repeats": _POSITIVE,
    "seconds": _AMOUNT,
    "min_interval": _AMOUNT,
    "price_in": _AMOUNT,
    "price_out": _AMOUNT,
}


def check_numbers(**given: Any) -> dict[str, Any]:
    """The numbers as they were given. Raises :class:`InputError` for one that cannot be meant; None is left out."""
    for name, value in given.items():
        is_right, wanted = _WANTED[name]
        if value is not None and not is_right(value):
            raise InputError.unexpected(value, wanted, Place(field=name))
    return given


def check_switches(**given: object) -> None:
    """Raises :class:`InputError` for one that is neither true nor false: every text would count as true."""
    for name, value in given.items():
        if value is not None and not isinstance(value, bool):
            raise InputError.unexpected(value, "True or False", Place(field=name))
