"""What the answer store holds of one model: looked up, claimed, put, or asked.

A request is claimed before it is asked, so that nobody else asks it meanwhile. The claim of a process that died is
taken over at once. A thread holds at most one claim and waits for others only while it holds none, so no two of them
can wait for each other; what else a request needs (a replica, the budget) is to be taken inside ``ask``.
"""

from __future__ import annotations

import json
import sqlite3
import uuid
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, Literal, NamedTuple, TypeAlias

from pytest_jevbench.errors import AnswerFormatError, NotStored, Refused
from pytest_jevbench.json_text import shown
from pytest_jevbench.models.identity_key import ModelKey
from pytest_jevbench.models.process_identity import ProcessId, surely_dead, this_process
from pytest_jevbench.models.protocol import Reply
from pytest_jevbench.models.store_file import StoreFile
from pytest_jevbench.models.store_schema import checksum
from pytest_jevbench.models.stored_reply import Recorded, Unstorable, decode, encode, kind_of
from pytest_jevbench.questions import Request

__all__ = ["Answered", "Claim", "Hit", "Mine", "Mode", "ModelAnswers", "StoreUse", "Wait", "remember_model"]

Mode: TypeAlias = Literal["use", "refresh", "offline"]
"""``use`` what is stored; ``refresh``: ask each request once more in this run; ``offline``: never ask."""

BATCH = 500
_SHORTEST_WAIT, _LONGEST_WAIT = 0.002, 0.05
_ROW = "kind, reply, checksum, run"
_KEY = "model = ? AND digest = ? AND repeat = ?"


@dataclass(frozen=True, slots=True)
class StoreUse:
    """How a run uses a store. ``clock`` gives seconds since 1970, ``sleep`` waits for a number of seconds."""

    file: StoreFile
    mode: Mode
    run: str
    lease_seconds: float
    sleep: Callable[[float], object]
    clock: Callable[[], float]


class Answered(NamedTuple):
    """A reply, and whether it came from the store (then nothing was sent for it here)."""

    reply: Reply
    hit: bool


@dataclass(frozen=True, slots=True)
class Hit:
    """The request has been answered, or refused for good."""

    recorded: Recorded

    def reply(self) -> Reply:
        """The reply; raises the error that was recorded instead of one."""
        if isinstance(self.recorded, Reply):
            return self.recorded
        raise self.recorded


@dataclass(frozen=True, slots=True)
class Mine:
    """The caller has to ask the request, and then to ``put`` what comes or to ``release`` the claim."""

    digest: bytes
    repeat: int
    owner: str


@dataclass(frozen=True, slots=True)
class Wait:
    """Someone else is asking the request."""

    process: ProcessId


Claim: TypeAlias = Hit | Mine | Wait


