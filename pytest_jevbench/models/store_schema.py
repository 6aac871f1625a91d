"""The tables of the answer store, and how a file is told to hold them, to be damaged, or to be something else."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterator
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

__all__ = ["ANSWER_COLUMNS", "Damaged", "NotOurs", "checksum", "connect", "copy_rows", "describe", "set_aside"]

APPLICATION_ID = 0x6A657662
"""What SQLite keeps in the header to tell whose file it is: "jevb" in ASCII."""

SCHEMA_VERSION = 1

ANSWER_COLUMNS = "model, digest, repeat, kind, reply, checksum, answered, run, stored"

# Times are seconds since 1970 and serve statistics and pruning only. `answered` is given, as a JSON string, where it
# differs from the name in the model's key. Answers keep their row ids: appending them in the order of time is faster,
# and packs them closer, than to spread them by digest.
_TABLES = (
    """CREATE TABLE IF NOT EXISTS models (
        model BLOB PRIMARY KEY, base BLOB NOT NULL, parts TEXT NOT NULL, run TEXT NOT NULL, used REAL NOT NULL
    ) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS answers (
        model BLOB NOT NULL, digest BLOB NOT NULL, repeat INTEGER NOT NULL, kind TEXT NOT NULL, reply TEXT NOT NULL,
        checksum INTEGER NOT NULL, answered TEXT, run TEXT NOT NULL, stored REAL NOT NULL,
        PRIMARY KEY (model, digest, repeat)
    )""",
    """CREATE TABLE IF NOT EXISTS claims (
        model BLOB NOT NULL, digest BLOB NOT NULL, repeat INTEGER NOT NULL, owner TEXT NOT NULL, host TEXT NOT NULL,
        pid INTEGER NOT NULL, started TEXT NOT NULL, until REAL NOT NULL, PRIMARY KEY (model, digest, repeat)
    ) WITHOUT ROWID""",
    """CREATE TABLE IF NOT EXISTS refreshes (
        model BLOB PRIMARY KEY, run TEXT NOT NULL, host TEXT NOT NULL, pid INTEGER NOT NULL, started TEXT NOT NULL,
        begun REAL NOT NULL
    ) WITHOUT ROWID""",
)

_DAMAGE = (
    "malformed",
    "not a database",
    "no such table",
    "no such column",
    "disk I/O error",
    "Could not decode to UTF-8",
)
"""Words of SQLite's that tell of damage."""
_MAGIC = b"SQLite format 3\x00"
_SPLITS = 14


class NotOurs(Exception):
    """The file is something else, or of a later version; it must be left as it is."""


class Damaged(Exception):
    """The file was an answer store and cannot be read as one."""

    @staticmethod
    def fits(error: Exception) -> bool:
        """Whether an error of SQLite says that the file's content is at fault."""
        return isinstance(error, sqlite3.DatabaseError) and any(mark in str(error) for mark in _DAMAGE)


def connect(path: Path | None, *, busy_seconds: float, durable: bool) -> sqlite3.Connection:
    """An open store with its tables; None is a store private to the connection.

    Raises :class:`Damaged` or :class:`NotOurs`, and ``sqlite3.Error`` where the file is locked or cannot be opened.
    """
    size = _checked_size(path) if path is not None else 0
    connection = sqlite3.connect(
        path if path is not None else "",
        timeout=busy_seconds,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=64,
    )
    try:
        _prepare(connection, durable=durable)
        if path is not None and size:
            _check_whole(connection, path)
    except BaseException as error:
        connection.close()
        if isinstance(error, sqlite3.Error) and Damaged.fits(error):
            raise Damaged(str(error)) from None
        raise
    return connection


def checksum(model: bytes, digest: bytes, repeat: int, kind: str, reply: str) -> int:
    """CRC-32 over a row's key and content: a row that decayed on the disk is asked again, not believed."""
    return zlib.crc32(b"%b%b%d %b %b" % (model, digest, repeat, kind.encode(), reply.encode()))


def _checked_size(path: Path) -> int:
    """The file's size, 0 where there is none; raises where the first bytes are those of something else."""
    try:
        with path.open("rb") as file:
            header = file.read(100)
    except FileNotFoundError:
        return 0
    if not header:
        return 0
    if not (header.startswith(_MAGIC) or _MAGIC.startswith(header)):
        raise NotOurs("it is not an SQLite file")
    if len(header) < 100:
        raise Damaged("it ends within its first 100 bytes")
    return path.stat().st_size


