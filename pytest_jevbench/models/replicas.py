"""Which worker asks which replica, how many requests a replica has at once, and how fast requests follow each other.

The controller keeps a :class:`FreeList`; every process that asks holds a :class:`ReplicaSlots` and a :class:`Pace` on
files in a folder that all of them share, so that the limits hold whatever the number of workers.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import BaseFileLock, FileLock, Timeout

__all__ = ["FreeList", "Pace", "ReplicaSlots"]

_SHORTEST_WAIT, _LONGEST_WAIT = 0.001, 0.02


class FreeList:
    """The replicas, given to workers and taken back.

    The replacement of a worker that went down gets what that one gave back; any other worker the replica with fewest
    workers, the first of these. With more workers than replicas they are shared evenly.

    >>> free = FreeList(2)
    >>> free.take("gw0"), free.take("gw1"), free.give_back("gw0"), free.take("gw2")
    (0, 1, 0, 0)
    """

    def __init__(self, count: int) -> None:
        if count < 1:
            raise ValueError("there must be a replica")
        self._workers: dict[str, int] = {}
        self._load = [0] * count
        self._given_back: list[int] = []

    def take(self, worker: str) -> int:
        """The index of the worker's replica; the same one for a worker that has one."""
        if worker not in self._workers:
            replica = self._given_back.pop() if self._given_back else self._load.index(min(self._load))
            self._workers[worker] = replica
            self._load[replica] += 1
        return self._workers[worker]

    def give_back(self, worker: str) -> int | None:
        """The index of the replica that the worker no longer uses; None if it has none."""
        replica = self._workers.pop(worker, None)
        if replica is not None:
            self._load[replica] -= 1
            self._given_back.append(replica)
        return replica


class ReplicaSlots:
    """At most ``limit`` requests in flight at one replica, over all processes and threads.

    Each slot is a lock file in ``folder``; the system frees those of a process that dies. ``sleep`` is called between
    tries while all slots are taken.
    """

    def __init__(
        self, folder: Path, replica: int, limit: int = 1, *, sleep: Callable[[float], object] = time.sleep
    ) -> None:
        if limit < 1:
            raise ValueError("a replica must be allowed one request at a time")
        folder.mkdir(parents=True, exist_ok=True)
        self._paths = [folder / f"replica-{replica}-{slot}.lock" for slot in range(limit)]
        self._sleep = sleep

    @contextmanager
    def hold(self) -> Iterator[int]:
        """Wait for a slot, and hold it; its index."""
        pause = _SHORTEST_WAIT
        while (taken := self._try()) is None:
            self._sleep(pause)
            pause = min(pause * 1.5, _LONGEST_WAIT)
        slot, lock = taken
        try:
            yield slot
        finally:
            lock.release()

    def _try(self) -> tuple[int, BaseFileLock] | None:
        for slot, path in enumerate(self._paths):
            # A new object each time holds a file of its own, so that threads exclude each other as processes do.
            lock = FileLock(path, timeout=0)
            with suppress(Timeout):
                lock.acquire()
                return slot, lock
        return None


class Pace:
    """At least ``interval`` seconds between the starts of any two requests of a run, over all processes and threads.

    ``clock`` must be one that all processes share and that is never set back, as ``time.monotonic`` is.
    """

    def __init__(
        self,
        path: Path,
        interval: float,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        self._path = path
        self._interval = interval
        self._clock = clock
        self._sleep = sleep
        path.parent.mkdir(parents=True, exist_ok=True)

    def wait(self) -> None:
        """Return when a request may start now; the next one may start an interval later."""
        while self._interval > 0.0:
            with FileLock(f"{self._path}.lock").acquire(poll_interval=_SHORTEST_WAIT):
                left = self._left()
                if left <= 0.0:
                    self._note(self._clock())
                    return
            self._sleep(left)

    def _note(self, start: float) -> None:
        """Written over the old text of the same length: some file systems wait for the disk where it is cut first."""
        with self._path.open("r+b" if self._path.exists() else "wb") as file:
            file.write(f"{start!r:<32}".encode("ascii"))

    def _left(self) -> float:
        """Seconds until the next start. A file from before a restart of the machine, or a torn one, holds nobody up."""
        try:
            last = float(self._path.read_text("ascii"))
        except (OSError, ValueError):
            return 0.0
        passed = self._clock() - last
        return self._interval - passed if passed >= 0.0 else 0.0
