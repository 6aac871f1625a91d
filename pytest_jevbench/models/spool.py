"""What a process may need again, kept out of its memory."""

from __future__ import annotations

import tempfile
import threading
import weakref
from contextlib import suppress
from typing import NewType

__all__ = ["Spool", "Spooled"]

_IN_MEMORY = 1 << 20
"""Bytes that are kept in memory: a small run makes no file."""


Spooled = NewType("Spooled", int)
"""Where something lies: its start, and in the last 32 bits its size. One small object, because there are many."""
_SIZE_BITS = 32


class Spool:
    """An unnamed temporary file that goes with the process, however that ends. Safe in threads.

    What could not be written, because the disk is full or there is no place for such files, is simply not there.
    """

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115
        self._end = 0
        self._lock = threading.Lock()
        self._closing = weakref.finalize(self, self._file.close)

    def put(self, data: bytes) -> Spooled:
        """Keep these bytes."""
        with self._lock:
            start = self._end
            with suppress(OSError):
                self._file.seek(start)
                self._file.write(data)
            self._end += len(data)
        return Spooled(start << _SIZE_BITS | len(data))

    def get(self, where: Spooled) -> bytes | None:
        """What was put there; None where it could not be kept."""
        size = where & (1 << _SIZE_BITS) - 1
        with self._lock, suppress(OSError, ValueError):
            self._file.seek(where >> _SIZE_BITS)
            data = self._file.read(size)
            if len(data) == size:
                return data
        return None

    def close(self) -> None:
        """Give the file back."""
        self._closing()
