"""The exit status: what goes before what."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from pytest_jevbench.runs.exit_status import Ending, exit_status

ONE = {
    4: {"pytest_status": 4},
    3: {"pytest_status": 3},
    17: {"model_unusable": True},
    2: {"interrupted": True},
    16: {"unjudged": 1},
    1: {"violations": 1},
    5: {"pytest_status": 5},
    0: {},
}
ORDER = [4, 3, 17, 2, 16, 1, 5, 0]


def ending(**facts: Any) -> Ending:
    return Ending(**{"pytest_status": 0, **facts})


@pytest.mark.parametrize("status", ORDER)
def test_each_status_alone(status: int) -> None:
    assert exit_status(ending(**ONE[status])) == status


@pytest.mark.parametrize(("first", "second"), list(combinations(ORDER, 2)))
def test_of_two_the_earlier_in_the_order_counts(first: int, second: int) -> None:
    assert exit_status(ending(**{**ONE[second], **ONE[first]})) == first


def test_lost_tests_are_incomplete_but_not_where_x_stopped_an_ungated_run() -> None:
    assert exit_status(ending(lost=3)) == 16
    assert exit_status(ending(lost=3, stopped_by_failures=True, violations=1, pytest_status=1)) == 1
    assert exit_status(ending(lost=3, stopped_by_failures=True, violations=1, pytest_status=1, gated=True)) == 16
    assert exit_status(ending(lost=3, stopped_by_failures=True, violations=1, pytest_status=2)) == 1


def test_a_failed_gate_fails_and_an_incomplete_one_is_incomplete() -> None:
    assert exit_status(ending(gated=True, gate_failed=True)) == 1
    assert exit_status(ending(gated=True, gate_incomplete=True)) == 16


def test_failures_of_other_tests_fail_the_run() -> None:
    assert exit_status(ending(pytest_status=1, other_failures=1)) == 1


def test_failures_that_do_not_count_leave_the_run_passed() -> None:
    assert exit_status(ending(pytest_status=1)) == 0


def test_a_status_that_is_not_known_stays() -> None:
    assert exit_status(ending(pytest_status=6)) == 6
    assert exit_status(ending(pytest_status=6, violations=1)) == 1


def test_a_run_whose_card_is_lost_is_incomplete() -> None:
    assert exit_status(ending(card_lost=True)) == 16
    assert exit_status(ending(card_lost=True, violations=1, pytest_status=1)) == 16
