"""One at a time, in the order in which they lined up, and without a pause from one to the next."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Turn"]

Start = Callable[[bool], None]
"""What a thread's turn begins with. It is told whether the thread had to wait."""


@dataclass(slots=True, eq=False)
class _Place:
    start: Start | None = None
    """Set once the thread is ready."""
    begun: bool = False
    error: BaseException | None = None


class Turn:
    """A lock that goes to the threads in the order in which they lined up.

    A thread lines up before it is ready, does what it has to prepare, and enters with what its turn begins with. Where
    it is waiting by then, the thread before calls that as it ends its own turn, long before this one would have woken.

    Whoever is ready and stands behind somebody who is not waits ``patience`` seconds at most while nobody has the turn,
    and then goes first: the one before may itself be waiting for somebody else. Entering without having lined up is
    lining up now.
    """

    def __init__(self, patience: float = 0.05) -> None:
        self._patience = patience
        self._changed = threading.Condition()
        self._line: dict[int, _Place] = {}
        self._taken = False

    def line_up(self) -> None:
        """Take a place in the line for this thread, behind all that have one."""
        with self._changed:
            self._line.setdefault(threading.get_ident(), _Place())

    def step_out(self) -> None:
        """Give up this thread's place, if it has one."""
        with self._changed:
            if self._line.pop(threading.get_ident(), None) is not None:
                self._changed.notify_all()

    def enter(self, start: Start) -> None:
        """Wait for the turn, which ``start`` begins. Raises what it raises; the turn has ended then."""
        me = threading.get_ident()
        with self._changed:
            place = self._line.setdefault(me, _Place())
            place.start = start
            try:
                waited = self._wait(me, place)
            except BaseException:
                self._give_up(me, place)
                raise
        try:
            if not place.begun:
                self._begin(place, waited)
            if place.error is not None:
                raise place.error
        except BaseException:
            self.end()
            raise

    def end(self) -> None:
        """End this thread's turn, and begin that of the next one if it is ready."""
        with self._changed:
            me, place = next(iter(self._line.items()), (0, _Place()))
            if place.start is None:
                self._taken = False
                self._changed.notify_all()
                return
            del self._line[me]
        try:
            self._begin(place, True)
        finally:
            with self._changed:
                self._changed.notify_all()

    def _wait(self, me: int, place: _Place) -> bool:
        """Until the turn is this thread's, free or begun for it; whether that took any time."""
        waited = False
        while not place.begun:
            if not self._taken and next(iter(self._line)) == me:
                break
            waited = True
            in_time = self._changed.wait(None if self._taken else self._patience)
            if not in_time and not self._taken:
                break
        if not place.begun:
            self._taken = True
            del self._line[me]
        return waited

    def _give_up(self, me: int, place: _Place) -> None:
        """Where the wait was interrupted."""
        if self._line.pop(me, None) is None:
            self._changed.wait_for(lambda: place.begun)
            self._taken = False
        self._changed.notify_all()

    @staticmethod
    def _begin(place: _Place, waited: bool) -> None:
        assert place.start is not None
        try:
            place.start(waited)
        except BaseException as error:
            place.error = error
            if not isinstance(error, Exception):  # Ctrl-C is for the thread that it reached, too
                raise
        finally:
            place.begun = True
