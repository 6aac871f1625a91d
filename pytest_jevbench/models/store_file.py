"""The SQLite file behind the answer store: opened, repaired, replaced, so that a run never depends on it.

A file that is damaged is set aside and begun anew with what could be read from it. A file that cannot be used (locked,
not to be written, not ours) is left as it is, and a temporary one serves this run.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import threading
import weakref
from collections.abc import Callable
from contextlib import AbstractContextManager, closing, suppress
from pathlib import Path
from typing import TypeVar

from filelock import FileLock

from pytest_jevbench.models.own_folder import make_folder
from pytest_jevbench.models.passing_folders import keep_folder, passing_folder
from pytest_jevbench.models.store_schema import Damaged, NotOurs, connect, copy_rows, describe, set_aside

__all__ = ["StoreFile"]

T = TypeVar("T")

_TROUBLE = (NotOurs, Damaged, OSError, sqlite3.Error)


class StoreFile:
    """One connection to the store, for all threads of a process.

    ``path`` is the file in use, which workers of the same run should open, and None where the answers are private to
    this process. ``durable`` files survive a loss of power whole. ``warn`` is called once, at the first trouble. All
    methods may be called by any thread, and after a fork.
    """

    def __init__(self, path: Path | None, *, durable: bool, busy_seconds: float, warn: Callable[[str], None]) -> None:
        self.path = path
        self.problem = ""
        """Why the file that was asked for is not the one in use."""
        self._wanted = path
        self.durable = durable
        self._busy_seconds = busy_seconds
        self._warn = warn
        self._warned = False
        self._begun_anew = False
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._pid = os.getpid()
        self._inode: tuple[int, int] | None = None
        self._folder: Path | None = None
        self._given = 0

    @classmethod
    def temporary(cls, *, shared: bool, warn: Callable[[str], None]) -> StoreFile:
        """A new file that goes with the process; not ``shared``, one that is faster and no other process sees."""
        file = cls(None, durable=False, busy_seconds=10.0, warn=warn)
        if shared:
            file._make_temporary()
            file._wanted = file.path
            if file._folder is not None:
                weakref.finalize(file, _remove, os.getpid(), file._folder)
        return file

    def run(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """The result of ``work`` on the open store; done again on another file where this one fails."""
        with self._lock:
            while True:
                try:
                    return work(self._opened())
                except sqlite3.Error as error:
                    if type(error) not in (sqlite3.OperationalError, sqlite3.DatabaseError) or self.path is None:
                        raise
                    self._mend(self.path, error)

    def write(self, work: Callable[[sqlite3.Connection], T]) -> T:
        """As :meth:`run`, in one transaction that other processes see whole or not at all."""
        return self.run(lambda connection: _in_transaction(connection, work))

    def warn_once(self, message: str) -> None:
        """Pass on the first trouble and keep quiet about the next ones."""
        with self._lock:
            if not self._warned:
                self._warned = True
                self._warn(message)

    def close(self) -> None:
        """Close the file. A temporary one is removed, unless it alone holds what could not be put where it belongs."""
        with self._lock:
            if self._pid == os.getpid() and self._folder is not None:
                if self._wanted == self.path or self._gave_back():
                    self._disconnect()
                    shutil.rmtree(self._folder, ignore_errors=True)
                self._folder = None
            self._disconnect()

    def _opened(self) -> sqlite3.Connection:
        if self._pid != os.getpid():
            # A connection must not be used across a fork, not even to close it; and the parent removes its folder.
            self._connection, self._pid, self._folder = None, os.getpid(), None
        if self._connection is None:
            try:
                self._connection = self._connect()
            except _TROUBLE as error:
                if self.path is None:
                    raise
                self._leave(self.path, describe(error))
                self._connection = self._connection or self._connect()
        return self._connection

    def _connect(self) -> sqlite3.Connection:
        path = self.path
        if path is None:
            return connect(None, busy_seconds=self._busy_seconds, durable=False)
        with self._gate(path):
            try:
                connection = connect(path, busy_seconds=self._busy_seconds, durable=self.durable)
            except Damaged as error:
                connection = self._begin_anew(path, str(error))
            self._inode = _inode(path)
        return connection

    def _gate(self, path: Path) -> AbstractContextManager[object]:
        """Held while a file is opened or replaced, so that nobody opens one half of it."""
        make_folder(path.parent)
        return FileLock(f"{path}.lock", timeout=self._busy_seconds).acquire(poll_interval=0.005)

    def _begin_anew(self, path: Path, problem: str) -> sqlite3.Connection:
        if self._begun_anew:
            raise Damaged(f"{problem}, again")
        self._begun_anew = True
        kept = set_aside(path)
        connection = connect(path, busy_seconds=self._busy_seconds, durable=self.durable)
        saved = copy_rows(kept, connection)
        self.warn_once(
            f"the answer store {path} is damaged ({problem}): it was set aside as {kept.name}, "
            f"{saved} answers could be read from it, and the others are asked again"
        )
        return connection

    def _mend(self, path: Path, error: sqlite3.Error) -> None:
        """After a failure on an open file: begin it anew where it is damaged, leave it where it cannot be used."""
        self._disconnect()
        if not Damaged.fits(error):
            self._leave(path, describe(error))
            return
        try:
            with self._gate(path):
                if _inode(path) == self._inode:
                    self._connection = self._begin_anew(path, describe(error))
                    self._inode = _inode(path)
        except _TROUBLE as second:
            self._leave(path, describe(second))

    def _leave(self, path: Path, problem: str) -> None:
        """Go on with a temporary file that begins with what can be read of this one."""
        self._disconnect()
        self.problem = self.problem or problem
        self._make_temporary()
        if self._folder is not None:
            keep_folder(self._folder)  # it may come to hold the only copy of what was paid for
        place = self.path or "memory"
        later = "" if self.path is None else "; if that lasts, `store export` and `store import` take them from there"
        self.warn_once(
            f"the answer store {path} cannot be used ({problem}{later}): this run keeps its answers in {place}"
        )
        with suppress(*_TROUBLE):
            self._connection = self._connect()
            copy_rows(path, self._connection)
            self._given = _count(self._connection)

    def _make_temporary(self) -> None:
        """Point to a new temporary file, or, where that is impossible or has failed before, to memory."""
        self.durable = False
        self.path = None
        if self._folder is None:
            with suppress(OSError):
                self._folder = passing_folder("answers")
                self.path = self._folder / "answers.sqlite"

    def _gave_back(self) -> bool:
        """Whether the temporary answers are none of this run's, or could be put where they were meant to go."""
        try:
            if self._wanted is None or self.path is None or _count(self._opened()) == self._given:
                return True
            with FileLock(f"{self._wanted}.lock", timeout=0):
                wanted = connect(self._wanted, busy_seconds=0.0, durable=True)
            with closing(wanted):
                copy_rows(self.path, wanted)
        except _TROUBLE:
            return False
        return True

    def _disconnect(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None and self._pid == os.getpid():
            with suppress(sqlite3.Error):  # nothing is lost: every write was committed when it was made
                connection.close()


def _in_transaction(connection: sqlite3.Connection, work: Callable[[sqlite3.Connection], T]) -> T:
    try:
        connection.execute("BEGIN IMMEDIATE")
        result = work(connection)
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return result


def _count(connection: sqlite3.Connection) -> int:
    count: int = connection.execute("SELECT count(*) FROM answers").fetchone()[0]
    return count


def _inode(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return (status.st_dev, status.st_ino)


def _remove(pid: int, folder: Path) -> None:
    if os.getpid() == pid:
        shutil.rmtree(folder, ignore_errors=True)
