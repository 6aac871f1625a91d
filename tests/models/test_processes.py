"""Processes with all their children."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_jevbench.models.processes import OrphanGuard, PlainProcesses, Platform, PosixGroups, ProcessGroup

PLATFORMS = pytest.mark.parametrize("platform", [PosixGroups(), PlainProcesses()], ids=["groups", "fallback"])

HOLDS_A_LOCK = """
import fcntl, sys, signal, time
if len(sys.argv) > 2:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
lock = open(sys.argv[1], "a")
fcntl.flock(lock, fcntl.LOCK_EX)
print("locked", flush=True)
time.sleep(600)
"""

WITH_A_CHILD = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", sys.argv[1], *sys.argv[2:]], stdout=subprocess.PIPE)
child.stdout.readline()
print("ready", flush=True)
time.sleep(600)
"""


class Held:
    """A file that a process holds locked; the lock is free when that process, whoever its parent, is gone."""

    def __init__(self, path: Path) -> None:
        self.path = path
        path.touch()

    def is_held(self) -> bool:
        with self.path.open("a") as stream:
            try:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                return True
            return False

    def released(self, within: float = 30.0) -> bool:
        """Wait until it is free."""

        def wait() -> None:
            with self.path.open("a") as stream:
                fcntl.flock(stream, fcntl.LOCK_EX)

        waiter = threading.Thread(target=wait, daemon=True)
        waiter.start()
        waiter.join(within)
        return not waiter.is_alive()


@pytest.fixture
def held(tmp_path: Path) -> Held:
    return Held(tmp_path / "lock")


@pytest.fixture
def start() -> Iterator[Callable[..., ProcessGroup]]:
    """Starts a Python script in a group and waits for its first line."""
    groups: list[ProcessGroup] = []

    def run(text: str, *words: str, platform: Platform | None = None) -> ProcessGroup:
        group = ProcessGroup(
            [sys.executable, "-c", text, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, platform=platform
        )
        groups.append(group)
        assert group.process.stdout is not None
        group.process.stdout.readline()
        return group

    yield run
    for group in groups:
        group.stop(grace=0.0)
        assert group.process.stdout is not None
        group.process.stdout.close()


@PLATFORMS
def test_stopping_ends_the_program(start: Callable[..., ProcessGroup], held: Held, platform: Platform) -> None:
    group = start(HOLDS_A_LOCK, str(held.path), platform=platform)
    assert (held.is_held(), group.ended, group.exit_status()) == (True, False, None)
    assert group.stop() == -signal.SIGTERM
    assert not held.is_held()
    assert (group.ended, group.exit_status(), group.stop()) == (True, -signal.SIGTERM, -signal.SIGTERM)


@PLATFORMS
def test_a_program_that_will_not_end_is_killed(
    start: Callable[..., ProcessGroup], held: Held, platform: Platform
) -> None:
    group = start(HOLDS_A_LOCK, str(held.path), "stubborn", platform=platform)
    assert group.stop(grace=0.1) == -signal.SIGKILL
    assert not held.is_held()


@PLATFORMS
def test_the_status_of_a_program_that_ended_by_itself(start: Callable[..., ProcessGroup], platform: Platform) -> None:
    group = start("print(1, flush=True); raise SystemExit(7)", platform=platform)
    assert group.process.wait() == 7
    assert (group.ended, group.exit_status(), group.stop()) == (True, 7, 7)


@pytest.mark.parametrize("stubborn", [(), ("stubborn",)], ids=["willing", "stubborn"])
def test_children_are_ended_with_the_program(
    start: Callable[..., ProcessGroup], held: Held, stubborn: tuple[str, ...]
) -> None:
    group = start(WITH_A_CHILD, HOLDS_A_LOCK, str(held.path), *stubborn)
    assert held.is_held()
    group.stop(grace=5.0)
    assert held.released()


def test_children_left_by_a_program_that_ended_are_ended_too(start: Callable[..., ProcessGroup], held: Held) -> None:
    group = start(WITH_A_CHILD.replace("time.sleep(600)", "sys.exit(3)"), HOLDS_A_LOCK, str(held.path))
    os.waitid(os.P_PID, group.pid, os.WEXITED | os.WNOWAIT)
    assert held.is_held()
    assert group.exit_status() == 3
    assert held.released()


def test_a_program_is_apart_from_our_terminal(start: Callable[..., ProcessGroup], held: Held) -> None:
    group = start(HOLDS_A_LOCK, str(held.path))
    assert os.getpgid(group.pid) == group.pid != os.getpgid(0)
    assert os.getsid(group.pid) == group.pid


def test_a_program_that_is_not_there_is_an_os_error() -> None:
    with pytest.raises(OSError, match="no-such-program"):
        ProcessGroup(["/nowhere/no-such-program"])


def test_the_guard_ends_what_it_watches_when_it_is_left_alone(
    start: Callable[..., ProcessGroup], held: Held, tmp_path: Path
) -> None:
    log = tmp_path / "a server.log"
    log.touch()
    group = start(WITH_A_CHILD, HOLDS_A_LOCK, str(held.path))
    guard = OrphanGuard(grace=0.1)
    guard.watch(group, log)
    guard.close()
    assert held.released()
    assert group.process.wait() == -signal.SIGTERM
    assert not log.exists()


def test_the_guard_leaves_alone_what_was_ended(start: Callable[..., ProcessGroup], held: Held, tmp_path: Path) -> None:
    group = start(HOLDS_A_LOCK, str(held.path))
    guard = OrphanGuard()
    guard.watch(group, tmp_path / "log")
    guard.forget(group)
    guard.close()
    assert held.is_held()
    assert not group.ended
