"""The answers of one run in one process: what an answer store is where nothing is to be kept or shared.

It has the parts of :class:`~pytest_jevbench.models.store.AnswerStore` that a run uses, without a database.
"""

from __future__ import annotations

import marshal
import threading
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

from pytest_jevbench.errors import AnswerFormatError, Refused
from pytest_jevbench.models.model_answers import Answered, Mode
from pytest_jevbench.models.protocol import Identity, Reply, Usage
from pytest_jevbench.models.spool import Spool, Spooled
from pytest_jevbench.models.stored_reply import Kind, Recorded, Unstorable, decode, encode, kind_of
from pytest_jevbench.questions import Request

__all__ = ["PrivateAnswers", "PrivateStore"]

_Key: TypeAlias = bytes
"""A request's digest, and the number of the repeat in the last four bytes."""

_KINDS: dict[bytes, Kind] = {b"a": "answered", b"r": "refused", b"m": "malformed"}
"""The kind of what is kept as text, by its first byte."""

_PLAIN = b"p"
"""The first byte of an answered reply that is kept as it lies in memory: made and read in a tenth of the time."""


class PrivateAnswers:
    """The replies to each distinct request, asked once by whichever thread comes first."""

    def __init__(self) -> None:
        self._kept: dict[_Key, Spooled] = {}
        self._spool = Spool()
        self._in_flight: dict[_Key, threading.Event] = {}
        self._lock = threading.Lock()

    def get(self, request: Request, repeat: int = 0) -> Recorded | None:
        """What is known of a request; None where it is to be asked."""
        return self._get(_key(request, repeat))

    def missing(self, requests: Iterable[Request], repeat: int = 0) -> list[Request]:
        """The distinct requests that would have to be asked, in order."""
        distinct = {request.digest: request for request in requests}
        return [request for request in distinct.values() if _key(request, repeat) not in self._kept]

    def repeats(self, request: Request) -> list[Reply]:
        """All known replies to a request, by repeat index."""
        digest = bytes.fromhex(request.digest)
        found = map(self._get, sorted(key for key in self._kept if key.startswith(digest)))
        return [reply for reply in found if isinstance(reply, Reply)]

    def answered_names(self) -> dict[str, int]:
        """The names under which replies came, with their numbers."""
        replies = map(self._get, self._kept)
        return dict(Counter(reply.model for reply in replies if isinstance(reply, Reply) and reply.model is not None))

    def put(self, request: Request, recorded: Recorded, repeat: int = 0) -> Recorded:
        """Keep what a request led to; what was there first stays and is returned."""
        before = self.get(request, repeat)
        if before is not None:
            return before
        try:
            self._kept[_key(request, repeat)] = self._spool.put(_packed(recorded))
        except Unstorable:
            return recorded  # asked anew each time, as it cannot be given again unchanged
        return recorded

    def answer(self, request: Request, ask: Callable[[Request], Reply], repeat: int = 0) -> Answered:
        """The reply to a request: known, waited for, or asked here. Raises what ``ask`` raises."""
        key = _key(request, repeat)
        while True:
            known = self._get(key)
            if known is not None:
                if isinstance(known, Reply):
                    return Answered(known, True)
                raise known
            with self._lock:
                waiting = self._in_flight.get(key)
                if waiting is None:
                    if self._get(key) is not None:
                        continue
                    mine = self._in_flight[key] = threading.Event()
            if waiting is not None:
                waiting.wait()
                continue
            try:
                return Answered(self._asked(request, ask, repeat), False)
            finally:
                with self._lock:
                    del self._in_flight[key]
                mine.set()

    def close(self) -> None:
        """Forget all."""
        self._kept.clear()
        self._spool.close()

    def _get(self, key: _Key) -> Recorded | None:
        kept = self._kept.get(key)
        packed = None if kept is None else self._spool.get(kept)
        return None if packed is None else _unpacked(packed)

    def _asked(self, request: Request, ask: Callable[[Request], Reply], repeat: int) -> Reply:
        try:
            reply = ask(request)
        except (Refused, AnswerFormatError) as error:
            self.put(request, error, repeat)
            raise
        self.put(request, reply, repeat)
        return reply


class PrivateStore:
    """A store of this process, gone with it."""

    mode: Mode = "use"
    path: Path | None = None
    run = ""

    def __init__(self) -> None:
        self._answers = PrivateAnswers()

    def answers_of(self, identity: Identity, answered: str | None) -> PrivateAnswers:
        """The answers of the one model that a run has."""
        return self._answers

    def handover(self) -> dict[str, Any]:
        """Raises ``ValueError``: no other process can share it."""
        raise ValueError("a private store cannot be shared with another process")

    def end_run(self, *, complete: bool = True) -> None:
        """Nothing is to be removed."""

    def close(self) -> None:
        """Forget all."""
        self._answers.close()


def _packed(recorded: Recorded) -> bytes:
    """Raises :class:`Unstorable`."""
    if isinstance(recorded, Reply):
        usage = recorded.usage
        fields: tuple[Any, ...] = (recorded.answers, recorded.model, usage.input_tokens, usage.output_tokens)
        with suppress(ValueError):  # an object with a doubled key, which JSON text can hold
            return _PLAIN + marshal.dumps((*fields, recorded.attempts, recorded.seconds))
    return kind_of(recorded)[0].encode() + encode(recorded).encode()


def _unpacked(packed: bytes) -> Recorded:
    kind, data = packed[:1], packed[1:]
    if kind != _PLAIN:
        return decode(_KINDS[kind], data.decode())
    answers, model, tokens_in, tokens_out, attempts, seconds = marshal.loads(data)
    return Reply(answers, model, Usage(tokens_in, tokens_out), attempts, seconds)


def _key(request: Request, repeat: int) -> _Key:
    return bytes.fromhex(request.digest) + repeat.to_bytes(4, "big")
