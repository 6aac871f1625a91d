"""Which tests a frozen plan holds: one a relation and case, with one variant, spread evenly and without chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from pytest_jevbench.plans.build import build_trials, grouped
from pytest_jevbench.plans.plan import Plan, PlannedTest, used_relations
from pytest_jevbench.plans.spread import spread
from pytest_jevbench.questions import Case
from pytest_jevbench.relations.base import Relation, SourceCase, Transformation
from pytest_jevbench.rewrite_bank import RewriteBank

__all__ = ["Selection", "select_one_per_case"]

Offers = Mapping[str, Sequence[int]]
"""The variants that a transformation has on each question it applies to."""


class Selection(NamedTuple):
    """A plan, and the number of trials that it was chosen from."""

    plan: Plan
    built: int


def select_one_per_case(
    cases: Iterable[Case], bank: RewriteBank, relations: Sequence[Relation], *, seed: int, draws: int
) -> Selection:
    """Every relation once on every case that it applies to, on one question in one variant.

    Within a domain the questions of a relation are used as evenly as the cases allow, and so are its variants.
    Relations of one family take the same question and variant, so that their requests are the same. Diagnostics are
    left out. Every trial there is gets built, chosen or not, so that whatever cannot be built is found here. Raises
    :class:`~pytest_jevbench.errors.BuildError`.
    """
    sources = [SourceCase(case, bank) for case in cases]
    scored = [relation for relation in relations if relation.scored]
    transformations: dict[str, Transformation] = {}
    for relation in scored:
        transformations.setdefault(relation.transformation.family, relation.transformation)
    families = {relation.name: relation.transformation.family for relation in scored}
    chosen = {
        (family, case_id): choice
        for turn, (family, transformation) in enumerate(transformations.items())
        for case_id, choice in _choose(sources, transformation, turn).items()
    }
    tests: list[PlannedTest] = []
    built = 0
    for source in sources:
        trials = build_trials(source.case, bank, scored, seed=seed, draws=draws)
        built += len(trials)
        tests += grouped(t for t in trials if chosen[families[t.relation], source.id] == (t.key, t.variant))
    plan = Plan(
        relations=used_relations(tests, [relation.name for relation in scored]),
        cases=tuple(source.id for source in sources),
        seed=seed,
        draws=draws,
        selection="one test a relation and case, one variant a test",
        tests=tuple(tests),
    )
    return Selection(plan, built)


def _choose(sources: Sequence[SourceCase], how: Transformation, turn: int) -> dict[str, tuple[str, int]]:
    """The question and variant of one family on each case that it applies to."""
    chosen: dict[str, tuple[str, int]] = {}
    so_far: Counter[int] = Counter()
    for domain in dict.fromkeys(source.case.domain for source in sources):
        offers: dict[str, Offers] = {}
        for source in sources:
            if source.case.domain == domain:
                offered = {key: tuple(how.variants(source, key)) for key in how.targets(source)}
                offered = {key: variants for key, variants in offered.items() if variants}
                if offered:
                    offers[source.id] = offered
        picked = _choose_in_domain(list(offers.values()), turn, so_far)
        so_far.update(variant for _, variant in picked)
        chosen.update(zip(offers, picked, strict=True))
    return chosen


def _choose_in_domain(offers: Sequence[Offers], turn: int, so_far: Counter[int]) -> list[tuple[str, int]]:
    keys = spread([tuple(offered) for offered in offers], start=turn)

    def used(taken: list[int], item: int, variant: int) -> tuple[int, int]:
        """How often a variant was used in earlier domains, and in this one with the same question."""
        return so_far[variant], sum((keys[at], v) == (keys[item], variant) for at, v in enumerate(taken))

    variants = spread([offered[key] for offered, key in zip(offers, keys, strict=True)], start=turn, prefer=used)
    return list(zip(keys, variants, strict=True))
