"""The answer store: each distinct request is asked once, by whichever process, thread or run comes first.

::

    store = AnswerStore.open(root / DEFAULT_PATH)
    answers = store.answers_of(model.identity, answered="m-2")      # one model's answers
    reply, hit = answers.answer(request, model.ask)                 # stored, waited for, or asked

A file that is damaged, locked or not to be written costs a warning and some requests, never the run.
"""

from __future__ import annotations

import json
import sqlite3
import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pytest_jevbench.models.identity_key import ModelKey, base_digest, model_key, plain_address
from pytest_jevbench.models.model_answers import (
    Answered,
    Claim,
    Hit,
    Mine,
    Mode,
    ModelAnswers,
    StoreUse,
    Wait,
    remember_model,
)
from pytest_jevbench.models.process_identity import ProcessId, surely_dead, this_process
from pytest_jevbench.models.protocol import Identity
from pytest_jevbench.models.store_file import StoreFile

__all__ = [
    "DEFAULT_PATH",
    "AnswerStore",
    "Answered",
    "Claim",
    "Hit",
    "Mine",
    "Mode",
    "ModelAnswers",
    "StoredModel",
    "Wait",
    "new_run",
]

DEFAULT_PATH = Path(".jevbench") / "answers.sqlite"
"""Where the answers of a project are kept, under its root directory."""

