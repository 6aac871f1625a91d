"""One at a time, in the order in which they lined up: so a thread can prepare while another one is being served."""

from __future__ import annotations

import threading
from collections import deque
from types import TracebackType

__all__ = ["Turn"]


class Turn:
    """A lock that goes to the threads in the order in which they lined up.

    A thread lines up before it is ready, does what it has to prepare, and then enters. Whoever is ready and stands
    behind somebody who is not waits ``patience`` seconds at most, while nobody has the turn, and then goes first: the
    one before may itself be waiting for somebody else. Entering without having lined up is lining up now.
    """

    def __init__(self, patience: float = 0.05) -> None:
        self._patience = patience
        self._changed = threading.Condition()
        self._line: deque[int] = deque()
        self._taken = False

    def line_up(self) -> None:
        """Take a place in the line for this thread, behind all that have one."""
        with self._changed:
            if threading.get_ident() not in self._line:
                self._line.append(threading.get_ident())

    def leave(self) -> None:
        """Give up this thread's place, if it has one."""
        with self._changed:
            self._step_out()

    def __enter__(self) -> None:
        me = threading.get_ident()
        with self._changed:
            if me not in self._line:
                self._line.append(me)
            while self._taken or self._line[0] != me:
                patient = self._changed.wait(None if self._taken else self._patience)
                if not patient and not self._taken:
                    break
            self._taken = True
            self._step_out()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._changed:
            self._taken = False
            self._changed.notify_all()

    def _step_out(self) -> None:
        me = threading.get_ident()
        if me in self._line:
            self._line.remove(me)
            self._changed.notify_all()