def _prepare(connection: sqlite3.Connection, *, durable: bool) -> None:
    owner = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if owner != APPLICATION_ID:
        if owner or connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
            raise NotOurs("it is an SQLite file of another program")
        _create(connection)
    elif version > SCHEMA_VERSION:
        raise NotOurs("it was written by a later version of pytest-jevbench")
    # A commit in WAL mode reaches the operating system at once, so a killed process loses nothing; syncing every
    # commit to the disk would only guard against a loss of power, and costs a hundred times as much.
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute(f"PRAGMA synchronous={'NORMAL' if durable else 'OFF'}")


def _create(connection: sqlite3.Connection) -> None:
    connection.execute("BEGIN IMMEDIATE")
    for statement in _TABLES:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version={SCHEMA_VERSION}")
    connection.execute("COMMIT")


def _check_whole(connection: sqlite3.Connection, path: Path) -> None:
    log = path.with_name(f"{path.name}-wal")
    if log.exists() and log.stat().st_size:
        return  # pages may stand in the log alone; a lost one is found when it is read
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    page_size = connection.execute("PRAGMA page_size").fetchone()[0]
    if path.stat().st_size < pages * page_size:
        raise Damaged("it is cut short")
    connection.execute("SELECT count(*) FROM models").fetchone()


def set_aside(path: Path) -> Path:
    """Rename a damaged file, and its log, to the first free ``NAME.torn-N``; the new path."""
    number = 1
    while (kept := path.with_name(f"{path.name}.torn-{number}")).exists():
        number += 1
    for suffix in ("-wal", "-shm", ""):
        with suppress(FileNotFoundError):
            path.with_name(path.name + suffix).rename(kept.with_name(kept.name + suffix))
    return kept


def copy_rows(source: Path, target: sqlite3.Connection) -> int:
    """Copy what can be read of ``source``, damaged or not; the number of answers that were new to ``target``.

    Raises ``sqlite3.Error`` where ``target`` cannot be written.
    """
    opened = _open_to_read(source)
    if opened is None:
        return 0
    origin, models = opened
    with closing(origin):
        try:
            target.execute("BEGIN IMMEDIATE")
            target.executemany("INSERT OR IGNORE INTO models VALUES (?, ?, ?, ?, ?)", models)
            before = target.total_changes
            for row in _readable_rows(origin, [model[0] for model in models]):
                target.execute("INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", row)
            target.execute("COMMIT")
        except BaseException:
            if target.in_transaction:
                target.execute("ROLLBACK")
            raise
    return target.total_changes - before


def _open_to_read(source: Path) -> tuple[sqlite3.Connection, list[tuple[Any, ...]]] | None:
    """A connection and the rows of ``models``; None where not even these can be read."""
    if not source.is_file():
        return None
    for mode in ("mode=ro", "immutable=1"):  # in a folder that must not be written, only the latter works
        address = f"file:{quote(str(source.absolute()))}?{mode}"
        try:
            origin = sqlite3.connect(address, uri=True, timeout=0.0, isolation_level=None)
        except sqlite3.Error:
            continue
        try:
            # A file that is shorter than its header says is otherwise not read at all.
            origin.execute("PRAGMA writable_schema=ON")
            # Text that is no UTF-8 costs its own row, whose checksum fails, and not those beside it.
            origin.text_factory = partial(str, encoding="utf-8", errors="replace")
            return origin, origin.execute("SELECT model, base, parts, run, used FROM models").fetchall()
        except sqlite3.Error:
            origin.close()
    return None


def _readable_rows(origin: sqlite3.Connection, models: list[bytes]) -> Iterator[tuple[object, ...]]:
    """All intact answers. Where a range of keys cannot be read, its halves are tried: digests are spread evenly."""
    ranges = [(model, 0, 1 << 32, _SPLITS) for model in models]
    while ranges:
        model, low, high, splits = ranges.pop()
        upper = high.to_bytes(4, "big") if high < 1 << 32 else b"\xff" * 33
        try:
            for row in origin.execute(
                f"SELECT {ANSWER_COLUMNS} FROM answers WHERE model = ? AND digest >= ? AND digest < ?",
                (model, low.to_bytes(4, "big"), upper),
            ):
                if row[5] == checksum(*row[:5]):
                    yield row
        except (sqlite3.Error, TypeError, AttributeError):
            if splits:
                middle = (low + high) // 2
                ranges += [(model, low, middle, splits - 1), (model, middle, high, splits - 1)]


def describe(error: Exception) -> str:
    """An error in a few words, without the path that the message names anyway."""
    if isinstance(error, TimeoutError):
        return "its lock could not be had: another process holds it, or no file can be made there"
    if isinstance(error, OSError):
        return error.strerror or type(error).__name__
    return str(error) or type(error).__name__
