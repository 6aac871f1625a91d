"""How often, how long and how far apart."""

from __future__ import annotations

import random

import pytest

from pytest_jevbench.models.protocol import Reply
from pytest_jevbench.models.reading_replies import Trouble
from pytest_jevbench.models.retrying import Retrier, RetryPolicy

GOOD = Reply({"q": 1})


class Attempts:
    """Outcomes by script, and what was slept and told meanwhile."""

    def __init__(self, policy: RetryPolicy, *outcomes: Reply | Trouble) -> None:
        self.slept: list[float] = []
        self.told: list[str] = []
        self.numbers: list[int] = []
        self._outcomes = outcomes
        self.done = Retrier(policy, self.slept.append, self.told.append).run(self._next)

    def _next(self, number: int) -> Reply | Trouble:
        self.numbers.append(number)
        return self._outcomes[min(number, len(self._outcomes)) - 1]


def busy(wait: float | None = None) -> Trouble:
    return Trouble("again", "busy", 503, wait=wait)


def test_a_reply_is_not_tried_again() -> None:
    run = Attempts(RetryPolicy(), GOOD)
    assert (run.done.outcome, run.done.attempts, run.slept) == (GOOD, 1, [])


def test_the_waits_grow_by_doubling_with_jitter() -> None:
    run = Attempts(RetryPolicy(retries=6, longest_wait=4.0), busy())
    assert run.numbers == [1, 2, 3, 4, 5, 6, 7]
    for wait, longest in zip(run.slept, [0.5, 1.0, 2.0, 4.0, 4.0, 4.0], strict=True):
        assert longest / 2 <= wait < longest


def test_two_runs_do_not_wait_alike() -> None:
    assert Attempts(RetryPolicy(), busy()).slept != Attempts(RetryPolicy(), busy()).slept


def test_a_users_seeded_generator_is_left_alone() -> None:
    random.seed(5)
    expected = random.random()
    random.seed(5)
    Attempts(RetryPolicy(), busy())
    assert random.random() == expected


def test_it_ends_with_the_first_reply() -> None:
    run = Attempts(RetryPolicy(), busy(), busy(), GOOD)
    assert (run.done.outcome, run.done.attempts, len(run.slept)) == (GOOD, 3, 2)


def test_a_refusal_is_not_tried_again() -> None:
    refusal = Trouble("refused", "no", 422)
    run = Attempts(RetryPolicy(), busy(), refusal)
    assert (run.done.outcome, run.done.attempts) == (refusal, 2)


def test_no_retries() -> None:
    assert Attempts(RetryPolicy(retries=0), busy()).numbers == [1]


def test_what_the_server_asks_for_is_waited() -> None:
    run = Attempts(RetryPolicy(), busy(0.0), busy(7.0), GOOD)
    assert run.slept == [0.0, 7.0]
    assert run.told == ["busy; asking again in 7 s, retry 2 of 4"]


def test_a_long_wait_is_capped_and_said() -> None:
    run = Attempts(RetryPolicy(), busy(86400.0), GOOD)
    assert run.slept == [60.0]
    assert run.told == [
        "busy; asking again in 60 s, retry 1 of 4 (the server asked to wait 86400 s; 60 s is the longest allowed)"
    ]


def test_a_wait_is_told_before_it_where_somebody_could_wonder() -> None:
    run = Attempts(RetryPolicy(), busy(1.9), busy(2.0), GOOD)
    assert run.told == ["busy; asking again in 2 s, retry 2 of 4"]


def test_no_attempt_starts_after_the_total_time() -> None:
    run = Attempts(RetryPolicy(retries=100, total=130.0), busy(60.0))
    assert run.slept == [60.0, 60.0]
    assert run.done.attempts == 3
    assert "130 s" in run.done.stopped


def test_one_retrier_serves_many_requests() -> None:
    slept: list[float] = []
    retrier = Retrier(RetryPolicy(retries=2, total=100.0), slept.append, lambda _: None)
    for _ in range(5):
        assert retrier.run(lambda _: busy(30.0)).attempts == 3
    assert slept == [30.0] * 10


@pytest.mark.parametrize(
    ("retry", "chance", "seconds"), [(0, 0.0, 0.25), (3, 0.5, 3.0), (5, 0.0, 8.0), (2000, 0.0, 15.0)]
)
def test_backoff(retry: int, chance: float, seconds: float) -> None:
    assert RetryPolicy().backoff(retry, chance) == seconds
