"""The relations of one run: the built-in ones, then the laws of the user's own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from difflib import get_close_matches
from itertools import chain

from pytest_jevbench.errors import InputError
from pytest_jevbench.relations.base import Relation
from pytest_jevbench.relations.judge_laws import JUDGE_LAWS
from pytest_jevbench.relations.own_law import OwnLaw
from pytest_jevbench.relations.registry import RELATIONS

__all__ = ["BUILT_IN", "JUDGES", "Relations"]


class Relations(Mapping[str, Relation]):
    """Relations by name. Scored built-in ones come first, then diagnostics, then ``own`` in the order of registration.

    It is made before a suite is loaded, handed on from there, and never changed. The laws of judges are found by name,
    and are none of those that are listed: they are planned on suites of judged answers alone.
    """

    def __init__(self, own: Iterable[OwnLaw] = ()) -> None:
        self._own = {law.name: law for law in own}

    @property
    def own(self) -> tuple[OwnLaw, ...]:
        """The laws of the user's own."""
        return tuple(self._own.values())

    @property
    def beside(self) -> tuple[OwnLaw, ...]:
        """All laws that can have a test and are not in the taxonomy: the user's own and those of judges."""
        return (*self.own, *JUDGE_LAWS.values())

    def __getitem__(self, name: str) -> Relation:
        for laws in (self._own, JUDGE_LAWS):
            if name in laws:
                return laws[name]
        return RELATIONS[name]

    def __iter__(self) -> Iterator[str]:
        return chain(RELATIONS, self._own)

    def __hash__(self) -> int:
        return hash(tuple(self._own))

    def __len__(self) -> int:
        return len(RELATIONS) + len(self._own)

    def named(self, name: str) -> Relation:
        """The relation of a name. Raises :class:`InputError` with the near matches."""
        if name in self:
            return self[name]
        near = get_close_matches(name, self, n=3)
        advice = f"Did you mean {', '.join(near)}?" if near else "`pytest-jevbench relations` lists them"
        raise InputError(f"there is no relation {name!r}", advice=advice)

    def scored(self) -> list[Relation]:
        """The relations that are planned where none is named: all but the diagnostics."""
        return [relation for relation in self.values() if relation.scored]

    def groups(self) -> dict[str, str]:
        """Each relation's group."""
        return {name: relation.group for name, relation in self.items()}


class _Judges(Relations):
    """What is planned on answers that are judged."""

    def scored(self) -> list[Relation]:
        return [*JUDGE_LAWS.values()]


JUDGES = _Judges()
"""The laws of judges as those to plan."""

BUILT_IN = Relations()
"""The built-in relations alone."""
