"""A model that is a program: a request as JSON on its standard input, the answers as JSON on its standard output."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping, Sequence

from pytest_jevbench.errors import AnswerFormatError, InputError, Place, Refused, Unreachable
from pytest_jevbench.json_text import JsonProblem, dumps, loads, printable
from pytest_jevbench.models.command_lines import CommandLine, command_line
from pytest_jevbench.models.exchanges import MOST_BYTES, Exchanged, exchange
from pytest_jevbench.models.failing import DOWN_AFTER, FailureStreak
from pytest_jevbench.models.processes import Platform, ProcessGroup
from pytest_jevbench.models.protocol import Identity, Reply
from pytest_jevbench.models.reading_replies import WORDS_LIMIT, reply_from_json
from pytest_jevbench.models.redaction import Redactor
from pytest_jevbench.questions import Request

__all__ = ["CommandModel"]

_PLACE = Place(field="command")


class CommandModel:
    """A program that is started once for every request.

    It is given ``{"model", "state", "questions"}`` and prints ``{"answers": {...}}``. Another status than 0 is a
    refusal with the end of what it wrote to standard error; longer than ``timeout`` seconds, or ended by a signal,
    is no answer. Nothing is tried again. ``secrets`` are hidden in what is shown. Raises :class:`InputError` for a
    command that cannot be run.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        model: str | None = None,
        revision: str = "",
        timeout: float = 60.0,
        down_after: int = DOWN_AFTER,
        secrets: tuple[str, ...] = (),
        environ: Mapping[str, str] | None = None,
        platform: Platform | None = None,
    ) -> None:
        line = command_line(command, _PLACE)
        self._line: CommandLine = line
        self._environ = line.environment(os.environ if environ is None else environ)
        self._redact = Redactor((*line.secrets, *secrets))
        self._identity = Identity("command", model or "default", revision, launch=self._redact(line.text))
        self._timeout = timeout
        self._streak = FailureStreak(down_after)
        self._platform = platform

    def __repr__(self) -> str:
        return f"CommandModel({self._identity.launch!r})"

    @property
    def identity(self) -> Identity:
        return self._identity

    def ask(self, request: Request) -> Reply:
        """What the program answers to one request.

        Raises :class:`Refused`, :class:`Unreachable`, :class:`ModelDown` or :class:`AnswerFormatError`.
        """
        self._streak.check()
        body = dumps({"model": self._identity.name, **request.body()}, compact=True).encode()
        started = time.perf_counter()
        status, out, err, too_much = self._run(body)
        seconds = time.perf_counter() - started
        said = self._tail(err)
        if too_much:
            self._streak.alive()
            raise AnswerFormatError(self._told(f"it printed more than {MOST_BYTES:,} bytes", said))
        if status is None:
            raise self._streak.failed(Unreachable(self._told(f"no answer within {self._timeout:g} s", said), body=said))
        if status < 0:
            raise self._streak.failed(Unreachable(self._told(f"ended by signal {-status}", said), body=said))
        self._streak.alive()
        if status > 0:
            raise Refused(self._told(f"exit status {status}", said), status=None, body=said)
        return self._read(out, said, seconds)

    def close(self) -> None:
        """Nothing is held: no program outlives its request."""

    def _run(self, body: bytes) -> Exchanged:
        pipe = subprocess.PIPE
        try:
            group = ProcessGroup(
                self._line.words, stdin=pipe, stdout=pipe, stderr=pipe, env=self._environ, platform=self._platform
            )
        except OSError as error:
            raise InputError(
                f"{self._identity.launch} cannot be started: {error.strerror}", place=_PLACE, advice="Check the program"
            ) from None
        return exchange(group, body, self._timeout)

    def _read(self, out: bytes, said: str, seconds: float) -> Reply:
        try:
            text = self._redact.body(out).decode("utf-8-sig")
            value = loads(text, mark_duplicates=True, allow_constants=True)
        except UnicodeDecodeError as error:
            raise AnswerFormatError(self._told(f"its output is not UTF-8 ({error.reason})", said)) from None
        except JsonProblem as problem:
            start = self._redact(printable(text))[:WORDS_LIMIT]
            raise AnswerFormatError(self._told(f"its output is {problem}: {start!r}", said)) from None
        outcome = reply_from_json(value, self._redact, seconds=seconds)
        if isinstance(outcome, Reply):
            return outcome
        if outcome.kind == "format":
            raise AnswerFormatError(self._told(outcome.message, said))
        raise Refused(self._told(outcome.message.replace("the server answered 200 with", "it printed"), said))

    def _tail(self, err: bytes) -> str:
        text = self._redact(printable(err.decode("utf-8", "replace"))).strip()
        return text if len(text) <= WORDS_LIMIT else "…" + text[-WORDS_LIMIT:]

    def _told(self, what: str, said: str) -> str:
        return f"{self._identity.launch}: {what}" + (f"; it wrote: {said}" if said else "")
