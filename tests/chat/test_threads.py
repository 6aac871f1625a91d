"""Work in threads: all results, errors in the caller, nothing begun after the end."""

from __future__ import annotations

import pytest

from pytest_jevbench.chat.threads import in_threads


@pytest.mark.parametrize("workers", [1, 3, 9])
def test_every_item_is_done_once(workers: int) -> None:
    found = in_threads(lambda item, worker: (item * item, worker), range(20), range(workers))
    results = list(found)
    assert sorted(square for square, _ in results) == [n * n for n in range(20)]
    assert {worker for _, worker in results} <= set(range(workers))


def test_an_error_is_raised_where_the_results_are_taken_and_ends_the_work() -> None:
    begun: list[int] = []

    def work(item: int, _: str) -> int:
        begun.append(item)
        return 12 // (2 - item)

    results = in_threads(work, range(10), ["one"])
    assert [next(results), next(results)] == [6, 12]
    with pytest.raises(ZeroDivisionError):
        next(results)
    assert begun == [0, 1, 2]


def test_nothing_is_begun_after_the_caller_stopped() -> None:
    begun: list[int] = []
    results = in_threads(lambda item, _: begun.append(item), range(10), ["one"])
    next(results)
    next(results)
    results.close()  # type: ignore[attr-defined]  # it is a generator
    assert begun == [0, 1]


def test_no_item_and_no_worker_waits_for_nothing() -> None:
    assert list(in_threads(lambda item, worker: item, [], ["one"])) == []
