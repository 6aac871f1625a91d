"""Which tests of a suite a run plans: by domain, case, dimension, group and relation, all by exact name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches

from pytest_jevbench.errors import InputError
from pytest_jevbench.json_text import shown
from pytest_jevbench.plans.plan import PlannedTest
from pytest_jevbench.questions import Case
from pytest_jevbench.relations.base import Relation
from pytest_jevbench.relations.judge_laws import JUDGE_LAWS
from pytest_jevbench.relations.known import BUILT_IN, Relations
from pytest_jevbench.relations.taxonomy import DIAGNOSTICS, DIMENSIONS, GROUPS

__all__ = ["Filters", "check_filters", "select_relations", "select_tests"]


@dataclass(frozen=True, slots=True)
class Filters:
    """What was named. Relations are the union of the three kinds of name, on the cases of both kinds."""

    dimensions: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    relations: tuple[str, ...] = ()
    domains: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()

    @property
    def any(self) -> bool:
        return bool(self.dimensions or self.groups or self.relations or self.domains or self.cases)

    def to_json(self) -> dict[str, list[str]]:
        """The names given, by kind; kinds without a name are left out."""
        kinds = {
            "dimensions": self.dimensions,
            "groups": self.groups,
            "relations": self.relations,
            "domains": self.domains,
            "cases": self.cases,
        }
        return {kind: list(names) for kind, names in kinds.items() if names}


@dataclass(frozen=True, slots=True)
class _Kind:
    option: str
    known: Iterable[str] = field(default_factory=tuple)

    def check(self, names: Sequence[str]) -> None:
        known = list(self.known)
        for name in names:
            if name not in known:
                near = get_close_matches(name, known, n=3, cutoff=0.5)
                near = near or [k for k in known if k.lower() == name.lower()]
                advice = f"Did you mean {', '.join(near)}?" if near else _there_are(known)
                raise InputError(f"{self.option}: there is no {shown(name)}", advice=advice)


def _there_are(known: Sequence[str]) -> str:
    named = [name for name in known if name]
    return f"There are: {_few(named)}" if named else "Nothing here has one: leave it out"


def _few(names: Sequence[str], most: int = 12) -> str:
    listed = ", ".join(names[:most])
    return listed if len(names) <= most else f"{listed} and {len(names) - most} more"


def check_filters(
    filters: Filters, cases: Mapping[str, Case], prefix: str = "--jevbench-", relations: Relations = BUILT_IN
) -> None:
    """Refuse a name that is not there. Raises :class:`InputError` with the option and the near matches."""
    beside = dict.fromkeys(law.dimension for law in relations.beside if not law.counted)
    groups = dict.fromkeys([*(g.id for g in GROUPS), *(law.group for law in relations.beside)])
    _Kind(f"{prefix}dimension", [*(d.id for d in DIMENSIONS), *beside]).check(filters.dimensions)
    _Kind(f"{prefix}group", groups).check(filters.groups)
    names = [*relations, *(law.name for law in relations.beside), "diagnostics"]
    _Kind(f"{prefix}relation", names).check(filters.relations)
    _Kind(f"{prefix}domain", dict.fromkeys(c.domain for c in cases.values())).check(filters.domains)
    _Kind(f"{prefix}case", list(cases)).check(filters.cases)


def select_relations(filters: Filters, relations: Relations = BUILT_IN) -> list[Relation]:
    """The relations asked for, in taxonomy order: all scored ones where none is named, then the laws of judges."""
    if not (filters.dimensions or filters.groups or filters.relations):
        return [*relations.scored(), *JUDGE_LAWS.values()]
    return [
        relation
        for relation in (*relations.values(), *JUDGE_LAWS.values())
        if relation.name in filters.relations
        or relation.group in filters.groups
        or relation.dimension in filters.dimensions
        or (relation.group == DIAGNOSTICS.id and "diagnostics" in filters.relations)
    ]


def select_cases(filters: Filters, cases: Mapping[str, Case]) -> dict[str, Case]:
    """The cases asked for, in order: those of the domains named that are also named by id."""
    return {
        case_id: case
        for case_id, case in cases.items()
        if (not filters.domains or case.domain in filters.domains) and (not filters.cases or case_id in filters.cases)
    }


def select_tests(
    tests: Iterable[PlannedTest], filters: Filters, cases: Mapping[str, Case], relations: Relations = BUILT_IN
) -> list[PlannedTest]:
    """The tests of a frozen plan that the filters leave, in plan order."""
    names = {relation.name for relation in select_relations(filters, relations)}
    kept = select_cases(filters, cases)
    return [test for test in tests if test.id.relation in names and test.id.case_id in kept]
