"""What a run of a suite consists of: the tests selected, in order, with their node names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from pytest_jevbench.errors import InputError
from pytest_jevbench.plans.build import build_trials
from pytest_jevbench.plans.plan import PlannedTest, TestId
from pytest_jevbench.plans.rehearsal import rehearse_own_laws
from pytest_jevbench.plans.stored import check_tests
from pytest_jevbench.questions import Case, Request
from pytest_jevbench.relations.known import Relations
from pytest_jevbench.runs.judge import requests_of
from pytest_jevbench.runs.selection import Filters, check_filters, select_cases, select_relations, select_tests
from pytest_jevbench.runs.shards import shard_cases
from pytest_jevbench.slugs import slug

if TYPE_CHECKING:
    from pytest_jevbench.suite_loading import Suite

__all__ = ["Run", "node_id", "plan_run"]


@dataclass(frozen=True)
class Run:
    """The tests that a run of a suite plans, contiguous by case, and the filters that chose them."""

    suite: Suite
    filters: Filters
    tests: tuple[PlannedTest, ...]

    shard: tuple[int, int] = (1, 1)
    """Which part of how many runs here."""
    repeats: int = 1
    """How often each base request is asked."""

    @cached_property
    def here(self) -> tuple[PlannedTest, ...]:
        """The tests of this shard."""
        if self.shard[1] == 1:
            return self.tests
        mine = shard_cases(self.tests, *self.shard)
        return tuple(test for test in self.tests if test.id.case_id in mine)

    @property
    def elsewhere(self) -> tuple[TestId, ...]:
        """The tests of the other shards."""
        here = {test.id for test in self.here}
        return tuple(test.id for test in self.tests if test.id not in here)

    @property
    def cases(self) -> Mapping[str, Case]:
        return self.suite.cases

    @property
    def relations(self) -> Relations:
        return self.suite.relations

    def requests(self, test: PlannedTest) -> Iterator[Request]:
        """Every request that a test of the run needs, repeats of the base request too."""
        return requests_of(test, self.cases[test.id.case_id], self.repeats)

    @cached_property
    def by_node_id(self) -> Mapping[str, PlannedTest]:
        """The tests by node id; distinct tests have distinct ids."""
        return {node_id(self.suite.name, test.id): test for test in self.tests}


def node_id(suite: str, test: TestId) -> str:
    """``suite::case::relation-question``, of safe ASCII; raw ids stay in the card."""
    return f"{slug(suite)}::{slug(test.case_id)}::{test.relation}-{slug(test.key)}"


def plan_run(
    suite: Suite,
    filters: Filters,
    *,
    shard: tuple[int, int] = (1, 1),
    repeats: int = 1,
    checked: bool = False,
    prefix: str = "--jevbench-",
) -> Run:
    """The frozen tests that the filters leave, and the diagnostics that they name.

    ``prefix`` is that of the options by which the filters were given, for errors.

    Every trial of the ``shard`` (which part of how many) is read and measured once on uniform answers, unless another
    process has ``checked`` them. Raises :class:`InputError` for an unknown name, a selection or a shard of no test, and
    a trial that is wrong.
    """
    check_filters(filters, suite.cases, prefix, suite.relations)
    tests = select_tests(suite.plan.tests, filters, suite.cases, suite.relations)
    diagnostics = [relation for relation in select_relations(filters, suite.relations) if not relation.scored]
    if diagnostics:
        for case in select_cases(filters, suite.cases).values():
            trials = build_trials(case, suite.bank, diagnostics, seed=suite.plan.seed, draws=1)
            tests += [PlannedTest(TestId(t.relation, t.case_id, t.key), (t,)) for t in trials]
    if not tests:
        raise InputError(
            f"no test of suite {suite.name} is left by the selection",
            advice="Name fewer dimensions, relations, domains or cases",
        )
    run = Run(suite, filters, tuple(_by_case(tests, suite.cases)), shard, repeats)
    if not run.here:
        raise InputError(f"{prefix}shard: {shard[1]} shards are more than the cases selected")
    if not checked:
        check_tests(run.here)
        rehearse_own_laws(run.here, suite.relations, suite.cases)
    return run


def _by_case(tests: Sequence[PlannedTest], cases: Mapping[str, Case]) -> list[PlannedTest]:
    """The tests case by case, in the order of the cases, each case's in the order given."""
    grouped: dict[str, list[PlannedTest]] = {case_id: [] for case_id in cases}
    for test in tests:
        grouped[test.id.case_id].append(test)
    return [test for group in grouped.values() for test in group]
