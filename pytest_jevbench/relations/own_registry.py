"""What a conftest or an installed package gives its laws to, and what is refused there."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from difflib import get_close_matches
from math import isfinite
from typing import Any, TypeVar

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import shown
from pytest_jevbench.relations.base import Relation
from pytest_jevbench.relations.known import Relations
from pytest_jevbench.relations.own_law import OwnLaw, declared_at, in_words
from pytest_jevbench.relations.registry import RELATIONS
from pytest_jevbench.relations.taxonomy import DIAGNOSTICS, DIMENSIONS, FORMS, GROUPS

__all__ = ["Registry"]

L = TypeVar("L", bound=type[OwnLaw])

NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
NOT_NAMES = ("overall", "diagnostics", "all", "own", *(d.id.lower() for d in DIMENSIONS))
"""What stands for something else wherever a relation can be named."""
ALIKE = 0.9
"""How alike two names are that are taken for each other."""
TEXTS = ("law", "formula", "source", "check", "variants")
KNOWN_PARTS = frozenset(name for name in dir(OwnLaw) if not name.startswith("_")) | {"name", "law", "formula"}


class Registry:
    """Takes in laws while a run begins. ``counted``: let those that name a dimension count in it."""

    def __init__(self, *, counted: bool = False) -> None:
        self._counted = counted
        self._laws: dict[str, OwnLaw] = {}
        self._relations: Relations | None = None

    def add(self, law: L) -> L:
        """Take in a class derived from :class:`~pytest_jevbench.own_laws.OwnLaw`; also a class decorator.

        Raises :class:`InputError` that names the file: the class lacks a part or has one that does not fit, its name is
        taken or is so much like another that the two would be confused, or the run has begun.
        """
        place = declared_at(law)
        if self._relations is not None:
            raise InputError(f"{_shown(law)} comes too late: the tests are planned", place=place)
        _require_class(law, place)
        for problem, advice in _problems(law):
            raise InputError(f"{law.__name__}: {problem}", place=place, advice=advice)
        self._check_name(law.name, place)
        try:
            made = law(counted=self._counted)
        except (Exception, SystemExit) as error:
            raise InputError(in_words(law, "cannot be made", error)) from error
        self._laws[law.name] = made
        return law

    def relations(self) -> Relations:
        """The relations of the run. From now on nothing more is taken in."""
        if self._relations is None:
            self._relations = Relations(self._laws.values())
        return self._relations

    def _check_name(self, name: str, place: Place) -> None:
        if name in RELATIONS:
            raise InputError(f"a built-in relation is named {name!r}", place=place, advice="Give it another name")
        if name in self._laws:
            other = declared_at(self._laws[name])
            raise InputError(
                f"a law named {name!r} is registered already ({other})", place=place, advice="Give it another name"
            )
        near = get_close_matches(name, [*RELATIONS, *self._laws], n=1, cutoff=ALIKE)
        near += [known for known in RELATIONS if known.replace("_", "") == name.replace("_", "")]
        if near:
            raise InputError(
                f"the name {name!r} is too much like {near[0]!r}, for which it would be taken",
                place=place,
                advice="Give it a name that says what is different",
            )


def _require_class(law: object, place: Place) -> None:
    if inspect.isclass(law) and issubclass(law, OwnLaw):
        return
    advice = "Derive it from pytest_jevbench.own_laws.OwnLaw"
    if isinstance(law, OwnLaw):
        advice = "Give the class itself, not an object of it"
    raise InputError(f"{_shown(law)} is no law", place=place, advice=advice)


def _problems(law: type[OwnLaw]) -> Iterator[tuple[str, str]]:
    """What is wrong with a declaration, and what to do about it."""
    name = getattr(law, "name", None)
    if not isinstance(name, str) or not NAME.fullmatch(name):
        found = "it has no name" if name is None else f"its name is {shown(name)}"
        yield found, 'Give a name of lower-case letters, digits and underscores, such as name = "refund_needs_order"'
        return
    if name in NOT_NAMES:
        yield f"its name {name!r} stands for something else already", "Give it another name"
    yield from _misspelt(law)
    for text in TEXTS:
        value = getattr(law, text, None)
        if not isinstance(value, str):
            yield f"{text} is {_found(value)}", f'Give it as text, such as {text} = "..."'
        elif text in ("law", "formula") and not value.strip():
            yield f"{text} is empty", "A person reads it beside every violation"
    lacking = sorted(getattr(law, "__abstractmethods__", ()))
    if lacking:
        yield f"there is no method {' and no '.join(lacking)}", "See docs/own-laws.md for a whole law"
    yield from _wrong_values(law)


def _misspelt(law: type[OwnLaw]) -> Iterator[tuple[str, str]]:
    """Public parts of the class that are nearly the name of a part that means something."""
    own = [part for cls in law.__mro__ if not _is_ours(cls) for part in vars(cls) if not part.startswith("_")]
    for part in own:
        if part not in KNOWN_PARTS and (near := get_close_matches(part, KNOWN_PARTS, n=1, cutoff=0.8)):
            yield f"it has {part!r}, which means nothing", f"Did you mean {near[0]!r}? Else begin it with an underscore"


def _is_ours(cls: type) -> bool:
    return cls.__module__.partition(".")[0] == "pytest_jevbench" or cls in (object, Relation)


def _wrong_values(law: type[OwnLaw]) -> Iterator[tuple[str, str]]:
    dimensions = [d.id for d in DIMENSIONS]
    if law.counts_in is not None and law.counts_in not in dimensions:
        known = {DIAGNOSTICS.dimension, *(g.id for g in GROUPS)}
        what = "a group, and not a dimension" if law.counts_in in known else "no dimension"
        yield f"counts_in is {shown(law.counts_in)}, {what}", f"Give one of {', '.join(dimensions)}"
    tolerance = law.tolerance
    if tolerance is not None and not (type(tolerance) in (int, float) and isfinite(tolerance) and 0 <= tolerance < 1):
        yield f"tolerance is {shown(tolerance)}", "Give a number from 0 to below 1, or leave it out"
    if law.form not in FORMS or law.form == "field":
        yield f"form is {shown(law.form)}", "Give E (equal), I (identity) or L (inequality)"
    for part in ("wordings", "edits"):
        value = getattr(law, part)
        if isinstance(value, str) or not isinstance(value, (tuple, list)) or not all(isinstance(v, str) for v in value):
            yield f"{part} is {_found(value)}", f'Give texts in a tuple, such as {part} = ("...",)'
    if not law.wordings:
        yield "wordings is empty, so there is no variant", "Give at least one, or leave it out"
    elif len(set(law.wordings)) != len(law.wordings):
        yield "a wording stands twice", "Every wording is a variant of its own"


def _found(value: Any) -> str:
    return "missing" if value is None else shown(value) if isinstance(value, (str, int, float)) else repr(value)


def _shown(law: object) -> str:
    return f"the class {law.__name__}" if inspect.isclass(law) else f"what was added, {law!r},"
