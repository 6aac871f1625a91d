"""Replicas given to workers, held one request at a time, paced."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_jevbench.models.replicas import FreeList, Pace, ReplicaSlots
from tests.models.stored import go_on, next_line, other_process


def test_each_worker_gets_a_replica_and_keeps_it() -> None:
    free = FreeList(3)
    assert [free.take(worker) for worker in ("gw0", "gw1", "gw2", "gw1")] == [0, 1, 2, 1]


def test_a_replacement_gets_the_replica_of_the_dead() -> None:
    free = FreeList(3)
    for number in range(3):
        free.take(f"gw{number}")
    assert free.give_back("gw1") == 1
    assert free.take("gw3") == 1
    assert free.give_back("gw3") == 1
    assert free.take("gw4") == 1
    assert free.give_back("gw3") is None


def test_more_workers_than_replicas_share_them_evenly() -> None:
    free = FreeList(2)
    assert [free.take(f"gw{number}") for number in range(5)] == [0, 1, 0, 1, 0]
    assert free.give_back("gw3") == 1
    assert free.take("gw5") == 1


def test_no_replica_is_an_error() -> None:
    with pytest.raises(ValueError, match="must be a replica"):
        FreeList(0)


@given(st.integers(1, 5), st.lists(st.integers(0, 8), max_size=40))
def test_replacing_the_dead_keeps_the_shares_even(count: int, deaths: list[int]) -> None:
    free = FreeList(count)
    workers = [f"gw{number}" for number in range(9)]
    shares = {worker: free.take(worker) for worker in workers}
    for turn, index in enumerate(deaths):
        dead = workers[index]
        given_back = free.give_back(dead)
        assert given_back == shares.pop(dead)
        workers[index] = f"new{turn}"
        shares[workers[index]] = free.take(workers[index])
        assert shares[workers[index]] == given_back
    loads = [list(shares.values()).count(replica) for replica in range(count)]
    assert max(loads) - min(loads) <= 1


class Stop(Exception):
    pass


def stop(_: float) -> None:
    raise Stop


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_no_more_than_the_limit_are_held_at_once(tmp_path: Path, limit: int) -> None:
    slots = [ReplicaSlots(tmp_path, 0, limit, sleep=stop) for _ in range(limit + 1)]
    held = [slot.hold() for slot in slots[:limit]]
    assert sorted(hold.__enter__() for hold in held) == list(range(limit))
    with pytest.raises(Stop), slots[-1].hold():
        raise AssertionError("held one too many")
    with ReplicaSlots(tmp_path, 1, limit, sleep=stop).hold() as slot:
        assert slot == 0  # of another replica
    held[0].__exit__(None, None, None)
    with slots[-1].hold():
        pass
    for hold in held[1:]:
        hold.__exit__(None, None, None)


def test_a_slot_is_free_again_after_an_error(tmp_path: Path) -> None:
    slots = ReplicaSlots(tmp_path, 0, sleep=stop)
    with pytest.raises(TimeoutError), slots.hold():
        raise TimeoutError
    with slots.hold():
        pass


def test_threads_exclude_each_other(tmp_path: Path) -> None:
    slots = ReplicaSlots(tmp_path, 0)
    inside, most = [0], [0]

    def work() -> None:
        for _ in range(30):
            with slots.hold():
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                inside[0] -= 1

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == [1]


def test_a_process_holds_its_slot_until_it_dies(tmp_path: Path) -> None:
    slots = ReplicaSlots(tmp_path, 0, sleep=stop)
    with other_process("hold_a_slot", folder=str(tmp_path)) as process:
        assert next_line(process) == "holding 0"
        with pytest.raises(Stop), slots.hold():
            raise AssertionError("held by two")
        process.kill()
        process.wait()
        with slots.hold():
            pass
    with other_process("hold_a_slot", folder=str(tmp_path)) as process:
        assert next_line(process) == "holding 0"
        go_on(process)
        process.wait()
        assert process.returncode == 0


@pytest.mark.parametrize("limit", [0, -1])
def test_a_replica_must_be_allowed_a_request(tmp_path: Path, limit: int) -> None:
    with pytest.raises(ValueError, match="one request at a time"):
        ReplicaSlots(tmp_path, 0, limit)


class Clock:
    """Time that passes only by sleeping."""

    def __init__(self, now: float = 1000.0) -> None:
        self.now = now
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def test_requests_of_all_workers_start_an_interval_apart(tmp_path: Path) -> None:
    clock = Clock()
    paces = [Pace(tmp_path / "pace", 0.5, clock=clock, sleep=clock.sleep) for _ in range(3)]
    starts = []
    for number in range(6):
        paces[number % 3].wait()
        starts.append(clock.now)
    assert starts == [1000.0, 1000.5, 1001.0, 1001.5, 1002.0, 1002.5]


def test_time_that_passed_anyway_counts(tmp_path: Path) -> None:
    clock = Clock()
    pace = Pace(tmp_path / "pace", 0.5, clock=clock, sleep=clock.sleep)
    pace.wait()
    clock.now += 0.4
    pace.wait()
    clock.now += 9.0
    pace.wait()
    assert clock.slept == [pytest.approx(0.1)]


@pytest.mark.parametrize("left", ["", "nan", "x", "99999999.0"])
def test_a_file_left_by_a_killed_process_or_an_earlier_boot_holds_nobody_up(tmp_path: Path, left: str) -> None:
    (tmp_path / "pace").write_text(left)
    clock = Clock()
    Pace(tmp_path / "pace", 0.5, clock=clock, sleep=clock.sleep).wait()
    assert clock.slept == []


def test_no_interval_writes_nothing(tmp_path: Path) -> None:
    Pace(tmp_path / "pace", 0.0).wait()
    assert list(tmp_path.iterdir()) == []
