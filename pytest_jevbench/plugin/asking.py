"""What one process asks: the model it was given, opened at its first use, with the answer store in front of it."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from pytest_jevbench.errors import JevbenchError
from pytest_jevbench.models.opening import Replicas
from pytest_jevbench.models.protocol import Identity, Model, Reply
from pytest_jevbench.models.store_check import check_first_reply
from pytest_jevbench.questions import Request
from pytest_jevbench.runs.answered import Answered, Unanswered
from pytest_jevbench.runs.asking import Asker, Tally, unanswered

if TYPE_CHECKING:
    from pytest_jevbench.models.private_store import PrivateAnswers, PrivateStore
    from pytest_jevbench.models.store import AnswerStore, ModelAnswers

__all__ = ["NOBODY_YET", "ProcessModel"]

Opener = Callable[["pytest.Item | None"], Replicas]
NOBODY_YET = object()
"""No model has answered yet, so the name it answers under is not known."""


class StoredAnswersError(JevbenchError):
    """The stored answers are not those of the model that answers now."""


class ProcessModel:
    """The model of this process.

    ``opener`` makes it; it gets the item that needs it first, or None. ``open_store`` opens the answer store, once.
    ``tolerance`` is how far a fresh answer may be from the stored one before the store counts as another model's.
    ``answered`` is the name the model answered its first request under, where another process has asked that already.
    """

    def __init__(
        self,
        opener: Opener,
        open_store: Callable[[], AnswerStore | PrivateStore],
        tolerance: float,
        answered: Any = NOBODY_YET,
    ) -> None:
        self._opener = opener
        self._open_store = open_store
        self._tolerance = tolerance
        self.replicas: Replicas | None = None
        self._store: AnswerStore | PrivateStore | None = None
        self._answers: ModelAnswers | PrivateAnswers | None = None
        self._identity: Identity | None = None
        self._asker: Asker | None = None
        self.answered = answered
        self.broken = ""
        """Why the model could not be opened."""

    @property
    def identity(self) -> Identity | None:
        """Who is asked, once it is open here or in a worker."""
        return self._identity if self.replicas is None else self.replicas[0].identity

    def know(self, identity: Identity, answered: str | None) -> None:
        """Take in who a worker asked, so that what it stored can be read here."""
        if self._answers is None:
            self._identity, self.answered = identity, answered
            self._answers = self.store.answers_of(identity, answered)

    @property
    def store(self) -> AnswerStore | PrivateStore:
        """The answer store, opened at the first call."""
        if self._store is None:
            self._store = self._open_store()
        return self._store

    def model(self, item: pytest.Item | None = None) -> Model:
        """The model, opened at the first call."""
        if self.replicas is None:
            self.replicas = self._opener(item)
        return self.replicas[0]

    def start(self, first: Request, item: pytest.Item | None = None) -> Answered:
        """Open the model and ask it one request afresh; what is stored must fit the answer.

        Raises what opening raises, and a :class:`~pytest_jevbench.errors.JevbenchError` where the stored answer to the
        same request is another model's.
        """
        model = self.model(item)
        if self.store.mode == "offline":
            self.answered = None
            return self._ready(model).ask(first)
        try:
            reply = model.ask(first)
        except Exception as error:
            return unanswered(error)
        self.answered = reply.model
        asker = self._ready(model)
        assert self._answers is not None
        drift = check_first_reply(self._answers, first, reply, self._tolerance)
        if drift is not None and drift.exceeded and self.store.mode == "use":
            raise StoredAnswersError(str(drift))
        asker.tally.requests += reply.attempts
        asker.tally.seconds += reply.seconds
        return asker.ask(first)

    def asker(self, first: Request, item: pytest.Item) -> Asker:
        """The asker in front of the model. A model that cannot be opened stops the session: nothing can be judged."""
        if self._asker is None:
            try:
                if self.answered is NOBODY_YET:
                    problem = self.start(first, item)
                    if isinstance(problem, Unanswered):
                        self.answered = None
                self._ready(self.model(item))
            except Exception as error:
                self.broken = f"{type(error).__name__}: {error}"
                item.session.shouldstop = f"the model could not be opened ({self.broken})"
                raise
        assert self._asker is not None
        return self._asker

    def _ready(self, model: Model) -> Asker:
        if self._asker is None:
            answers = self._answers = self.store.answers_of(
                model.identity, None if self.answered is NOBODY_YET else self.answered
            )

            def answer(request: Request) -> tuple[Reply, bool]:
                return answers.answer(request, model.ask)

            self._asker = Asker(answer)
        return self._asker

    def stored(self, request: Request) -> Reply | None:
        """What the store holds for a request, without asking."""
        if self._answers is None:
            return None
        recorded = self._answers.get(request)
        return recorded if isinstance(recorded, Reply) else None

    def tally(self) -> Tally:
        """What has been asked so far."""
        return Tally() if self._asker is None else copy.copy(self._asker.tally)

    def spent_since(self, earlier: Tally) -> list[Any]:
        """Requests, hits and seconds since an earlier tally, as plain JSON."""
        spent = self.tally().since(earlier)
        return [spent.requests, spent.hits, round(spent.seconds, 6)]

    def close(self) -> None:
        """Close model and store if they were opened."""
        if self.replicas is not None:
            self.replicas.close()
            self.replicas = None
        if self._store is not None:
            self._store.close()
            self._store = None
