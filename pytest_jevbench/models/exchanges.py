"""One question to a program and its answer: bytes in, bytes out, within a time and a size.

A program may print without end, run for ever, or leave something behind that holds its output open: none of that may
take the memory or the time of a run.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
from typing import IO, NamedTuple

from pytest_jevbench.models.processes import ProcessGroup

__all__ = ["MOST_BYTES", "Exchanged", "exchange"]

MOST_BYTES = 16 * 1024 * 1024
"""So much may an answer have."""

KEPT_OF_ERRORS = 64 * 1024
_BLOCK = 65_536
_GRACE = 0.5
_QUIET = 0.2
"""So long, in seconds, nothing may come after a program has ended, and its output counts as whole."""


class Exchanged(NamedTuple):
    """What became of it: ``status`` None where the time ran out; ``too_much`` where the answer has too many bytes."""

    status: int | None
    out: bytes
    err: bytes
    too_much: bool = False


def exchange(group: ProcessGroup, body: bytes, timeout: float, *, most: int = MOST_BYTES) -> Exchanged:
    """Give a program its input, and take what it prints until it ends; then end all that it has started.

    The program was started with three pipes. ``timeout`` is in seconds. Of standard error the end is kept.
    """
    process = group.process
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    wake = threading.Event()
    out = _Reader(process.stdout, wake, most)
    err = _Reader(process.stderr, wake, KEPT_OF_ERRORS, keeps_end=True)
    writer = threading.Thread(target=_give, args=(process.stdin, body), daemon=True)
    try:
        for thread in (out, err, writer):
            thread.start()
        in_time = _wait(group, out, err, wake, time.monotonic() + timeout)
    except BaseException:
        group.stop(grace=_GRACE)
        raise
    status = group.stop(grace=_GRACE)
    for reader in (out, err):
        reader.join(_QUIET)
    return Exchanged(status if in_time else None, out.bytes, err.bytes, out.too_much)


def _wait(group: ProcessGroup, out: _Reader, err: _Reader, wake: threading.Event, deadline: float) -> bool:
    """Until the program has ended and its output is here, or is too much: True; until the time is up: False."""
    while not out.too_much:
        whole = out.done and err.done
        if group.ended:
            quiet = time.monotonic() - max(out.last, err.last) > _QUIET
            if whole or quiet:
                return True
        elif time.monotonic() >= deadline:
            return False
        wake.wait(0.002 if whole else min(0.05, max(0.001, deadline - time.monotonic())))
        wake.clear()
    return True


class _Reader(threading.Thread):
    """Reads a pipe to its end. It waits for nobody: where something holds the pipe open for ever, it is left behind."""

    def __init__(self, stream: IO[bytes], wake: threading.Event, most: int, *, keeps_end: bool = False) -> None:
        super().__init__(daemon=True)
        self._stream, self._wake, self._most, self._keeps_end = stream, wake, most, keeps_end
        self._data = bytearray()
        self.too_much = False
        self.done = False
        self.last = time.monotonic()

    @property
    def bytes(self) -> bytes:
        return bytes(self._data)

    def run(self) -> None:
        with contextlib.suppress(OSError, ValueError), self._stream:
            while block := os.read(self._stream.fileno(), _BLOCK):
                self.last = time.monotonic()
                self._data += block
                if len(self._data) > self._most:
                    if not self._keeps_end:
                        self.too_much = True
                        break
                    del self._data[: -self._most]
        self.done = True
        self._wake.set()


def _give(stream: IO[bytes], body: bytes) -> None:
    with contextlib.suppress(OSError, ValueError):  # a program need not read its input
        stream.write(body)
    with contextlib.suppress(OSError, ValueError):
        stream.close()
