"""Asking ahead: requests of coming tests are sent in their order, one thread a slot, while earlier ones are judged.

The run asks for the answers one after the other, as it would without this; it only finds them there already, or on
their way. How far ahead is bounded, so that a run that stops has paid for little that it did not use.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from pytest_jevbench.questions import Request
from pytest_jevbench.runs.answered import Answered
from pytest_jevbench.runs.asking import Asker

__all__ = ["AskAhead", "Cancelled", "Coming", "Stop", "window_of"]

_LOOK_AGAIN = 0.5
"""Seconds after which a waiting run wakes, so that Ctrl-C is seen on every system."""


class Cancelled(Exception):
    """A request was given up because the run ends; it is asked again when the run goes on."""


class Stop:
    """Says to all threads that ask that the run ends, in the middle of a wait too.

    The thread that makes it is that of the run.
    """

    def __init__(self) -> None:
        self._event = threading.Event()
        self._of_run = threading.current_thread()

    def set(self) -> None:
        self._event.set()

    @property
    def is_set(self) -> bool:
        return self._event.is_set()

    def sleep(self, seconds: float) -> None:
        """As ``time.sleep``; raises :class:`Cancelled` in the threads that ask ahead once the run ends."""
        if threading.current_thread() is self._of_run:
            time.sleep(seconds)
        elif self._event.wait(seconds):
            raise Cancelled


@dataclass(frozen=True, slots=True)
class Coming:
    """A request that the test at this position of the run will need."""

    position: int
    request: Request


def window_of(slots: int) -> int:
    """How many requests may be asked or answered ahead of the test that runs.

    >>> window_of(1), window_of(8)
    (16, 40)
    """
    return max(16, 4 * slots + 8)


class AskAhead:
    """Threads that ask ahead.

    ``asker`` keeps the answers, ``ask`` sends a request for one of so many ``threads`` and leaves the outcome with the
    asker, ``coming`` are the requests in the order of the run, each once. ``is_gone`` says of a thread that it has
    nobody to ask. ``line_up`` is called in each thread as soon as it has taken a request, in the order of the run, and
    ``leave`` when it is done with it. Close it before the model and the store.
    """

    def __init__(
        self,
        asker: Asker,
        ask: Callable[[Request, int], Answered],
        threads: int,
        coming: Iterable[Coming],
        *,
        stop: Stop,
        window: int | None = None,
        is_gone: Callable[[int], bool] = lambda thread: False,
        line_up: Callable[[int], None] = lambda thread: None,
        leave: Callable[[int], None] = lambda thread: None,
    ) -> None:
        self._asker = asker
        self._ask = ask
        self._coming: Iterator[Coming] = iter(coming)
        self._window = window or window_of(threads)
        self._stop = stop
        self._is_gone = is_gone
        self._line_up = line_up
        self._leave = leave
        self._changed = threading.Condition()
        self._ahead: deque[int] = deque()
        """The positions of the requests taken for tests that have not begun."""
        self._wanted: deque[Request] = deque()
        """What the run waits for and nobody has taken: goes before all else."""
        self._in_flight: set[str] = set()
        self._errors: dict[str, Exception] = {}
        self._working = threads
        self._threads = [
            threading.Thread(target=self._work, args=(number,), name=f"jevbench-ask-{number}", daemon=True)
            for number in range(threads)
        ]
        for one in self._threads:
            one.start()

    def begin(self, position: int) -> None:
        """The test at this position begins: what was taken for earlier ones makes room."""
        with self._changed:
            before = len(self._ahead)
            while self._ahead and self._ahead[0] < position:
                self._ahead.popleft()
            if len(self._ahead) != before:
                self._changed.notify_all()

    def answer(self, request: Request) -> Answered:
        """The answers to a request that a test needs now: there already, waited for, or asked before all others."""
        key = request.key
        with self._changed:
            asked_for = False
            while True:
                known = self._asker.known(key)
                if known is not None:
                    return known
                error = self._errors.get(key)
                if error is not None:
                    raise error
                if not self._working or self._stop.is_set:
                    break
                if key not in self._in_flight and not asked_for:
                    asked_for = True
                    self._wanted.append(request)
                    self._changed.notify_all()
                self._changed.wait(_LOOK_AGAIN)
        return self._ask(request, 0)

    def close(self, seconds: float) -> None:
        """Take nothing new, and wait this long for what is on its way. Threads that take longer are left to end."""
        self._stop.set()
        with self._changed:
            self._changed.notify_all()
        until = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))

    def _work(self, thread: int) -> None:
        try:
            while (request := self._next(thread)) is not None:
                self._one(request, thread)
        finally:
            with self._changed:
                self._working -= 1
                self._changed.notify_all()

    def _one(self, request: Request, thread: int) -> None:
        error: Exception | None = None
        try:
            self._ask(request, thread)
        except Cancelled:
            pass
        except Exception as unexpected:
            error = unexpected
        finally:
            self._leave(thread)
        with self._changed:
            self._in_flight.discard(request.key)
            if error is not None:
                self._errors[request.key] = error
            self._changed.notify_all()

    def _next(self, thread: int) -> Request | None:
        """The next request to send; None where there is none any more."""
        with self._changed:
            while not self._stop.is_set and self._asker.down is None and not self._is_gone(thread):
                request = self._take()
                if request is not None:
                    self._in_flight.add(request.key)
                    self._line_up(thread)
                    return request
                self._changed.wait()
        return None

    def _take(self) -> Request | None:
        while self._wanted:
            request = self._wanted.popleft()
            if request.key not in self._in_flight and self._asker.known(request.key) is None:
                return request
        while len(self._ahead) < self._window:
            coming = next(self._coming, None)
            if coming is None:
                return None
            if coming.request.key in self._in_flight or self._asker.known(coming.request.key) is not None:
                continue
            self._ahead.append(coming.position)
            return coming.request
        return None
