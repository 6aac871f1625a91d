"""A model behind a server, asked over HTTP in one of the dialects.

Importing this module imports the HTTP library; import it where a model is opened, never earlier.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from pytest_jevbench.errors import AnswerFormatError, InputError, ModelError, Place, Refused, Unreachable
from pytest_jevbench.models.dialects.base import Dialect
from pytest_jevbench.models.dialects.systemone import SYSTEMONE
from pytest_jevbench.models.exchange import Exchange, Recorder
from pytest_jevbench.models.failing import DOWN_AFTER, FailureStreak
from pytest_jevbench.models.http import Connection
from pytest_jevbench.models.money import TokenBound, most_tokens
from pytest_jevbench.models.protocol import Identity, Reply
from pytest_jevbench.models.proxies import proxy_for
from pytest_jevbench.models.reading_replies import Received, Trouble, model_names, read_response, text_of_body
from pytest_jevbench.models.redaction import LogFilter, Redactor
from pytest_jevbench.models.refusal_advice import Standing, advice
from pytest_jevbench.models.retry_after import asked_wait
from pytest_jevbench.models.retrying import Attempted, Retrier, RetryPolicy
from pytest_jevbench.models.turns import Turn
from pytest_jevbench.models.urls import endpoint
from pytest_jevbench.questions import Request

if TYPE_CHECKING:
    from typing_extensions import Self

    from pytest_jevbench.models.metering import Meter

__all__ = ["DEFAULT_NAME", "HttpModel"]

DEFAULT_NAME = "default"
"""The model name sent where none was given and the server lists no single one."""

NameSource = Literal["given", "listed", "assumed"]

_log = logging.getLogger("pytest_jevbench.models")


class HttpModel:
    """One replica of a model behind a server.

    ``dialect`` says how a request is written and its response read; it is System One's if not given. ``url`` is the
    server's root, its ``/v1`` or the full path. ``model`` is the name to ask for; without one it is
    the single entry of ``GET /v1/models``, else ``default``. ``timeout`` is the longest that one attempt may take,
    ``retries`` the attempts after the first; none starts later than ``total_timeout`` after the first (seconds).
    ``down_after`` failures in a row are taken to mean that the model is down. ``launch`` is the command that started
    the server, for the record; ``secrets`` are texts to hide besides the key. ``gone`` says why nothing can answer
    any more, or None: it is asked when a connection fails. ``on_close`` is called once, when the model is closed.
    ``meter`` stands before each attempt to answer a request: what it raises is raised by :meth:`ask`. ``sleep`` and
    ``tell`` (a line for the person who waits) are injected.

    Threads may share it: one request is on its way at a time, in the order in which they lined up at :attr:`turn`,
    while others write theirs or read their answers.

    Nothing is sent before the first :meth:`ask` or the first look at :attr:`identity`. Raises :class:`InputError`
    for a URL, a key or a proxy variable that cannot be used.
    """

    def __init__(
        self,
        url: str,
        *,
        dialect: Dialect = SYSTEMONE,
        model: str | None = None,
        api_key: str | None = None,
        revision: str = "",
        launch: str = "",
        timeout: float = 60.0,
        retries: int = 4,
        total_timeout: float = 300.0,
        down_after: int = DOWN_AFTER,
        environ: Mapping[str, str] | None = None,
        secrets: tuple[str, ...] = (),
        gone: Callable[[], str | None] | None = None,
        on_close: Callable[[], None] | None = None,
        meter: Meter | None = None,
        sleep: Callable[[float], None] = time.sleep,
        tell: Callable[[str], None] = _log.warning,
    ) -> None:
        self._dialect = dialect
        self._endpoint = endpoint(url, route=dialect.route)
        key = _usable_key(api_key)
        if key and self._endpoint.authorization:
            raise InputError(
                "the URL has a user name and an API key is given too, and a request carries only one of them",
                place=Place(field="URL"),
                advice="Take the user name out of the URL, or unset the key",
            )
        proxy = proxy_for(self._endpoint, os.environ if environ is None else environ)
        hidden = (*self._endpoint.secrets, *secrets, *(proxy.secrets if proxy else ()), *([key] if key else []))
        self._redact = Redactor(hidden)
        authorization = f"Bearer {key}" if key else self._endpoint.authorization
        connection = Connection(authorization, proxy, timeout, self._endpoint.scheme == "https")
        self._connection: Connection = connection if dialect.wire is None else dialect.wire(connection)
        self.record: Recorder | None = None
        """Told of each attempt, where somebody keeps them."""
        self._proxy_variable = proxy.variable if proxy else ""
        self._has_key = authorization is not None
        self._log_filter = LogFilter(self._redact)
        self._log_filter.install()
        self._name = model or None
        self._name_source: NameSource = "given"
        self._listed: tuple[str, ...] = ()
        self._revision = revision
        self._launch = launch
        self._retrier = Retrier(RetryPolicy(retries=retries, total=total_timeout), sleep, tell)
        self._streak = FailureStreak(down_after)
        self.turn = Turn()
        """Who may ask next; see :meth:`ask`."""
        self._sleep = sleep
        self._gone = gone
        self._on_close = on_close
        self._meter = meter
        self._answered_once = False
        self._replied = False

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.address!r}, model={self._name!r})"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def address(self) -> str:
        """The URL asked, without secrets."""
        return self._endpoint.address

    @property
    def name(self) -> str:
        """The model name sent; asks the server for it once where none was given.

        Raises :class:`Unreachable` where nothing listens.
        """
        if self._name is None:
            self._listed = self._find_names()
            single = len(self._listed) == 1
            self._name = self._listed[0] if single else DEFAULT_NAME
            self._name_source = "listed" if single else "assumed"
        return self._name

    @property
    def name_source(self) -> NameSource:
        """Whether the name was given, listed by the server as its only one, or assumed for lack of both."""
        return self._name_source if self.name else "assumed"

    @property
    def listed(self) -> tuple[str, ...]:
        """The names the server listed when it was asked for one."""
        return self._listed

    @property
    def heard(self) -> bool:
        """Whether anything ever came back from the address."""
        return self._answered_once

    @property
    def identity(self) -> Identity:
        return self._dialect.identity(self.name, self._revision, self._launch, self.address)

    def ask(self, request: Request) -> Reply:
        """The reply to one request.

        Raises :class:`Refused`, :class:`Unreachable`, :class:`ModelDown` or :class:`AnswerFormatError`.
        """
        self._streak.check()
        sending = Sending(request, self._dialect.write(request, self.name).encode())
        done = self._asked(sending) if self._meter is None else self._metered(sending, self._meter)
        if isinstance(done.outcome, Reply):
            self._streak.alive()
            self._replied = True
            return done.outcome
        raise self._failure(done.outcome, done) from None

    def give_up_late_answers_if(self, somebody_else: Callable[[], bool]) -> None:
        """From now on a request that timed out is not tried again here while there is somebody else to ask it."""
        self._retrier.somebody_else = somebody_else

    def close(self) -> None:
        self._connection.close()
        self._log_filter.remove()
        on_close, self._on_close = self._on_close, None
        if on_close is not None:
            on_close()

    def listens(self) -> None:
        """Raise :class:`Unreachable` where nothing takes a connection; whatever answers will do."""
        received = self._send("GET", self._endpoint.models, None)
        if isinstance(received, Trouble) and received.kind == "absent":
            raise Unreachable(f"{self.address}: {received.message}. Start the server, or correct the URL")

    def _asked(self, sending: Sending) -> Attempted:
        """The attempts of one request. The turn ends as soon as an answer is here, and with the last attempt."""
        began = time.monotonic()

        def start(waited: bool) -> None:
            self._end_if_ended(waited)
            self._connection.begin("POST", self._endpoint.ask, sending.body)

        self.turn.enter(start)
        try:
            received = self._told(self._connection.finish())
            if isinstance(received, Trouble) or not received.ok:
                return self._tried_again(self._read(received, sending, 1), sending, began)
        finally:
            self.turn.end()
        outcome = self._read(received, sending, 1)
        if isinstance(outcome, Reply):
            return Attempted(outcome, 1)
        self.turn.enter(self._end_if_ended)
        try:
            return self._tried_again(outcome, sending, began)
        finally:
            self.turn.end()

    def _end_if_ended(self, waited: bool) -> None:
        """Raise what the injected sleep raises where the run has ended while this thread waited."""
        if waited:
            self._sleep(0.0)

    def _tried_again(self, first: Reply | Trouble, sending: Sending, began: float) -> Attempted:
        """What follows on the outcome of a first attempt that began then."""
        spent = time.monotonic() - began
        return self._retrier.run(lambda number: first if number == 1 else self._attempt(sending, number), spent)

    def _metered(self, sending: Sending, meter: Meter) -> Attempted:
        """The attempts of one request, each paced and paid for in the order in which they are sent."""

        def attempt(number: int) -> Reply | Trouble:
            with meter.attempt(sending.request, self._bound(sending)) as bill:
                outcome = self._attempt(sending, number)
                if isinstance(outcome, Reply):
                    meter.bill(bill, outcome)
                return outcome

        self.turn.enter(self._end_if_ended)
        try:
            return self._retrier.run(attempt)
        finally:
            self.turn.end()

    def _bound(self, sending: Sending) -> TokenBound:
        """The tokens that one attempt can use at most, with all that the dialect puts around the request."""
        longest = self._dialect.longest_output
        return most_tokens(sending.request, longest_output=longest, sent_bytes=len(sending.body))

    def _attempt(self, sending: Sending, number: int) -> Reply | Trouble:
        return self._read(self._send("POST", self._endpoint.ask, sending.body), sending, number)

    def _read(self, received: Received | Trouble, sending: Sending, number: int) -> Reply | Trouble:
        if self.record is not None:
            self.record(self._exchange(received, sending))
        if isinstance(received, Trouble):
            return received
        read = self._dialect.read
        outcome = read_response(received, self._redact, number, lambda value: read(value, sending.request))
        if isinstance(outcome, Trouble) and outcome.kind == "again":
            return _waiting(outcome, received)
        return outcome

    def _exchange(self, received: Received | Trouble, sending: Sending) -> Exchange:
        sent = self._redact(sending.body.decode())
        if isinstance(received, Trouble):
            return Exchange(sent, None, received.status, problem=received.message)
        return Exchange(sent, text_of_body(received, self._redact), received.status, received.seconds)

    def _send(self, method: str, url: str, body: bytes | None) -> Received | Trouble:
        return self._told(self._connection.send(method, url, body))

    def _told(self, received: Received | Trouble) -> Received | Trouble:
        """What came back, as a person may see it."""
        if isinstance(received, Received):
            self._answered_once = True
            return received
        message = self._redact(received.message)
        if received.kind == "absent":
            if self._proxy_variable:
                message += f" (through the proxy that {self._proxy_variable} names)"
            if self._answered_once and not self._why_gone():  # it may only be restarting
                return replace(received, kind="again", message=message)
        return replace(received, message=message)

    def _why_gone(self) -> str | None:
        return self._gone() if self._gone is not None else None

    def _find_names(self) -> tuple[str, ...]:
        found: Received | Trouble = Trouble("again", "")

        def attempt(_: int) -> Reply | Trouble:
            nonlocal found
            found = self._send("GET", self._endpoint.models, None)
            if isinstance(found, Trouble):
                return found
            if found.status in (408, 429, 502, 503, 504, 529):
                return _waiting(Trouble("again", f"HTTP {found.status}", found.status), found)
            return Reply({})

        done = self._retrier.run(attempt)
        if isinstance(done.outcome, Trouble) and done.outcome.kind == "absent":
            raise self._failure(done.outcome, done)
        return model_names(found) if isinstance(found, Received) else ()

    def _failure(self, trouble: Trouble, done: Attempted) -> ModelError | AnswerFormatError:
        facts: dict[str, Any] = {"status": trouble.status, "body": trouble.body, "attempts": done.attempts}
        if trouble.kind == "format":
            self._streak.alive()
            return AnswerFormatError(f"{self.address}: {trouble.message}")
        if trouble.kind == "refused":
            self._streak.alive()
            return Refused(
                f"the server refused the request: {trouble.message}{advice(trouble.status, self._standing())}", **facts
            )
        gone = self._why_gone()
        if gone:
            return self._streak.down(gone, Unreachable(gone, **facts))
        if trouble.kind == "absent":
            return self._streak.failed(
                Unreachable(f"{self.address}: {trouble.message}. Start the server, or correct the URL", **facts)
            )
        often = f"{done.attempts} attempts" if done.attempts > 1 else "1 attempt"
        stopped = f" ({done.stopped})" if done.stopped else ""
        error = Unreachable(
            f"{self.address}: no usable answer after {often}{stopped}; the last: {trouble.message}", **facts
        )
        error.timed_out = trouble.timed_out
        return self._streak.failed(error, 1 if trouble.connected else done.attempts)

    def _standing(self) -> Standing:
        assumed = self._name_source == "assumed" and not self._replied
        return Standing(self.address, self._has_key, DEFAULT_NAME if assumed else "", self._listed)


class Sending(NamedTuple):
    """A request and its body as it is sent."""

    request: Request
    body: bytes


def _waiting(trouble: Trouble, received: Received) -> Trouble:
    """The trouble with the wait that the server asks for."""
    wait = asked_wait(received.headers, datetime.now(timezone.utc))
    return replace(trouble, wait=wait)


def _usable_key(key: str | None) -> str | None:
    key = (key or "").strip()
    if not all("!" <= character <= "~" for character in key):
        raise InputError(
            "the API key has a space, a line break or a character that no HTTP header can carry",
            place=Place(field="API key"),
            advice="Copy the key again",
        )
    return key or None
