"""Every trial of a case: each relation on each question it applies to, in each variant and draw."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_jevbench.json_text import dumps
from pytest_jevbench.plans.plan import Plan, PlannedTest, TestId, used_relations
from pytest_jevbench.plans.plan_lines import PlanLines
from pytest_jevbench.plans.rehearsal import Rehearsal
from pytest_jevbench.plans.rows import RowReader, RowWriter
from pytest_jevbench.plans.stored import MOST_TRIALS, PlanFile, StoredTrials
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
    """The plan of every test there is, case by case, the variants of a test together.

    More than :data:`~.stored.MOST_TRIALS` trials become lines, which are read when they are used.
    """
    ids: list[str] = []
    tests: list[PlannedTest] = []
    shelf = _Shelf(relations)
    count = 0
    for case in cases:
        ids.append(case.id)
        of_case = grouped(build_trials(case, bank, relations, seed=seed, draws=draws))
        count += sum(len(test.trials) for test in of_case)
        shelf.know(case)
        tests += of_case if count <= MOST_TRIALS else map(shelf.put, of_case)
    if count > MOST_TRIALS:
        tests = [shelf.put(test) for test in tests]
    return Plan(
        relations=used_relations(tests, [relation.name for relation in relations]),
        cases=tuple(ids),
        seed=seed,
        draws=draws,
        selection="every variant of every relation on every question",
        tests=tuple(tests),
    )


class _Shelf:
    """Turns trials into lines."""

    def __init__(self, relations: Iterable[Relation]) -> None:
        self._readers: dict[str, RowReader] = {}
        self._writers: dict[str, RowWriter] = {}
        by_name = {relation.name: relation for relation in relations}
        self._file = PlanFile("the plan of these cases", by_name, self._readers, Rehearsal(), PlanLines(plain=0))

    def know(self, case: Case) -> None:
        self._readers[case.id] = RowReader(case)
        self._writers[case.id] = RowWriter(case)

    def put(self, test: PlannedTest) -> PlannedTest:
        """The test with its trials as lines; one that was put before stays as it is."""
        if isinstance(test.trials, StoredTrials):
            return test
        stored = StoredTrials(self._file)
        for trial in test.trials:
            line = dumps(self._writers[test.id.case_id].row(trial)).encode()
            stored.add(len(self._file.lines) + 1, line, trial)
        return PlannedTest(test.id, stored)


def _drawn(source: SourceCase, relation: Relation, key: str, variant: int, seed: int, draws: int) -> Iterable[Trial]:
    for draw in range(draws if relation.transformation.randomised else 1):
        yield relation.build(source, key, variant, draw, seed)
