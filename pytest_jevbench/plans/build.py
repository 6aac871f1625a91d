"""Every trial of a case: each relation on each question it applies to, in each variant and draw."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_jevbench.plans.plan import Plan, PlannedTest, TestId
from pytest_jevbench.questions import Case
from pytest_jevbench.relations.base import Relation, SourceCase, Trial
from pytest_jevbench.rewrite_bank import RewriteBank

__all__ = ["build_plan", "build_test", "build_trials"]


def build_trials(case: Case, bank: RewriteBank, relations: Iterable[Relation], *, seed: int, draws: int) -> list[Trial]:
    """All trials of a case, relation by relation, questions in the case's order.

    A relation that applies to no question gives none; only a randomised transformation is drawn more than once.
    Raises :class:`~pytest_jevbench.errors.BuildError` and :class:`~pytest_jevbench.errors.SealedError`.
    """
    source = SourceCase(case, bank)
    return [
        trial
        for relation in relations
        for key in relation.transformation.targets(source)
        for variant in relation.transformation.variants(source, key)
        for trial in _drawn(source, relation, key, variant, seed, draws)
    ]


def build_test(
    source: SourceCase, relation: Relation, key: str, variants: Sequence[int], *, seed: int, draws: int
) -> PlannedTest:
    """One test with these variants, each in all its draws."""
    trials = [trial for variant in variants for trial in _drawn(source, relation, key, variant, seed, draws)]
    return PlannedTest(TestId(relation.name, source.id, key), tuple(trials))


def build_plan(
    cases: Iterable[Case], bank: RewriteBank, relations: Sequence[Relation], *, seed: int, draws: int
) -> Plan:
    """The plan of every test there is, case by case, the variants of a test together."""
    tests: dict[TestId, list[Trial]] = {}
    ids = []
    for case in cases:
        ids.append(case.id)
        for trial in build_trials(case, bank, relations, seed=seed, draws=draws):
            tests.setdefault(TestId(trial.relation, trial.case_id, trial.key), []).append(trial)
    planned = tuple(PlannedTest(test, tuple(trials)) for test, trials in tests.items())
    used = {test.id.relation for test in planned}
    return Plan(
        relations=tuple(relation.name for relation in relations if relation.name in used),
        cases=tuple(ids),
        seed=seed,
        draws=draws,
        selection="every variant of every relation on every question",
        tests=planned,
    )


def _drawn(source: SourceCase, relation: Relation, key: str, variant: int, seed: int, draws: int) -> Iterable[Trial]:
    for draw in range(draws if relation.transformation.randomised else 1):
        yield relation.build(source, key, variant, draw, seed)
