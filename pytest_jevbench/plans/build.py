"""Every trial of a case: each relation on each question it applies to, in each variant and draw."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_jevbench.plans.plan import Plan, PlannedTest, TestId, used_relations
from pytest_jevbench.questions import Case
from pytest_jevbench.relations.base import Relation, SourceCase, Trial
from pytest_jevbench.rewrite_bank import RewriteBank

__all__ = ["build_plan", "build_trials", "grouped"]


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


def grouped(trials: Iterable[Trial]) -> list[PlannedTest]:
    """The trials as tests, in the order of their first trials."""
    tests: dict[TestId, list[Trial]] = {}
    for trial in trials:
        tests.setdefault(TestId(trial.relation, trial.case_id, trial.key), []).append(trial)
    return [PlannedTest(test, tuple(of_test)) for test, of_test in tests.items()]


def build_plan(
    cases: Iterable[Case], bank: RewriteBank, relations: Sequence[Relation], *, seed: int, draws: int
) -> Plan:
    """The plan of every test there is, case by case, the variants of a test together."""
    ids, tests = [], []
    for case in cases:
        ids.append(case.id)
        tests += grouped(build_trials(case, bank, relations, seed=seed, draws=draws))
    return Plan(
        relations=used_relations(tests, [relation.name for relation in relations]),
        cases=tuple(ids),
        seed=seed,
        draws=draws,
        selection="every variant of every relation on every question",
        tests=tuple(tests),
    )


def _drawn(source: SourceCase, relation: Relation, key: str, variant: int, seed: int, draws: int) -> Iterable[Trial]:
    for draw in range(draws if relation.transformation.randomised else 1):
        yield relation.build(source, key, variant, draw, seed)
