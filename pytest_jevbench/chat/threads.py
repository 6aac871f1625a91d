"""Work shared by a few threads that never hold up the end of a command.

The pool of the standard library waits for every running item, also after Ctrl-C; a chat model that hangs would hold the
command for the whole of its timeout. These threads are abandoned instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from queue import Empty, SimpleQueue
from threading import Event, Semaphore, Thread
from typing import TypeVar

__all__ = ["in_threads"]

T = TypeVar("T")
W = TypeVar("W")
R = TypeVar("R")

GLANCE = 0.2
"""Seconds after which Ctrl-C is noticed at the latest."""


def in_threads(work: Callable[[T, W], R], items: Sequence[T], workers: Sequence[W]) -> Iterator[R]:
    """The results of ``work(item, worker)`` as they are ready, one thread a worker, items begun in their order.

    A worker begins its next item only after its result was dealt with. What ``work`` raises is raised here. Where the
    caller stops (an exception, Ctrl-C, ``close``), no item is begun any more, and what runs is left to itself.
    """
    todo: SimpleQueue[T] = SimpleQueue()
    for item in items:
        todo.put(item)
    done: SimpleQueue[tuple[Semaphore, Callable[[], R]]] = SimpleQueue()
    turns = [Semaphore(1) for _ in workers]
    stopped = Event()

    def serve(worker: W, turn: Semaphore) -> None:
        while turn.acquire() and not stopped.is_set():
            try:
                item = todo.get_nowait()
            except Empty:
                return
            done.put((turn, _outcome(work, item, worker)))

    for worker, turn in zip(workers, turns, strict=True):
        Thread(target=serve, args=(worker, turn), daemon=True).start()
    try:
        for _ in items:
            turn, outcome = _next_of(done)
            yield outcome()
            turn.release()
    finally:
        stopped.set()
        for turn in turns:
            turn.release()


def _next_of(queue: SimpleQueue[T]) -> T:
    """The next of a queue. A signal that comes just before a wait without end would not end it; hence short waits."""
    while True:
        try:
            return queue.get(timeout=GLANCE)
        except Empty:
            continue


def _outcome(work: Callable[[T, W], R], item: T, worker: W) -> Callable[[], R]:
    """Gives the result, or raises what was raised, in the thread that calls it."""
    try:
        result = work(item, worker)
    except BaseException as error:
        raised = error

        def fail() -> R:
            raise raised

        return fail
    return lambda: result
