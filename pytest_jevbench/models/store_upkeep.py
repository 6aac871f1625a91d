"""What an answer store holds, and how to make it smaller."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pytest_jevbench.models.identity_key import ModelKey
from pytest_jevbench.models.process_identity import ProcessId, surely_dead
from pytest_jevbench.models.store import DAY, AnswerStore

__all__ = ["ModelStats", "PruneReport", "StoreStats", "file_size", "prune", "stats"]


@dataclass(frozen=True, slots=True)
class ModelStats:
    """The answers of one model; times in seconds since 1970.

    ``distinct`` counts requests, ``answers`` their repeats too, ``characters`` what the replies take as text.
    ``other_names`` are names the model answered under that are not the one in its key, with their numbers.
    """

    key: ModelKey
    distinct: int
    answers: int
    refused: int
    malformed: int
    characters: int
    last_stored: float
    last_used: float
    other_names: dict[str, int]


@dataclass(frozen=True, slots=True)
class StoreStats:
    """A whole store. ``bytes`` is its size on the disk with its log, ``in_flight`` the requests being asked now."""

    bytes: int
    models: tuple[ModelStats, ...]
    in_flight: int


@dataclass(frozen=True, slots=True)
class PruneReport:
    """What was removed (or would be); ``bytes`` is what the file shrank by."""

    answers: int
    models: int
    bytes: int


def file_size(path: Path | None) -> int:
    """Bytes of a store on the disk: the file and its log."""
    if path is None:
        return 0
    names = (path, path.with_name(f"{path.name}-wal"))
    return sum(name.stat().st_size for name in names if name.exists())


def stats(store: AnswerStore) -> StoreStats:
    """Counts by model, the last used first."""
    return store.file.run(lambda connection: _stats(store, connection))


def _stats(store: AnswerStore, connection: sqlite3.Connection) -> StoreStats:
    names: dict[bytes, dict[str, int]] = {}
    for model, name, count in connection.execute(
        "SELECT model, answered, count(*) FROM answers WHERE answered IS NOT NULL GROUP BY model, answered"
    ):
        names.setdefault(model, {})[json.loads(name)] = count
    rows = connection.execute(
        "SELECT m.model, m.base, m.parts, count(DISTINCT a.digest), count(*), sum(a.kind = 'refused'),"
        " sum(a.kind = 'malformed'), sum(length(a.reply)), max(a.stored), m.used"
        " FROM models m JOIN answers a USING (model) GROUP BY m.model ORDER BY m.used DESC, m.model"
    )
    models = []
    for model, base, parts, distinct, answers, refused, malformed, characters, stored, used in rows:
        key = ModelKey(model, base, json.loads(parts))
        other_names = names.get(model, {})
        models.append(ModelStats(key, distinct, answers, refused, malformed, characters, stored, used, other_names))
    now = store.now()
    claims = connection.execute("SELECT host, pid, started, until FROM claims").fetchall()
    in_flight = sum(row[3] >= now and not surely_dead(ProcessId(*row[:3])) for row in claims)
    return StoreStats(file_size(store.path), tuple(models), in_flight)


def prune(
    store: AnswerStore,
    *,
    wanted: Callable[[ModelKey], bool] | None = None,
    stored_before: float | None = None,
    used_before: float | None = None,
    only_refused: bool = False,
    dry_run: bool = False,
) -> PruneReport:
    """Remove the answers that fit all criteria given, and what dead processes left; then make the file small.

    ``wanted`` chooses models, ``stored_before`` answers and ``used_before`` models by time (seconds since 1970). With
    no criterion only leavings go. ``dry_run`` counts and changes nothing.
    """
    size = file_size(store.path)
    criteria = wanted is not None or stored_before is not None or used_before is not None or only_refused

    def work(connection: sqlite3.Connection) -> tuple[int, int]:
        _sweep(store, connection)
        answers, models = remove(connection) if criteria else (0, 0)
        if dry_run:
            raise _OnlyCounted(answers, models)
        return answers, models

    def remove(connection: sqlite3.Connection) -> tuple[int, int]:
        answers = 0
        for model, base, parts, used in connection.execute("SELECT model, base, parts, used FROM models").fetchall():
            if wanted is not None and not wanted(ModelKey(model, base, json.loads(parts))):
                continue
            if used_before is not None and used >= used_before:
                continue
            answers += connection.execute(
                "DELETE FROM answers WHERE model = ? AND stored < ? AND (kind = 'refused' OR ?)",
                (model, float("inf") if stored_before is None else stored_before, not only_refused),
            ).rowcount
        models = connection.execute("DELETE FROM models WHERE model NOT IN (SELECT model FROM answers)").rowcount
        return answers, models

    try:
        answers, models = store.file.write(work)
    except _OnlyCounted as counted:
        return PruneReport(counted.answers, counted.models, 0)
    store.file.run(_shrink)
    return PruneReport(answers, models, max(0, size - file_size(store.path)))


class _OnlyCounted(Exception):
    """Rolls a transaction back after it was counted what it would remove."""

    def __init__(self, answers: int, models: int) -> None:
        super().__init__("only counted")
        self.answers = answers
        self.models = models


def _sweep(store: AnswerStore, connection: sqlite3.Connection) -> None:
    """Remove claims that nobody holds, and answers of unnamed models whose run has ended long ago."""
    now = store.now()
    for row in connection.execute("SELECT owner, until, host, pid, started FROM claims").fetchall():
        if row[1] < now or surely_dead(ProcessId(*row[2:])):
            connection.execute("DELETE FROM claims WHERE owner = ?", row[:1])
    old = "SELECT model FROM models WHERE run <> '' AND used < ?"
    connection.execute(f"DELETE FROM answers WHERE model IN ({old})", (now - DAY,))
    connection.execute("DELETE FROM models WHERE run <> '' AND used < ?", (now - DAY,))


def _shrink(connection: sqlite3.Connection) -> None:
    with suppress(sqlite3.OperationalError):  # someone reads it: it gets small another time
        connection.execute("VACUUM")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
