"""A small plan drawn from a large one: every relation on a few cases of each domain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_jevbench.errors import InputError
from pytest_jevbench.plans.plan import Plan, PlannedTest, used_relations
from pytest_jevbench.questions import Case
from pytest_jevbench.relations.known import BUILT_IN, Relations

__all__ = ["select_mini"]


@dataclass(frozen=True, slots=True)
class _Family:
    """The relations that share requests, with the test of the first of them on each case of a domain."""

    name: str
    relations: tuple[str, ...]
    tests: Mapping[str, PlannedTest]

    @property
    def size(self) -> int:
        return len(self.relations)

    @property
    def variants(self) -> int:
        return len({test.trials[0].variant for test in self.tests.values()})


def select_mini(plan: Plan, cases: Mapping[str, Case], *, per_domain: int, relations: Relations = BUILT_IN) -> Plan:
    """Of a plan with one test a relation and case: each relation on ``per_domain`` cases of each domain.

    Every test is the plan's own. The cases of a domain get nearly the same number of tests, variants are used nearly
    equally, and the relations of one family get the same cases, so that the requests they share are sent once. Raises
    :class:`InputError`.
    """
    by_place = {(test.id.relation, test.id.case_id): test for test in plan.tests}
    if len(by_place) != len(plan.tests):
        raise InputError("the plan has several tests of one relation on one case", advice="Freeze it anew")
    families: dict[str, list[str]] = {}
    for relation in plan.relations:
        families.setdefault(relations[relation].transformation.family, []).append(relation)
    used: Counter[tuple[str, int]] = Counter()
    kept: set[tuple[str, str]] = set()
    for turn, domain in enumerate(dict.fromkeys(cases[case_id].domain for case_id in plan.cases)):
        inside = [case_id for case_id in plan.cases if cases[case_id].domain == domain]
        of_domain = [
            _Family(
                name, tuple(relations), {c: by_place[relations[0], c] for c in inside if (relations[0], c) in by_place}
            )
            for name, relations in families.items()
        ]
        kept |= _draw(inside, of_domain, per_domain, turn, used)
    tests = tuple(test for test in plan.tests if (test.id.relation, test.id.case_id) in kept)
    return Plan(
        relations=used_relations(tests, plan.relations),
        cases=plan.cases,
        seed=plan.seed,
        draws=plan.draws,
        selection=f"each relation on {per_domain} cases a domain, one variant a test",
        tests=tests,
    )


def _draw(
    inside: list[str], families: Sequence[_Family], per_domain: int, turn: int, used: Counter[tuple[str, int]]
) -> set[tuple[str, str]]:
    """The (relation, case) pairs of one domain; ``used`` counts the variants of each family over all domains.

    Large families come first, then relations of many variants, which pick cases for the sake of their variants as
    long as no case gets more than its share; relations of one variant come last and level the numbers.
    """
    share = -(-sum(family.size * min(per_domain, len(family.tests)) for family in families) // len(inside))
    loads = dict.fromkeys(inside, 0)
    kept: set[tuple[str, str]] = set()
    for family in sorted(families, key=lambda f: (-f.size, -f.variants)):
        keys: Counter[str] = Counter()
        left = dict(family.tests)
        for _ in range(min(per_domain, len(left))):
            at = turn % len(inside)
            costs = {
                c: _cost(family, left[c], loads[c], share, used, keys) for c in inside[at:] + inside[:at] if c in left
            }
            case_id = min(costs, key=costs.__getitem__)
            test = left.pop(case_id)
            used[family.name, test.trials[0].variant] += 1
            keys[test.id.key] += 1
            loads[case_id] += family.size
            kept |= {(relation, case_id) for relation in family.relations}
            turn += 1
    return kept


def _cost(
    family: _Family, test: PlannedTest, load: int, share: int, used: Counter[tuple[str, int]], keys: Counter[str]
) -> tuple[int, ...]:
    variety = (used[family.name, test.trials[0].variant], keys[test.id.key])
    return (int(load + family.size > share), *variety, load) if family.variants > 1 else (load, *variety)
