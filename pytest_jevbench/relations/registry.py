"""All relations by name, in the order of the taxonomy; a class registers itself by its decorator."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from types import MappingProxyType
from typing import TypeVar

from pytest_jevbench.errors import InputError
from pytest_jevbench.relations.base import Relation

__all__ = ["RELATIONS", "family", "get", "register", "scored"]

_BY_NAME: dict[str, Relation] = {}
RELATIONS = MappingProxyType(_BY_NAME)
"""Every registered relation; the scored ones of the taxonomy first, the diagnostics last."""

R = TypeVar("R", bound=type[Relation])


def register(relation: R) -> R:
    """Class decorator: make a relation known to taxonomy, docs, command line and plans.

    Raises :class:`InputError` where the name is taken.
    """
    if relation.name in _BY_NAME:
        raise InputError(f"a relation named {relation.name!r} is registered already", advice="Give it another name")
    _BY_NAME[relation.name] = relation()
    return relation


def get(name: str) -> Relation:
    """The relation of a name. Raises :class:`InputError` with the near matches."""
    try:
        return _BY_NAME[name]
    except KeyError:
        near = get_close_matches(name, _BY_NAME, n=3)
        advice = f"Did you mean {', '.join(near)}?" if near else "`pytest-jevbench relations` lists them"
        raise InputError(f"there is no relation {name!r}", advice=advice) from None


def scored() -> list[Relation]:
    """The relations that enter scores, in order."""
    return [relation for relation in _BY_NAME.values() if relation.scored]


def family(name: str) -> Iterable[str]:
    """The names of all relations that share a relation's transformation, in order."""
    key = get(name).transformation.family
    return [r.name for r in _BY_NAME.values() if r.transformation.family == key]
