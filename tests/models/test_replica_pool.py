"""Who is asked, and who instead of a replica that went away."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from pytest_jevbench.errors import ModelDown, Refused, Unreachable
from pytest_jevbench.models.protocol import Identity, Reply
from pytest_jevbench.models.replica_pool import ReplicaPool
from pytest_jevbench.models.systemone import SystemOne
from pytest_jevbench.questions import Noul, Request
from tests.servers.scripted import ScriptedServer, Talk, hang, right

REQUEST = Request("s", {"q": Noul("Is it?")})


class Told:
    """A model that does what its function says."""

    identity = Identity("callable", "told")

    def __init__(self, does: Callable[[], Reply]) -> None:
        self._does = does
        self.asked = 0

    def ask(self, request: Request) -> Reply:
        self.asked += 1
        return self._does()

    def close(self) -> None:
        """Nothing is held."""


def answers(name: str) -> Told:
    return Told(lambda: Reply({}, model=name))


def fails(error: type[Unreachable] | type[ModelDown] | type[Refused], attempts: int = 1) -> Told:
    def does() -> Reply:
        raise error("no", attempts=attempts)

    return Told(does)


def test_each_slot_asks_its_own_replica() -> None:
    pool = ReplicaPool([answers("a"), answers("b"), answers("a2"), answers("b2")], replicas=2)
    assert [pool.ask(REQUEST, slot).model for slot in range(4)] == ["a", "b", "a2", "b2"]


def test_a_request_that_one_replica_cannot_answer_goes_to_another_and_every_attempt_counts() -> None:
    pool = ReplicaPool([fails(Unreachable, 5), answers("b")])
    reply = pool.ask(REQUEST, 0)
    assert (reply.model, reply.attempts) == ("b", 6)
    assert not pool.is_gone(0)


def test_a_replica_that_is_down_is_asked_no_more_and_is_told_of_once() -> None:
    told: list[str] = []
    down = fails(ModelDown)
    pool = ReplicaPool([down, answers("b")], tell=told.append)
    assert [pool.ask(REQUEST, 0).model for _ in range(3)] == ["b", "b", "b"]
    assert down.asked == 1
    assert pool.is_gone(0)
    assert len(told) == 1
    assert "replica 0" in told[0]


def test_the_last_replica_that_goes_down_ends_it() -> None:
    pool = ReplicaPool([fails(ModelDown), fails(ModelDown)])
    for slot in (0, 1, 0):
        with pytest.raises(ModelDown):
            pool.ask(REQUEST, slot)


def test_where_no_replica_answers_the_error_counts_all_attempts() -> None:
    pool = ReplicaPool([fails(Unreachable, 2), fails(Unreachable, 3)])
    with pytest.raises(Unreachable) as caught:
        pool.ask(REQUEST, 1)
    assert caught.value.attempts == 5


def test_a_refusal_is_the_models_word_and_no_other_replica_is_asked() -> None:
    other = answers("b")
    pool = ReplicaPool([fails(Refused), other])
    with pytest.raises(Refused):
        pool.ask(REQUEST, 0)
    assert other.asked == 0


def test_a_slot_has_one_request_at_a_time_whoever_asks() -> None:
    inside, most = 0, 0
    entered, lock = threading.Event(), threading.Lock()

    def does() -> Reply:
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
        entered.wait(0.01)
        with lock:
            inside -= 1
        return Reply({})

    pool = ReplicaPool([Told(does)])
    threads = [threading.Thread(target=pool.ask, args=(REQUEST, 0)) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 1


def test_a_replica_shared_with_other_processes_is_held_around_each_request() -> None:
    seen: list[str] = []

    @contextmanager
    def hold() -> Iterator[None]:
        seen.append("held")
        yield
        seen.append("let go")

    def does() -> Reply:
        seen.append("asked")
        return Reply({})

    ReplicaPool([Told(does)], holds=[hold]).ask(REQUEST)
    assert seen == ["held", "asked", "let go"]


def test_a_thread_more_a_slot_where_models_let_threads_take_turns() -> None:
    assert ReplicaPool([answers("a"), answers("b")]).threads == 2
    with ScriptedServer([right()]) as server, SystemOne(server.url, model="m", environ={}) as model:
        assert ReplicaPool([model]).threads == 2
        assert ReplicaPool([model] * 17).threads == 17
        assert ReplicaPool([model, answers("b")]).threads == 2


def test_one_request_at_a_time_is_on_its_way_in_the_order_of_the_line() -> None:
    count, seen, most = 60, list[int](), [0]
    lock, in_flight, lined_up = threading.Lock(), [0], threading.Lock()

    def step(talk: Talk) -> bool:
        with lock:
            in_flight[0] += 1
            most[0] = max(most[0], in_flight[0])
            seen.append(int(talk.asked.json["state"]))
        answered = right()(talk)
        with lock:
            in_flight[0] -= 1
        return answered

    coming = iter(range(count))

    def work(thread: int) -> None:
        while True:
            with lined_up:
                number = next(coming, None)
                if number is None:
                    return
                pool.line_up(thread)
            pool.ask(Request(str(number), REQUEST.questions), thread)
            pool.leave(thread)

    with ScriptedServer([step]) as server, SystemOne(server.url, model="m", environ={}) as model:
        pool = ReplicaPool([model])
        threads = [threading.Thread(target=work, args=(number,)) for number in range(pool.threads)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert server.connections == 1
    assert seen == list(range(count))
    assert most == [1]


def late() -> Told:
    def does() -> Reply:
        error = Unreachable("no answer within 60 s")
        error.timed_out = True
        raise error

    return Told(does)


def test_a_replica_that_lets_three_requests_in_a_row_wait_is_asked_no_more() -> None:
    told: list[str] = []
    slow = late()
    pool = ReplicaPool([slow, answers("b"), late(), answers("b2")], replicas=2, tell=told.append)
    assert [pool.ask(REQUEST, 0).model for _ in range(4)] == ["b"] * 4
    assert slow.asked == 3
    assert pool.is_gone(0)
    assert pool.is_gone(2)  # the same replica's other slot
    assert "replica 0 is asked no more: 3 requests in a row were not answered in time" in told[0]


def test_late_answers_with_others_between_them_are_no_row() -> None:
    error = Unreachable("no answer within 60 s")
    error.timed_out = True
    outcomes = iter([error, error, Reply({}, model="a"), error, error, Reply({}, model="a")])

    def does() -> Reply:
        outcome = next(outcomes)
        if isinstance(outcome, Reply):
            return outcome
        raise outcome

    pool = ReplicaPool([Told(does), answers("b")])
    assert [pool.ask(REQUEST, 0).model for _ in range(6)] == ["b", "b", "a", "b", "b", "a"]
    assert not pool.is_gone(0)


def test_the_last_replica_may_be_late() -> None:
    slow = late()
    pool = ReplicaPool([slow])
    for _ in range(5):
        with pytest.raises(Unreachable):
            pool.ask(REQUEST, 0)
    assert slow.asked == 5


def test_a_late_request_is_tried_again_where_nobody_else_is() -> None:
    for others, attempts in ((1, 1), (0, 3)):
        with ScriptedServer([hang()]) as server:
            model = SystemOne(server.url, model="m", timeout=0.05, retries=2, sleep=lambda _: None)
            pool = ReplicaPool([model, *[answers("b")] * others])
            with suppress(Unreachable):
                assert pool.ask(REQUEST, 0).model == "b"
            assert len(server.asked) == attempts
            model.close()