class ModelAnswers:
    """What the store holds of one model. Requests are the same only with the same order of questions and options."""

    def __init__(self, use: StoreUse, key: ModelKey, *, only_for_run: bool = False) -> None:
        self.key = key
        self._use = use
        self._run_of_model = use.run if only_for_run else ""

    def get(self, request: Request, repeat: int = 0) -> Recorded | None:
        """What is stored for a request and may be used in this run; None where it is to be asked."""
        digest = bytes.fromhex(request.digest)
        return self._use.file.run(lambda connection: self._read(connection, digest, repeat))

    def get_many(self, requests: Iterable[Request], repeat: int = 0) -> Iterator[Recorded | None]:
        """As :meth:`get` for each request in turn, in batches: for lookups of a whole plan."""
        iterator = iter(requests)
        while batch := [bytes.fromhex(request.digest) for request in islice(iterator, BATCH)]:
            found = self._use.file.run(partial(self._read_many, batch, repeat))
            yield from (found.get(digest) for digest in batch)

    def missing(self, requests: Iterable[Request], repeat: int = 0) -> list[Request]:
        """The distinct requests that would have to be asked, in order."""
        distinct = {request.digest: request for request in requests}
        found = self.get_many(distinct.values(), repeat)
        return [request for request, stored in zip(distinct.values(), found, strict=True) if stored is None]

    def repeats(self, request: Request) -> list[Reply]:
        """All stored replies to a request, by repeat index; also those that a refresh would not use."""
        digest = bytes.fromhex(request.digest)
        rows = self._rows(f"SELECT repeat, {_ROW} FROM answers WHERE model = ? AND digest = ? ORDER BY repeat", digest)
        stored = (self._checked(digest, row[0], row[1:]) for row in rows)
        return [reply for reply in stored if isinstance(reply, Reply)]

    def answered_names(self) -> dict[str, int]:
        """The names under which the stored answers came, with their numbers: more than one means mixed versions."""
        usual = self.key.parts.get("answered", "")
        rows = self._rows(
            "SELECT answered, count(*) FROM answers WHERE model = ? AND kind = 'answered'"
            " GROUP BY answered ORDER BY answered"
        )
        return {usual if name is None else json.loads(name): count for name, count in rows}

    def claim(self, request: Request, repeat: int = 0) -> Claim:
        """Whether a request is answered, the caller's to ask, or being asked by someone else.

        Raises :class:`~pytest_jevbench.errors.NotStored` offline.
        """
        digest = bytes.fromhex(request.digest)
        file = self._use.file
        found = file.run(lambda connection: self._read(connection, digest, repeat))
        if found is not None:
            return Hit(found)
        if self._use.mode == "offline":
            raise NotStored(self._missing_text(request, digest, repeat), attempts=0)
        return file.write(lambda connection: self._take(connection, digest, repeat))

    def put(self, request: Request, recorded: Recorded, repeat: int = 0) -> Recorded:
        """Keep what a request led to and give back its claim; it is safe from then on, also from SIGKILL.

        What was there first and is usable stays, so that all who ask see the same; it is returned. A value that no JSON
        text can hold is not kept, with one warning, and returned as it is.
        """
        digest = bytes.fromhex(request.digest)
        try:
            text = encode(recorded)
        except Unstorable as error:
            self._use.file.warn_once(f"an answer {error}; its request is asked anew each time")
            self._use.file.write(lambda c: c.execute(f"DELETE FROM claims WHERE {_KEY}", self._at(digest, repeat)))
            return recorded
        return self._use.file.write(lambda connection: self._put(connection, digest, repeat, recorded, text))

    def release(self, claim: Mine) -> None:
        """Give a claim back without an answer: the next who wants it asks."""
        where = (*self._at(claim.digest, claim.repeat), claim.owner)
        self._use.file.write(lambda c: c.execute(f"DELETE FROM claims WHERE {_KEY} AND owner = ?", where))

    def answer(self, request: Request, ask: Callable[[Request], Reply], repeat: int = 0) -> Answered:
        """The reply to a request: stored, waited for, or asked here with ``ask`` and stored.

        Raises what ``ask`` raises. A refusal is recorded and raised again, unasked, for the rest of the run and when
        replayed; an unusable reply also in later runs; an unreachable model is recorded nowhere.
        """
        pause = _SHORTEST_WAIT
        while True:
            claim = self.claim(request, repeat)
            if isinstance(claim, Hit):
                return Answered(claim.reply(), True)
            if isinstance(claim, Mine):
                return Answered(self._ask(request, ask, repeat, claim), False)
            while self._being_asked(request, repeat):
                self._use.sleep(pause)
                pause = min(pause * 1.5, _LONGEST_WAIT)

    def _ask(self, request: Request, ask: Callable[[Request], Reply], repeat: int, claim: Mine) -> Reply:
        try:
            reply = ask(request)
        except (Refused, AnswerFormatError) as error:
            self.put(request, error, repeat)
            raise
        except BaseException:
            self.release(claim)
            raise
        return Hit(self.put(request, reply, repeat)).reply()

    def _being_asked(self, request: Request, repeat: int) -> bool:
        digest = bytes.fromhex(request.digest)
        return self._use.file.run(lambda connection: self._other_owner(connection, digest, repeat)) is not None

    def _at(self, digest: bytes, repeat: int) -> tuple[bytes, bytes, int]:
        return (self.key.digest, digest, repeat)

    def _rows(self, query: str, *more: object) -> list[Any]:
        return self._use.file.run(lambda c: c.execute(query, (self.key.digest, *more)).fetchall())

    def _read(self, connection: sqlite3.Connection, digest: bytes, repeat: int) -> Recorded | None:
        row = connection.execute(f"SELECT {_ROW} FROM answers WHERE {_KEY}", self._at(digest, repeat)).fetchone()
        return self._usable(digest, repeat, row) if row is not None else None

    def _read_many(
        self, digests: list[bytes], repeat: int, connection: sqlite3.Connection
    ) -> dict[bytes, Recorded | None]:
        rows = connection.execute(
            f"SELECT digest, {_ROW} FROM answers WHERE model = ? AND repeat = ?"
            f" AND digest IN ({','.join('?' * len(digests))})",
            (self.key.digest, repeat, *digests),
        )
        return {row[0]: self._usable(row[0], repeat, row[1:]) for row in rows}

    def _usable(self, digest: bytes, repeat: int, row: tuple[Any, ...]) -> Recorded | None:
        """A row as this run may use it. A refusal of another run is asked again: the server may have changed."""
        kind, of_this_run = row[0], row[3] == self._use.run
        mode = self._use.mode
        if not of_this_run and (mode == "refresh" or (mode == "use" and kind == "refused")):
            return None
        return self._checked(digest, repeat, row)

    def _checked(self, digest: bytes, repeat: int, row: tuple[Any, ...]) -> Recorded | None:
        kind, text, stored_sum = row[:3]
        try:
            if stored_sum != checksum(*self._at(digest, repeat), kind, text):
                raise Unstorable("its checksum is wrong")
            return decode(kind, text)
        except (Unstorable, TypeError, AttributeError) as error:
            self._use.file.warn_once(f"a stored answer is damaged ({error}); such answers are asked again")
            return None

    def _other_owner(self, connection: sqlite3.Connection, digest: bytes, repeat: int) -> ProcessId | None:
        """Who is asking the request at this moment, if anyone is who still can."""
        row = connection.execute(
            f"SELECT host, pid, started, until FROM claims WHERE {_KEY}", self._at(digest, repeat)
        ).fetchone()
        if row is None:
            return None
        process = ProcessId(*row[:3])
        return None if row[3] < self._use.clock() or surely_dead(process) else process

    def _take(self, connection: sqlite3.Connection, digest: bytes, repeat: int) -> Claim:
        found = self._read(connection, digest, repeat)
        if found is not None:
            return Hit(found)
        other = self._other_owner(connection, digest, repeat)
        if other is not None:
            return Wait(other)
        me, owner = this_process(), uuid.uuid4().hex
        until = self._use.clock() + self._use.lease_seconds
        connection.execute(
            "INSERT OR REPLACE INTO claims VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (*self._at(digest, repeat), owner, me.host, me.pid, me.started, until),
        )
        return Mine(digest, repeat, owner)

    def _put(
        self, connection: sqlite3.Connection, digest: bytes, repeat: int, recorded: Recorded, text: str
    ) -> Recorded:
        connection.execute(f"DELETE FROM claims WHERE {_KEY}", self._at(digest, repeat))
        before = self._read(connection, digest, repeat)
        if before is not None:
            return before
        remember_model(connection, self.key, self._run_of_model, self._use.clock())
        kind = kind_of(recorded)
        name = recorded.model if isinstance(recorded, Reply) else None
        other_name = json.dumps(name) if name is not None and name != self.key.parts.get("answered") else None
        connection.execute(
            "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                *self._at(digest, repeat),
                kind,
                text,
                checksum(*self._at(digest, repeat), kind, text),
                other_name,
                self._use.run,
                self._use.clock(),
            ),
        )
        return recorded

    def _missing_text(self, request: Request, digest: bytes, repeat: int) -> str:
        """Which request is missing, and whether the answer lies under another model's key."""
        of_model = self._rows("SELECT count(*) FROM answers WHERE model = ?")[0][0]
        elsewhere = self._use.file.run(
            lambda c: c.execute(
                "SELECT m.parts FROM answers a JOIN models m USING (model) WHERE a.digest = ? AND a.repeat = ?",
                (digest, repeat),
            ).fetchall()
        )
        number = f" (repeat {repeat})" if repeat else ""
        text = (
            f"offline, and the store has no answer to request {request.digest[:12]}{number} with the questions "
            f"{shown(list(request.questions), 60)} of {self.key or 'a model without a name'}; "
            f"it has {of_model} answers of this model"
        )
        if not elsewhere:
            return text
        names = "; ".join(", ".join(f"{k} {v}" for k, v in json.loads(row[0]).items()) for row in elsewhere[:3])
        return f"{text}. The same request is stored for another model: {names}"


def remember_model(connection: sqlite3.Connection, key: ModelKey, run: str, used: float) -> None:
    """Note a model, once; ``run`` is the run it is for alone, or empty, and ``used`` when it was first used."""
    connection.execute(
        "INSERT OR IGNORE INTO models VALUES (?, ?, ?, ?, ?)",
        (key.digest, key.base, json.dumps(dict(key.parts)), run, used),
    )
