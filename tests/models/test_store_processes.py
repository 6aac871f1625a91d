"""The answer store between real processes: claims, waiting, kills."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
from contextlib import AbstractContextManager, ExitStack, closing
from pathlib import Path
from subprocess import Popen

import pytest

from pytest_jevbench.models.process_identity import ProcessId, surely_dead, this_process
from pytest_jevbench.models.store import AnswerStore, Hit, Mine, Wait
from tests.models.stored import Counting, asked_lines, fill, go_on, next_line, of_model, other_process, reply, request


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "answers.sqlite"


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "asked"


def test_a_request_in_flight_elsewhere_is_waited_for(path: Path, log: Path) -> None:
    files = {"path": str(path), "log": str(log)}
    with other_process("ask_and_hold", **files) as first:
        assert next_line(first) == "asking"
        with other_process("ask_after_waiting", **files) as second:
            for _ in range(3):
                assert next_line(second) == "waiting"
                go_on(second)
            assert next_line(second) == "waiting"
            go_on(first)
            assert next_line(first) == f"asked {reply(0).answers['urgent']['noul']}"
            go_on(second)
            assert next_line(second) == f"hit {reply(0).answers['urgent']['noul']}"
    assert asked_lines(log) == [0]


@pytest.mark.parametrize("reaped", [True, False], ids=["gone", "zombie"])
def test_the_claim_of_a_killed_process_is_taken_over_at_once(path: Path, log: Path, reaped: bool) -> None:
    with other_process("ask_and_hold", path=str(path), log=str(log)) as first:
        assert next_line(first) == "asking"
        with AnswerStore.open(path) as store:
            waited_for = of_model(store).claim(request(0))
            assert isinstance(waited_for, Wait)
            assert waited_for.process.pid == first.pid
        first.send_signal(signal.SIGKILL)
        if reaped:
            first.wait()
        else:
            os.waitid(os.P_PID, first.pid, os.WEXITED | os.WNOWAIT)  # it has ended, and nobody has asked how
        ask = Counting()

        def never(_: float) -> None:
            raise AssertionError("waited for a dead process")

        with AnswerStore.open(path, sleep=never) as store:
            assert of_model(store).answer(request(0), ask) == (reply(0), False)
    assert ask.asked == [0]


@pytest.mark.parametrize("left", [None, 0.5], ids=["new", "cut in half"])
def test_four_processes_ask_each_of_many_requests_once(path: Path, log: Path, left: float | None) -> None:
    count = 150
    if left is not None:
        fill(path, count)
        path.write_bytes(path.read_bytes()[: int(path.stat().st_size * left)])
    with ExitStack() as stack:
        workers = [
            stack.enter_context(other_process("ask_all", path=str(path), log=str(log), count=count, seed=seed))
            for seed in range(4)
        ]
        for worker in workers:
            go_on(worker)
        assert [next_line(worker) for worker in workers] == ["wrong 0"] * 4
    asked = asked_lines(log)
    assert len(set(asked)) == len(asked)
    assert set(asked) == set(range(count)) if left is None else 0 < len(asked) <= count


class Folder:
    """The files of a run that is to be killed."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.path, self.log, self.done = folder / "answers.sqlite", folder / "asked", folder / "done"

    def run(self, **arguments: int) -> AbstractContextManager[Popen[str]]:
        return other_process("die_somewhere", path=str(self.path), log=str(self.log), done=str(self.done), **arguments)

    def continue_and_check(self, count: int) -> None:
        """Run again here to the end: nothing is asked that was stored, nobody is waited for, every answer is right."""
        before, finished = asked_lines(self.log), asked_lines(self.done)
        assert before == list(range(len(before)))
        told: list[str] = []
        ask = Counting()

        def never(_: float) -> None:
            raise AssertionError("waited for a dead process")

        with AnswerStore.open(self.path, sleep=never, warn=told.append) as store:
            answers = of_model(store)
            stored = [number for number in range(count) if answers.get(request(number)) is not None]
            # All whose put had returned are there, and at most the one that was being put is not yet.
            assert set(finished) <= set(stored) <= set(before)
            assert len(before) - len(stored) <= 1
            for number in range(count):
                assert answers.answer(request(number), ask).reply == reply(number)
        assert ask.asked == [number for number in range(count) if number not in stored]
        assert told == []
        with closing(sqlite3.connect(self.path)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert connection.execute("SELECT count(*) FROM claims").fetchone() == (0,)


def killed_at_line(folder: Folder, after: int) -> bool:
    with folder.run(count=6, after=after) as run:
        survived = next_line(run) == "survived"
        run.wait()
    assert survived or run.returncode == -signal.SIGKILL
    folder.continue_and_check(6)
    return not survived


@pytest.mark.parametrize("seed", range(3))
def test_a_run_killed_at_some_line_continues_where_it_was(tmp_path: Path, seed: int) -> None:
    assert killed_at_line(Folder(tmp_path / "run"), random.Random(seed).randint(1, 1500))


@pytest.mark.slow
def test_a_run_killed_at_any_of_many_lines_continues_where_it_was(tmp_path: Path) -> None:
    draw = random.Random(7)
    killed = [killed_at_line(Folder(tmp_path / str(number)), draw.randint(1, 1900)) for number in range(60)]
    assert sum(killed) >= 50


@pytest.mark.parametrize("seed", range(2))
def test_a_run_killed_from_outside_at_any_moment_continues_where_it_was(tmp_path: Path, seed: int) -> None:
    folder = Folder(tmp_path / "run")
    with folder.run(count=300, after=0) as run:
        for number in range(random.Random(seed).randint(1, 250)):
            assert next_line(run) == str(number)
        run.kill()
        run.wait()
    folder.continue_and_check(300)


def pretend_it_died(path: Path) -> None:
    """Have the refresh begun by a process that is no more: this one's number, and another start."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE refreshes SET started = 'long ago'")
    me = this_process()
    assert surely_dead(ProcessId(me.host, me.pid, "long ago"))


def test_a_killed_refresh_goes_on_and_asks_nothing_twice(path: Path) -> None:
    with AnswerStore.open(path) as store:
        of_model(store).put(request(0), reply(90))
        of_model(store).put(request(1), reply(91))
    with AnswerStore.open(path, mode="refresh") as store:
        assert of_model(store).answer(request(0), Counting()) == (reply(0), False)
        interrupted = store.run
    pretend_it_died(path)
    ask = Counting()
    with AnswerStore.open(path, mode="refresh") as store:
        answers = of_model(store)
        assert [answers.answer(request(number), ask) for number in (0, 1)] == [(reply(0), True), (reply(1), False)]
        assert store.run == interrupted
    assert ask.asked == [1]


def test_two_refreshes_at_once_are_two(path: Path) -> None:
    with AnswerStore.open(path, mode="refresh") as one, AnswerStore.open(path, mode="refresh") as two:
        of_model(one).put(request(0), reply(0))
        assert isinstance(of_model(two).claim(request(0)), Mine)
        assert of_model(one).claim(request(0)) == Hit(reply(0))


def test_a_refresh_of_yesterday_is_not_continued(path: Path) -> None:
    with AnswerStore.open(path, mode="refresh", clock=lambda: 1000.0) as store:
        of_model(store).put(request(0), reply(0))
    pretend_it_died(path)
    with AnswerStore.open(path, mode="refresh", clock=lambda: 1000.0 + 86_401.0) as store:
        assert of_model(store).get(request(0)) is None


def test_this_process_lives_and_numbers_used_again_are_told_apart() -> None:
    me = this_process()
    assert not surely_dead(me)
    assert surely_dead(ProcessId(me.host, me.pid, me.started + "0"))
    assert not surely_dead(ProcessId("another host", 2**22 + 1, "1"))
    assert surely_dead(ProcessId(me.host, 2**22 + 1, "1"))  # above the largest process number


def test_a_process_is_seen_to_live_and_to_die(path: Path, log: Path) -> None:
    with other_process("ask_and_hold", path=str(path), log=str(log)) as process:
        assert next_line(process) == "asking"
        with AnswerStore.open(path) as store:
            claim = of_model(store).claim(request(0))
        assert isinstance(claim, Wait)
        assert not surely_dead(claim.process)
        process.kill()
        process.wait()
        assert surely_dead(claim.process)
