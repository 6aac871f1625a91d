"""The tests of a suite as pytest items, hung on the session beside whatever else is collected."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from functools import cached_property
from itertools import groupby
from typing import Any

import pluggy
import pytest

from pytest_jevbench.plans.plan import PlannedTest
from pytest_jevbench.plugin.item import JevbenchItem
from pytest_jevbench.plugin.item_marks import marks_of
from pytest_jevbench.plugin.keys import NODE_IDS, ORDER, RUN
from pytest_jevbench.runs.planning import Run, node_id
from pytest_jevbench.slugs import slug

__all__ = ["JevbenchCase", "JevbenchSuite", "pytest_collection_modifyitems", "pytest_make_collect_report"]


class JevbenchSuite(pytest.Collector):
    """A suite: collects its cases."""

    run: Run

    def collect(self) -> Iterator[pytest.Collector]:
        wanted = self.config.stash[NODE_IDS]
        for case_id, tests in groupby(enumerate(self.run.here), key=lambda numbered: numbered[1].id.case_id):
            kept = [(at, test) for at, test in tests if is_wanted(self.run, test, wanted)]
            if kept:
                case = JevbenchCase.from_parent(self, name=slug(case_id))
                case.tests = kept
                yield case


class JevbenchCase(pytest.Collector):
    """A case: collects its tests."""

    tests: list[tuple[int, PlannedTest]]

    @cached_property
    def hooks(self) -> pluggy.HookRelay:
        """The hooks of its items, which lie where it lies."""
        return self.ihook

    def collect(self) -> Iterator[pytest.Item]:
        assert isinstance(self.parent, JevbenchSuite)
        case = self.parent.run.cases[self.tests[0][1].id.case_id]
        for position, test in self.tests:
            item: JevbenchItem = JevbenchItem.from_parent(
                self, name=node_id("", test.id).rpartition("::")[2], test=test, case=case, position=position
            )
            for mark in marks_of(self.parent.run, test):
                item.own_markers.append(mark.mark)
                item.keywords[mark.name] = mark.mark
            yield item


def is_wanted(run: Run, test: PlannedTest, wanted: tuple[str, ...]) -> bool:
    """Whether node ids given as arguments leave a test; none given leave all."""
    if not wanted:
        return True
    own = node_id(run.suite.name, test.id)
    return any(own == name or own.startswith(f"{name}::") for name in wanted)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Any, Any]:
    """Append the suite to what the session collects: its ids then read the same in any directory."""
    report = yield
    if isinstance(collector, pytest.Session) and report.outcome == "passed":
        run = collector.config.stash[RUN]
        suite: JevbenchSuite = JevbenchSuite.from_parent(
            collector, name=slug(run.suite.name), nodeid=slug(run.suite.name)
        )
        suite.run = run
        report.result = [*report.result, suite]
    return report


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Put a suite's items back together by case, wherever a plugin that shuffles has put them.

    The first item of a case stays where it is and draws the others to it, in plan order, so that the requests of a case
    are asked together. Where the run may stop early, cases stand in the order of the rule that stops it.
    """
    groups: dict[str, list[JevbenchItem]] = {}
    for item in items:
        if isinstance(item, JevbenchItem):
            groups.setdefault(item.test.id.case_id, []).append(item)
    order = config.stash.get(ORDER, ())
    if order:
        groups = {case_id: groups[case_id] for case_id in order if case_id in groups}
    placed: list[pytest.Item] = []
    for item in items:
        if not isinstance(item, JevbenchItem):
            placed.append(item)
            continue
        turn = next(iter(groups), "") if order else item.test.id.case_id
        group = groups.pop(turn, [])
        group.sort(key=lambda one: one.position)
        placed += group
    items[:] = placed