DAY = 86_400.0
"""An interrupted refresh is continued within a day; what a killed run kept for itself alone is removed after one."""


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A model that the store has answers of: its key, how many, and when it was last used (seconds since 1970)."""

    key: ModelKey
    answers: int
    used: float


def new_run() -> str:
    """A name for one run, shared by its workers and by no other run."""
    return uuid.uuid4().hex[:16]


class AnswerStore:
    """The stored answers of one file, for all threads of a process.

    ``mode``, ``run`` (the name shared by a run's workers, a new one by default), ``lease_seconds`` (after which a claim
    counts as given up even where its process cannot be seen: longer than any request with all its attempts), ``sleep``
    and ``clock`` can be given to each of the three ways to make one.
    """

    def __init__(
        self,
        file: StoreFile,
        *,
        mode: Mode = "use",
        run: str = "",
        lease_seconds: float = 900.0,
        sleep: Callable[[float], object] = time.sleep,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.file = file
        self._use = StoreUse(file, mode, run or new_run(), lease_seconds, sleep, clock)
        self._may_continue = mode == "refresh" and not run
        # Opened now, so that its troubles are told, and `path` is right, before the first request.
        file.run(lambda connection: connection.execute("SELECT 1").fetchone())

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        busy_seconds: float = 10.0,
        durable: bool = True,
        warn: Callable[[str], None] | None = None,
        **settings: Any,
    ) -> AnswerStore:
        """The store in this file, made where there is none.

        ``path`` may be an export of a store: it is read into a temporary store and never changed. ``warn`` gets the one
        warning about a file that cannot be used; by default it is a ``JevbenchWarning``. ``busy_seconds`` is how long a
        locked file is waited for.
        """
        from pytest_jevbench.models.store_export import import_answers, is_export

        if is_export(path):
            store = cls.temporary(warn=warn, **settings)
            try:
                import_answers(store, path)
            except BaseException:
                store.close()
                raise
            return store
        return cls(StoreFile(path, durable=durable, busy_seconds=busy_seconds, warn=warn or _notify), **settings)

    @classmethod
    def temporary(
        cls, *, shared: bool = True, warn: Callable[[str], None] | None = None, **settings: Any
    ) -> AnswerStore:
        """A store for this run alone. Where no other process needs it, ``shared=False`` is three times as fast."""
        return cls(StoreFile.temporary(shared=shared, warn=warn or _notify), **settings)

    @classmethod
    def joined(cls, handover: Mapping[str, Any], **settings: Any) -> AnswerStore:
        """The store of a run's controller, opened again in a worker."""
        use = {"mode": handover["mode"], "run": handover["run"], **settings}
        if handover["path"] is None:
            return cls.temporary(shared=False, **use)
        return cls.open(Path(handover["path"]), durable=handover["durable"], **use)

    def handover(self) -> dict[str, Any]:
        """What a worker needs to open the same store, as plain JSON. Where it is private, the worker gets its own."""
        path = None if self.path is None else str(self.path)
        return {"path": path, "durable": self.file.durable, "mode": self.mode, "run": self.run}

    @property
    def path(self) -> Path | None:
        """The file in use; None where the answers are kept in this process alone."""
        return self.file.path

    @property
    def mode(self) -> Mode:
        return self._use.mode

    @property
    def run(self) -> str:
        """The name of the run. A refresh may take that of an interrupted one: see :meth:`answers_of`."""
        return self._use.run

    def now(self) -> float:
        """Seconds since 1970 by the store's clock."""
        return self._use.clock()

    def answers_of(self, identity: Identity, answered: str | None) -> ModelAnswers:
        """The answers of one model.

        ``answered`` is the name under which it answered the first request of the run. Offline, where there was none,
        None stands for the answered name that was used last. A refresh goes on with one of the same model that was
        killed less than a day ago, and does not ask again what that one asked.
        """
        if self.mode == "offline":
            stored = self._last_used(identity, answered)
            return ModelAnswers(self._use, stored or model_key(identity, answered, run=self.run))
        key = model_key(identity, answered, run=self.run)
        only_for_run = "" if identity.stable else self.run
        self.file.write(lambda c: self._note_use(c, key, only_for_run))
        if self.mode == "refresh":
            self._use = replace(self._use, run=self.file.write(lambda c: self._run_of_refresh(c, key)))
        return ModelAnswers(self._use, key, only_for_run=not identity.stable)

    def answers_under(self, key: ModelKey) -> ModelAnswers:
        """The answers under a key that :meth:`models` gave, to replay a model of which no more is known."""
        return ModelAnswers(self._use, key)

    def models(self) -> list[StoredModel]:
        """The models with answers in the store, the last used first."""
        rows = self.file.run(
            lambda c: c.execute(
                "SELECT m.model, m.base, m.parts, m.used, n FROM models m"
                " JOIN (SELECT model, count(*) AS n FROM answers GROUP BY model) USING (model)"
                " ORDER BY m.used DESC, m.model"
            ).fetchall()
        )
        return [StoredModel(ModelKey(row[0], row[1], json.loads(row[2])), row[4], row[3]) for row in rows]

    def end_run(self, *, complete: bool = True) -> None:
        """Remove what was for this run alone; a ``complete`` refresh is not continued. For the run's controller."""

        def work(connection: sqlite3.Connection) -> None:
            ended = "run <> '' AND (run = ? OR used < ?)"
            of_run = (self.run, self.now() - DAY)
            connection.execute(f"DELETE FROM answers WHERE model IN (SELECT model FROM models WHERE {ended})", of_run)
            connection.execute(f"DELETE FROM models WHERE {ended}", of_run)
            if complete:
                connection.execute("DELETE FROM refreshes WHERE run = ?", (self.run,))

        if self.mode != "offline":
            self.file.write(work)

    def close(self) -> None:
        """Close the file; what was put is kept without it. A temporary store is removed."""
        self.file.close()

    def __enter__(self) -> AnswerStore:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _note_use(self, connection: sqlite3.Connection, key: ModelKey, only_for_run: str) -> None:
        now = self.now()
        remember_model(connection, key, only_for_run, now)
        connection.execute("UPDATE models SET used = max(used, ?) WHERE model = ?", (now, key.digest))

    def _run_of_refresh(self, connection: sqlite3.Connection, key: ModelKey) -> str:
        row = connection.execute(
            "SELECT run, host, pid, started, begun FROM refreshes WHERE model = ?", (key.digest,)
        ).fetchone()
        now = self.now()
        run = self.run
        if row is not None:
            if not surely_dead(ProcessId(*row[1:4])):
                return run
            if self._may_continue and now - row[4] < DAY:
                run = row[0]
        me = this_process()
        begun = row[4] if row is not None and row[0] == run else now
        connection.execute(
            "INSERT OR REPLACE INTO refreshes VALUES (?, ?, ?, ?, ?, ?)",
            (key.digest, run, me.host, me.pid, me.started, begun),
        )
        return run

    def _last_used(self, identity: Identity, answered: str | None) -> ModelKey | None:
        base = base_digest(identity, run=self.run)
        address = plain_address(identity.address)
        for stored in self.models():
            parts = stored.key.parts
            same_name = answered is None or parts.get("answered") == answered
            same_place = not address or parts.get("address", address) == address
            if stored.key.base == base and same_name and same_place:
                return stored.key
        return None


def _notify(message: str) -> None:
    from pytest_jevbench.warning import notify

    notify(message)
