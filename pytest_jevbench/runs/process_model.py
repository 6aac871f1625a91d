"""What one process asks: the model it was given, opened at its first use, with the answer store in front of it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from pytest_jevbench.errors import JevbenchError, ModelError
from pytest_jevbench.models.protocol import Identity, Model, Reply
from pytest_jevbench.models.replica_check import check_answers, check_names
from pytest_jevbench.models.replica_pool import ReplicaPool
from pytest_jevbench.models.store_check import check_first_reply
from pytest_jevbench.models.stored_reply import decode, encode
from pytest_jevbench.plans.plan import PlannedTest
from pytest_jevbench.questions import Case, Request
from pytest_jevbench.runs.answered import Answered, Unanswered
from pytest_jevbench.runs.ask_ahead import AskAhead, Coming, Stop, window_of
from pytest_jevbench.runs.asking import Asker, Tally, unanswered
from pytest_jevbench.runs.judge import requests_of

if TYPE_CHECKING:
    from pytest_jevbench.models.metering import Meter
    from pytest_jevbench.models.opening import ModelSpec
    from pytest_jevbench.models.private_store import PrivateAnswers, PrivateStore
    from pytest_jevbench.models.slots import Opened
    from pytest_jevbench.models.store import AnswerStore, ModelAnswers

__all__ = ["NOBODY_YET", "ModelOpener", "ProcessModel"]

NOBODY_YET = object()
"""No model has answered yet, so the name it answers under is not known."""


class StoredAnswersError(JevbenchError):
    """The stored answers are not those of the model that answers now."""


class ModelOpener(Protocol):
    """Opens the model of a process, once; ``wanted_by`` is whatever needs it first, where that matters.

    ``meter`` counts what is sent, if anything is counted. ``from_spec`` is whether a :class:`ModelSpec` says who is
    asked; ``spec`` is that.
    """

    meter: Meter | None

    def __call__(self, wanted_by: Any, /) -> Opened: ...

    @property
    def from_spec(self) -> bool: ...

    @property
    def spec(self) -> ModelSpec: ...


class ProcessModel:
    """The model of this process.

    ``opener`` makes it, ``open_store`` opens the answer store, each once. ``tolerance`` is how far a fresh answer may
    be from the stored one before the store counts as another model's. ``stop`` ends what waits. ``slot`` is the one
    that this process asks first. ``answered`` is the name the model answered its first request under, and ``identity``
    who it is, where another process has asked that already; ``far`` is whether that was on another machine. ``tell``
    gets a line for each replica that went away.
    """

    def __init__(
        self,
        opener: ModelOpener,
        open_store: Callable[[], AnswerStore | PrivateStore],
        tolerance: float,
        stop: Stop,
        *,
        slot: int = 0,
        far: bool = False,
        answered: Any = NOBODY_YET,
        identity: Identity | None = None,
        tell: Callable[[str], None] | None = None,
    ) -> None:
        self._tell = tell or _notify
        self._opener = opener
        self._open_store = open_store
        self._tolerance = tolerance
        self._stop = stop
        self._slot = slot
        self._far = far
        self._identity = identity
        self.answered = answered
        self._opened: Opened | None = None
        self._pool: ReplicaPool | None = None
        self._store: AnswerStore | PrivateStore | None = None
        self._answers: ModelAnswers | PrivateAnswers | None = None
        self._asker: Asker | None = None
        self._ahead: AskAhead | None = None
        self._tests: Sequence[tuple[PlannedTest, Case]] = ()
        self._repeats = 1
        self._told = Tally()
        self._later: list[tuple[list[Request], Mapping[str, str]]] = []
        self.broken = ""
        """Why the model could not be opened."""

    @property
    def identity(self) -> Identity | None:
        """Who is asked, once it is open here or in a worker. Replicas are one model: the first one's identity."""
        if self._identity is None and self._opened is not None:
            self._identity = self._opened.models[0].identity
        return self._identity

    @property
    def urls(self) -> tuple[str, ...]:
        """Where the open replicas are asked, if by URL."""
        return self._opened.models.urls if self._opened is not None else ()

    @property
    def offline(self) -> bool:
        return self.store.mode == "offline"

    @property
    def trouble(self) -> str:
        """Why nothing more is asked, or nothing."""
        if self._asker is not None and self._asker.down is not None:
            return str(self._asker.down)
        meter = self._opener.meter
        return str(meter.overspent) if meter is not None and meter.overspent is not None else ""

    def know(self, identity: Identity, answered: str | None) -> None:
        """Take in who a worker asked, so that what it stored can be read here."""
        if self._answers is None:
            self._identity, self.answered = identity, answered
            self._answers = self.store.answers_of(identity, answered)
        later, self._later = self._later, []
        for requests, texts in later:
            self.keep(requests, texts)

    @property
    def store(self) -> AnswerStore | PrivateStore:
        """The answer store, opened at the first call."""
        if self._store is None:
            self._store = self._open_store()
        return self._store

    def model(self, wanted_by: Any = None) -> Model:
        """The model of this process's slot, opened at the first call."""
        opened = self._open(wanted_by)
        return opened.models[self._slot]

    def start(self, first: Request, wanted_by: Any = None) -> Answered:
        """Open the model and ask it one request afresh; what is stored must fit the answer.

        Offline nothing is opened. Raises what opening raises, and a :class:`~pytest_jevbench.errors.JevbenchError`
        where the stored answer to the same request is another model's, or replicas are not of one model.
        """
        if self.offline:
            return self._ready().ask(first)
        self._open(wanted_by)
        if wanted_by is None:
            check_names(self._replicas())
        assert self._pool is not None
        try:
            reply = self._pool.ask(first, self._slot)
        except Exception as error:
            return unanswered(error)
        self.answered = reply.model
        asker = self._ready()
        assert self._answers is not None
        drift = check_first_reply(self._answers, first, reply, self._tolerance)
        if drift is not None and drift.exceeded and self.store.mode == "use":
            raise StoredAnswersError(str(drift))
        asker.tally.requests += reply.attempts
        asker.tally.seconds += reply.seconds
        if wanted_by is None:
            others = check_answers(self._replicas(), first, reply, self._tolerance) if len(set(self.urls)) > 1 else ()
            try:
                for other in others:
                    asker.tally.requests += other.attempts
                    asker.tally.seconds += other.seconds
            except ModelError as error:
                return unanswered(error)
        return asker.ask(first)

    def close_model(self) -> None:
        """Close the model alone, keeping who it is: workers open their own."""
        opened, self._opened, self._pool = self._opened, None, None
        if opened is not None:
            if self._asker is not None:
                self._identity = self._identity or opened.models[0].identity
            opened.models.close()

    def ask_ahead_of(self, tests: Sequence[tuple[PlannedTest, Case]], repeats: int = 1) -> None:
        """From now on, ask for the answers that these tests will need, in their order, as soon as the model is open.

        Base requests are asked ``repeats`` times.
        """
        self._tests, self._repeats = tests, repeats
        if self._asker is not None:
            self._start_ahead(0)

    def stop_ahead(self, seconds: float) -> None:
        """Send nothing new, and wait so long for what is on its way."""
        self._tests = ()
        if self._ahead is not None:
            self._ahead.close(seconds)
            self._ahead = None

    def for_test(self, case: Case, turn: int = 0, wanted_by: Any = None) -> Callable[[Request], Answered]:
        """What answers the requests of a test that begins; ``turn`` is its place among those that are asked ahead.

        Raises what opening raises; ``broken`` says so from then on.
        """
        if self._asker is None:
            try:
                if self.answered is NOBODY_YET:
                    problem = self.start(case.request(), wanted_by)
                    if isinstance(problem, Unanswered):
                        self.answered = None
                self._ready(wanted_by)
            except Exception as error:
                self.broken = f"{type(error).__name__}: {error}"
                raise
            self._start_ahead(turn)
        asker = self._asker
        assert asker is not None
        if self._ahead is not None:
            self._ahead.begin(turn)
            return self._ahead.answer
        return lambda request: asker.ask(request, self._slot)

    def after_tests(self) -> Callable[[Request], Answered]:
        """What answers requests when all tests are through; a model that was closed for the workers' sake is opened."""
        asker = self._ready()
        if not self.offline:
            self._open(None)
        return lambda request: asker.ask(request, self._slot)

    def stored(self, request: Request) -> Reply | None:
        """What the store holds for a request, without asking."""
        if self._answers is None:
            return None
        recorded = self._answers.get(request, request.repeat)
        return recorded if isinstance(recorded, Reply) else None

    @property
    def far(self) -> bool:
        """Whether the controller cannot see this process's store, so that reports have to carry the answers."""
        return self._far

    def texts(self, requests: Iterable[Request]) -> dict[str, str]:
        """The stored answers to some requests by key, as they lie in the store."""
        replies = {request.key: self.stored(request) for request in requests}
        return {key: encode(reply) for key, reply in replies.items() if reply is not None}

    def keep(self, requests: Iterable[Request], texts: Mapping[str, str]) -> None:
        """Put the answers that a worker on another machine got into the store here, as though they were asked here."""
        if self._answers is None:  # nobody has told yet who was asked
            self._later.append((list(requests), texts))
            return
        for request in requests:
            if request.key in texts:
                self._answers.put(request, decode("answered", texts[request.key]), request.repeat)

    def missing(self, requests: Iterator[Request]) -> list[Request]:
        """The distinct requests that the store has no answer to."""
        self._ready()
        assert self._answers is not None
        by_repeat: dict[int, list[Request]] = {}
        for request in requests:
            by_repeat.setdefault(request.repeat, []).append(request)
        return [one for repeat, some in sorted(by_repeat.items()) for one in self._answers.missing(some, repeat)]

    def newly_spent(self) -> list[Any]:
        """Requests, hits and seconds since the last call, as plain JSON."""
        now = Tally() if self._asker is None else copy.copy(self._asker.tally)
        spent = now.since(self._told)
        self._told = now
        return [spent.requests, spent.hits, round(spent.seconds, 6)]

    def close(self, *, complete: bool | None = None) -> None:
        """Close model and store if they were opened. The run's controller says whether the run was ``complete``."""
        self.stop_ahead(0.0)
        self.close_model()
        if self._store is not None:
            if complete is not None:
                self._store.end_run(complete=complete)
            self._store.close()
            self._store = None

    def _open(self, wanted_by: Any) -> Opened:
        if self._opened is None:
            opened = self._opened = self._opener(wanted_by)
            self._slot %= len(opened.models)
            self._pool = ReplicaPool(opened.models, replicas=opened.replicas, holds=opened.holds, tell=self._tell)
        return self._opened

    def _replicas(self) -> Sequence[Model]:
        """One model for each replica."""
        assert self._opened is not None
        return self._opened.models[: self._opened.replicas]

    def _ready(self, wanted_by: Any = None) -> Asker:
        if self._asker is None:
            store = self.store
            if self.offline and self._identity is None:
                from pytest_jevbench.runs.replaying import recorded_model

                self._identity, self.answered = recorded_model(
                    self._opener.spec if self._opener.from_spec else None, store
                )
            elif not self.offline:
                self._open(wanted_by)
            assert self.identity is not None
            answers = store.answers_of(self.identity, None if self.answered is NOBODY_YET else self.answered)
            self._answers = answers

            def answer(request: Request, slot: int) -> tuple[Reply, bool]:
                return answers.answer(request, lambda asked: self._send(asked, slot), request.repeat)

            self._asker = Asker(answer)
        return self._asker

    def _send(self, request: Request, slot: int) -> Reply:
        assert self._pool is not None
        return self._pool.ask(request, slot)

    def _start_ahead(self, position: int) -> None:
        if not self._tests or self._ahead is not None or self._opened is None or not self._opened.ahead:
            return
        assert self._asker is not None
        assert self._pool is not None
        self._ahead = AskAhead(
            self._asker,
            self._asker.ask,
            self._pool.threads,
            _coming(self._tests, position, self._repeats),
            stop=self._stop,
            window=window_of(len(self._pool)),
            is_gone=self._pool.is_gone,
            line_up=self._pool.line_up,
            leave=self._pool.leave,
        )


def _coming(tests: Sequence[tuple[PlannedTest, Case]], begin: int, repeats: int) -> Iterator[Coming]:
    """The requests of tests in their order; those that tests of one case share come once."""
    case_id, seen = "", set[str]()
    for turn in range(begin, len(tests)):
        test, case = tests[turn]
        if case.id != case_id:
            case_id, seen = case.id, set()
        for request in requests_of(test, case, repeats):
            if request.key not in seen:
                seen.add(request.key)
                yield Coming(turn, request)


def _notify(message: str) -> None:
    from pytest_jevbench.warning import notify

    notify(message)
