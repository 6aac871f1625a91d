"""A worker that is gone before the controller hears of it."""

from __future__ import annotations

from typing import Any

import pytest
from xdist.remote import Producer
from xdist.scheduler.worksteal import WorkStealingScheduling

from pytest_jevbench.plugin.dealing_out import StealingFromTheLiving

TESTS = [f"t{i}" for i in range(20)]


class Worker:
    """What a scheduler knows of a worker, with all that was sent to it."""

    def __init__(self, name: str) -> None:
        self.gateway = type("Gateway", (), {"id": name})()
        self.sent: list[int] = []
        self.gone = False
        self.shutting_down = False

    def send_runtest_some(self, indices: list[int]) -> None:
        self._send()
        self.sent += indices

    def send_steal(self, indices: list[int]) -> None:
        self._send()

    def shutdown(self) -> None:
        self.shutting_down = True

    def _send(self) -> None:
        if self.gone:
            raise OSError("cannot send (already closed?)")


def scheduled(kind: type[WorkStealingScheduling], config: pytest.Config) -> tuple[Any, Worker, Worker]:
    """Two workers with ten tests each, of which the second is gone, and the first has one test left."""
    scheduler: Any = kind(config, Producer("test", enabled=False))
    workers = Worker("gw0"), Worker("gw1")
    scheduler.numnodes = 2
    for worker in workers:
        scheduler.add_node(worker)
        scheduler.add_node_collection(worker, TESTS)
    scheduler.schedule()
    workers[1].gone = True
    for index in workers[0].sent[:8]:
        scheduler.mark_test_complete(workers[0], index)
    return scheduler, *workers


def test_xdist_itself_ends(pytester: pytest.Pytester) -> None:
    """Where this no longer fails, the scheduler of our own is not needed any more."""
    scheduler, living, _ = scheduled(WorkStealingScheduling, pytester.parseconfig("--tx=2*popen"))
    with pytest.raises(OSError, match="cannot send"):
        scheduler.mark_test_complete(living, living.sent[8])


def test_its_tests_are_dealt_out_when_its_end_is_known(pytester: pytest.Pytester) -> None:
    scheduler, living, gone = scheduled(StealingFromTheLiving, pytester.parseconfig("--tx=2*popen"))
    scheduler.mark_test_complete(living, living.sent[8])
    lost = scheduler.remove_node(gone)
    assert lost == TESTS[gone.sent[0]]
    assert sorted(living.sent + gone.sent[:1]) == list(range(20))
