"""Draws of the facts of a case: values, then how each is mentioned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from pytest_jevbench.datagen.domain import Archetype, Domain, Fact, FactOverride, FactValue, Mention
from pytest_jevbench.datagen.planned import PlannedFact
from pytest_jevbench.relations.draws import Draw

__all__ = ["draw_facts", "names_for", "weighted"]

T = TypeVar("T")


def weighted(draw: Draw, weights: Mapping[T, int]) -> T:
    """One of the keys, drawn by its whole-number weight."""
    left = draw.below(sum(weights.values()))
    for item, weight in weights.items():
        left -= weight
        if left < 0:
            return item
    raise AssertionError("weights sum to more than was drawn")


def names_for(domain: Domain, index: int, seed: int) -> dict[str, str]:
    """The names of the ``index``-th case: no name of a pool comes back before the pool is used up."""
    result = {}
    by_pool: dict[tuple[str, ...], list[str]] = {}
    for fact in domain.facts.values():
        if fact.kind == "name":
            by_pool.setdefault(fact.pool, []).append(fact.name)
    for pool, names in by_pool.items():
        order = Draw(seed, domain.name, "names", names[0], 0, 0).shuffle(pool)
        for offset, name in enumerate(names):
            result[name] = order[(index * len(names) + offset) % len(order)]
    return result


def draw_facts(
    domain: Domain, archetype: Archetype, names: Mapping[str, str], draw: Draw
) -> dict[str, PlannedFact] | None:
    """The facts of one case in the domain's order, or None where a constraint does not hold."""
    drawn: dict[str, PlannedFact] = {}
    for name, fact in domain.facts.items():
        override = archetype.facts.get(name, FactOverride())
        drawn[name] = _draw_fact(fact, override, drawn, names, draw)
    if all(rule.holds(drawn) for rule in (*domain.constraints, *archetype.constraints)):
        return drawn
    return None


def _draw_fact(
    fact: Fact, override: FactOverride, above: Mapping[str, PlannedFact], names: Mapping[str, str], draw: Draw
) -> PlannedFact:
    if fact.only_if is not None and not fact.only_if.holds(above):
        return PlannedFact(None, "absent")
    value = _draw_value(fact, override, names, draw)
    mentions: Mapping[Mention, int] = override.mention or fact.wording(value).mention
    return PlannedFact(value, weighted(draw, mentions))


def _draw_value(fact: Fact, override: FactOverride, names: Mapping[str, str], draw: Draw) -> FactValue:
    if fact.kind == "name":
        return names[fact.name]
    if fact.kind == "integer":
        low, high = draw.choose(override.ranges or fact.ranges)
        return low + draw.below(high - low + 1)
    value = weighted(draw, override.weights or fact.weights)
    return value == "yes" if fact.kind == "boolean" else value
