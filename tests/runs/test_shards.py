"""Shards are whole cases, cover the plan, and stay what they are."""

from __future__ import annotations

import pytest

from pytest_jevbench.runs.shards import shard_cases
from pytest_jevbench.suite_loading import load_suite

SUITE = load_suite("jevbench-mini")
TESTS = SUITE.plan.tests


@pytest.mark.parametrize("count", [1, 2, 3, 8, 60])
def test_every_case_is_in_exactly_one_shard(count: int) -> None:
    parts = [shard_cases(TESTS, index, count) for index in range(1, count + 1)]
    cases = {test.id.case_id for test in TESTS}
    assert set().union(*parts) == cases
    assert sum(map(len, parts)) == len(cases)


@pytest.mark.parametrize("count", [2, 3, 8])
def test_no_shard_has_more_than_one_cases_requests_above_another(count: int) -> None:
    sizes = dict.fromkeys((test.id.case_id for test in TESTS), 1)
    for test in TESTS:
        sizes[test.id.case_id] += sum(len(trial.edit.batches) for trial in test.trials)
    loads = [sum(sizes[case] for case in shard_cases(TESTS, index, count)) for index in range(1, count + 1)]
    assert max(loads) - min(loads) <= max(sizes.values())


def test_the_order_of_tests_of_one_case_does_not_matter() -> None:
    by_case = sorted(TESTS, key=lambda test: list(SUITE.cases).index(test.id.case_id))
    turned = sorted(TESTS, key=lambda test: (list(SUITE.cases).index(test.id.case_id), test.id.relation))
    assert [shard_cases(by_case, i, 4) for i in (1, 2, 3, 4)] == [shard_cases(turned, i, 4) for i in (1, 2, 3, 4)]


def test_more_shards_than_cases_leave_some_empty() -> None:
    count = len({test.id.case_id for test in TESTS}) + 1
    assert shard_cases(TESTS, count, count) == frozenset()
