"""One at a time, in the order in which they lined up; the next one begins as the one before ends."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from pytest_jevbench.models.turns import Turn

PATIENT = 60.0


class Ended(Exception):
    """Raised at the beginning of a turn."""


class Stage:
    """Threads with names, each of which goes on when it is told to, and what they did."""

    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self.did: list[str] = []
        self._go: dict[str, threading.Event] = {}
        self._at: dict[str, threading.Event] = {}
        self.threads: list[threading.Thread] = []

    def event(self, name: str) -> threading.Event:
        return self._go.setdefault(name, threading.Event())

    def run(self, name: str, work: Callable[[], None]) -> None:
        thread = threading.Thread(target=work, name=name, daemon=True)
        self.threads.append(thread)
        thread.start()

    def join(self) -> None:
        for thread in self.threads:
            thread.join(PATIENT)
            assert not thread.is_alive()


def until(condition: Callable[[], bool]) -> None:
    """Wait for something that another thread is about to do."""
    waiting = threading.Event()
    for _ in range(60_000):
        if condition():
            return
        waiting.wait(0.001)
    raise AssertionError("it did not happen")


def is_waiting(turn: Turn, count: int) -> Callable[[], bool]:
    return lambda: sum(place.start is not None for place in turn._line.values()) == count


def test_a_free_turn_begins_at_once_and_did_not_wait() -> None:
    turn, waited = Turn(), []
    turn.enter(waited.append)
    turn.end()
    turn.enter(waited.append)
    assert waited == [False, False]


def test_no_two_have_the_turn_at_once() -> None:
    turn, inside, most, lock = Turn(), [0], [0], threading.Lock()

    def work() -> None:
        for _ in range(200):
            turn.enter(lambda waited: None)
            with lock:
                inside[0] += 1
                most[0] = max(most[0], inside[0])
            with lock:
                inside[0] -= 1
            turn.end()

    stage = Stage(turn)
    for name in "abcd":
        stage.run(name, work)
    stage.join()
    assert most == [1]


def test_turns_come_in_the_order_of_the_line_whoever_is_ready_first() -> None:
    turn = Turn(patience=PATIENT)
    stage = Stage(turn)
    turn.enter(lambda waited: None)

    def work(name: str) -> None:
        turn.line_up()
        stage.event(f"{name} is in line").set()
        stage.event(f"{name} is ready").wait(PATIENT)
        turn.enter(lambda waited: stage.did.append(name))
        turn.end()

    for name in "abc":
        stage.run(name, lambda name=name: work(name))  # type: ignore[misc]
        stage.event(f"{name} is in line").wait(PATIENT)
    for number, name in enumerate("cba"):
        stage.event(f"{name} is ready").set()
        until(is_waiting(turn, number + 1))
    turn.end()
    stage.join()
    assert stage.did == ["a", "b", "c"]


def test_the_one_before_begins_the_next_turn() -> None:
    turn = Turn()
    stage = Stage(turn)
    turn.enter(lambda waited: None)

    def start(waited: bool) -> None:
        stage.did.append(f"{threading.current_thread().name}, waited {waited}")

    def work() -> None:
        turn.enter(start)
        stage.did.append("goes on in its own thread")
        turn.end()

    stage.run("next", work)
    until(is_waiting(turn, 1))
    turn.end()
    stage.join()
    assert stage.did == ["MainThread, waited True", "goes on in its own thread"]


def test_whoever_is_not_ready_is_not_waited_for_without_end() -> None:
    turn = Turn(patience=0.001)
    stage = Stage(turn)

    def unready() -> None:
        turn.line_up()
        stage.event("first").set()
        stage.event("late").wait(PATIENT)
        turn.enter(lambda waited: stage.did.append("late"))
        turn.end()

    stage.run("unready", unready)
    stage.event("first").wait(PATIENT)
    turn.enter(lambda waited: stage.did.append("ready"))
    turn.end()
    stage.event("late").set()
    stage.join()
    assert stage.did == ["ready", "late"]


def test_stepping_out_lets_the_next_one_go() -> None:
    turn = Turn(patience=PATIENT)
    stage = Stage(turn)

    def other() -> None:
        turn.enter(lambda waited: stage.did.append("other"))
        turn.end()

    turn.line_up()
    stage.run("other", other)
    until(is_waiting(turn, 1))
    turn.step_out()
    stage.join()
    turn.step_out()  # once more is no harm
    assert stage.did == ["other"]


@pytest.mark.parametrize("handed_over", [False, True])
def test_an_error_at_the_beginning_reaches_its_own_thread_and_ends_its_turn(handed_over: bool) -> None:
    turn = Turn()
    stage = Stage(turn)

    def refuse(waited: bool) -> None:
        raise Ended

    def work() -> None:
        with pytest.raises(Ended):
            turn.enter(refuse)
        stage.did.append("refused")

    if handed_over:
        turn.enter(lambda waited: None)
    stage.run("refused", work)
    if handed_over:
        until(is_waiting(turn, 1))
        turn.end()
    stage.join()
    turn.enter(lambda waited: stage.did.append("free"))
    assert stage.did == ["refused", "free"]


def test_ctrl_c_while_waiting_leaves_the_line(monkeypatch: pytest.MonkeyPatch) -> None:
    turn = Turn()
    stage = Stage(turn)
    stage.run("holder", lambda: turn.enter(lambda waited: None))
    stage.join()

    def interrupted(timeout: float | None = None) -> bool:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(turn._changed, "wait", interrupted)
        with pytest.raises(KeyboardInterrupt):
            turn.enter(lambda waited: stage.did.append("never"))
    assert turn._line == {}
    turn.end()
    turn.enter(lambda waited: stage.did.append("free"))
    assert stage.did == ["free"]
