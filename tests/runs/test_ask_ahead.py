"""Asking ahead gives what asking in turn gives, earlier."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import pytest

from pytest_jevbench.errors import ModelDown, Refused
from pytest_jevbench.models.protocol import Reply
from pytest_jevbench.questions import Noul, Request
from pytest_jevbench.runs.answered import Answers, Unanswered
from pytest_jevbench.runs.ask_ahead import AskAhead, Cancelled, Coming, Stop
from pytest_jevbench.runs.asking import Asker

LONG = 30.0
"""Seconds that no test here comes near."""


def request(number: int) -> Request:
    return Request(f"state {number}", {"q": Noul("Is it?")})


def answer(number: int) -> Reply:
    return Reply({"q": {"type": "noul", "noul": number / 1000}})


def number_of(asked: Request) -> int:
    return int(str(asked.state).split()[1])


class Server:
    """Answers when it may, and remembers what it was asked, in order."""

    def __init__(self, may: Callable[[int], bool] = lambda number: True) -> None:
        self.asked: list[int] = []
        self._may = may
        self._changed = threading.Condition()

    def __call__(self, asked: Request, slot: int) -> tuple[Reply, bool]:
        number = number_of(asked)
        with self._changed:
            self.asked.append(number)
            self._changed.notify_all()
            assert self._changed.wait_for(lambda: self._may(number), LONG)
        return answer(number), False

    def changed(self) -> None:
        with self._changed:
            self._changed.notify_all()

    def wait_for(self, count: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self.asked) >= count, LONG)


@contextmanager
def asking_ahead(
    server: Callable[[Request, int], tuple[Reply, bool]], coming: Sequence[Coming], slots: int = 1, window: int = 4
) -> Iterator[tuple[AskAhead, Asker]]:
    asker = Asker(server)
    ahead = AskAhead(asker, asker.ask, slots, coming, stop=Stop(), window=window)
    try:
        yield ahead, asker
    finally:
        ahead.close(LONG)


def coming(count: int) -> list[Coming]:
    return [Coming(number, request(number)) for number in range(count)]


@pytest.mark.parametrize("slots", [1, 2, 8])
def test_every_request_is_asked_once_and_brings_its_own_answer(slots: int) -> None:
    server = Server()
    with asking_ahead(server, coming(100), slots) as (ahead, asker):
        for position in range(100):
            ahead.begin(position)
            got = ahead.answer(request(position))
            assert isinstance(got, Answers)
            assert got.distributions["q"]["true"] == pytest.approx(position / 1000, abs=1e-15)
    assert Counter(server.asked) == Counter(range(100))
    assert asker.tally.requests == 100


def test_one_slot_asks_in_the_order_of_the_run() -> None:
    server = Server()
    with asking_ahead(server, coming(30)) as (ahead, _):
        for position in range(30):
            ahead.begin(position)
            ahead.answer(request(position))
    assert server.asked == list(range(30))


def test_no_more_is_asked_than_the_window_allows_until_the_run_goes_on() -> None:
    server = Server()
    with asking_ahead(server, coming(50), slots=2, window=6) as (ahead, _):
        server.wait_for(6)
        ahead.answer(request(0))
        ahead.close(LONG)  # whatever a slot may still take, it has taken then
        assert sorted(server.asked) == list(range(6))


def test_a_test_that_begins_makes_room_for_later_ones() -> None:
    server = Server()
    with asking_ahead(server, coming(50), window=6) as (ahead, _):
        server.wait_for(6)
        ahead.begin(3)
        server.wait_for(9)
        ahead.close(LONG)
        assert server.asked == list(range(9))


def test_what_nobody_foresaw_goes_before_all_else_even_where_the_window_is_full() -> None:
    server = Server()
    with asking_ahead(server, coming(50), window=3) as (ahead, _):
        server.wait_for(3)
        got = ahead.answer(request(99))
    assert isinstance(got, Answers)
    assert server.asked == [0, 1, 2, 99]


def test_an_answer_on_its_way_is_waited_for_and_not_asked_again() -> None:
    free = threading.Event()
    server = Server(lambda number: free.is_set())
    got: list[object] = []
    with asking_ahead(server, coming(1)) as (ahead, _):
        server.wait_for(1)
        waiting = threading.Thread(target=lambda: got.append(ahead.answer(request(0))))
        waiting.start()
        free.set()
        server.changed()
        waiting.join(LONG)
    assert len(got) == 1
    assert server.asked == [0]


def test_a_refusal_is_the_outcome_of_its_request_alone() -> None:
    def server(asked: Request, slot: int) -> tuple[Reply, bool]:
        if number_of(asked) == 1:
            raise Refused("no")
        return answer(number_of(asked)), False

    with asking_ahead(server, coming(3), slots=2) as (ahead, _):
        kinds = [type(ahead.answer(request(number))) for number in range(3)]
    assert kinds == [Answers, Unanswered, Answers]


def test_a_model_that_is_down_ends_asking_and_nothing_hangs() -> None:
    asked: list[int] = []

    def server(one: Request, slot: int) -> tuple[Reply, bool]:
        asked.append(number_of(one))
        raise ModelDown("gone")

    with asking_ahead(server, coming(50)) as (ahead, asker):
        got = [ahead.answer(request(number)) for number in (0, 20, 49)]
    assert all(isinstance(one, Unanswered) and one.reason == "unreachable" for one in got)
    assert isinstance(asker.down, ModelDown)
    assert asked == [0]


def test_an_unexpected_error_reaches_the_test_that_needs_the_answer() -> None:
    def server(asked: Request, slot: int) -> tuple[Reply, bool]:
        raise ZeroDivisionError("a bug")

    with asking_ahead(server, coming(1)) as (ahead, _), pytest.raises(ZeroDivisionError, match="a bug"):
        ahead.answer(request(0))


def test_closing_sends_nothing_new_and_ends_waits() -> None:
    stop, sleeping = Stop(), threading.Event()
    asked: list[int] = []

    def server(one: Request, slot: int) -> tuple[Reply, bool]:
        asked.append(number_of(one))
        sleeping.set()
        stop.sleep(LONG)
        raise AssertionError("the wait was to be cut short")

    asker = Asker(server)
    ahead = AskAhead(asker, asker.ask, 1, coming(9), stop=stop)
    assert sleeping.wait(LONG)
    ahead.close(LONG)
    assert asked == [0]
    assert asker.known(request(0).digest) is None


def test_slots_that_are_gone_leave_the_work_to_the_others() -> None:
    server = Server()
    asker = Asker(server)
    ahead = AskAhead(asker, asker.ask, 3, coming(20), stop=Stop(), is_gone=lambda slot: slot != 1)
    try:
        assert all(isinstance(ahead.answer(request(number)), Answers) for number in range(20))
    finally:
        ahead.close(LONG)
    assert Counter(server.asked) == Counter(range(20))


def test_the_main_thread_sleeps_on() -> None:
    stop = Stop()
    stop.set()
    stop.sleep(0.0)
    raised: list[type[BaseException]] = []

    def other() -> None:
        try:
            stop.sleep(LONG)
        except Cancelled as error:
            raised.append(type(error))

    thread = threading.Thread(target=other)
    thread.start()
    thread.join(LONG)
    assert raised == [Cancelled]


def test_threads_line_up_in_the_order_of_the_run_and_leave_when_they_are_done() -> None:
    server, line, served = Server(), list[int](), list[int]()
    mine: dict[int, int] = {}

    def numbered(asked: Request, thread: int) -> tuple[Reply, bool]:
        mine[thread] = number_of(asked)
        return server(asked, thread)

    asker = Asker(numbered)
    ahead = AskAhead(
        asker,
        asker.ask,
        4,
        coming(40),
        stop=Stop(),
        line_up=line.append,
        leave=lambda thread: served.append(mine[thread]),
    )
    for position in range(40):
        ahead.begin(position)
        ahead.answer(request(position))
    ahead.close(LONG)
    assert len(line) == 40
    assert set(line) <= set(range(4))
    assert sorted(served) == list(range(40))
