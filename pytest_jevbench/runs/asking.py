"""Asking a model for a run: each distinct request once, every failure turned into a reason.

What was asked is kept by the answer store; a small window of read answers stays in memory, because the tests of
one case share most of their requests.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from pytest_jevbench.answers import read_answers
from pytest_jevbench.errors import (
    AnswerFormatError,
    ModelDown,
    ModelError,
    NotStored,
    OverBudget,
    Overspent,
    Refused,
)
from pytest_jevbench.models.protocol import Reply
from pytest_jevbench.questions import Request
from pytest_jevbench.runs.answered import Answered, Answers, AskedRequest, Unanswered
from pytest_jevbench.runs.results import Reason

__all__ = ["Asker", "Tally", "answers_of", "unanswered"]

WINDOW = 256
"""How many requests' read answers are kept in memory."""


@dataclass
class Tally:
    """What a run's asking came to; not part of what a card must repeat.

    ``requests`` were sent (retries included), ``hits`` came from the store, ``seconds`` is the time the model took.
    """

    requests: int = 0
    hits: int = 0
    seconds: float = 0.0

    def since(self, earlier: Tally) -> Tally:
        """What was added since an earlier state."""
        return Tally(
            self.requests - earlier.requests, self.hits - earlier.hits, max(0.0, self.seconds - earlier.seconds)
        )


def unanswered(error: Exception) -> Unanswered:
    """Why a request brought no answers, by the exception it ended in. Anything unexpected is raised again."""
    if isinstance(error, (OverBudget, Overspent)):
        return Unanswered("over_budget", str(error))
    if isinstance(error, Refused):
        return Unanswered("refused", str(error))
    if isinstance(error, AnswerFormatError):
        return Unanswered("invalid", str(error))
    if isinstance(error, NotStored):
        return Unanswered("unreachable", str(error))
    if isinstance(error, ModelError):
        return Unanswered("unreachable", str(error))
    raise error


class Asker:
    """Answers to requests, each asked once. Safe to use from several threads.

    ``answer`` takes a request and the slot that asks to the reply and whether that came from the store; it raises what
    models raise.
    """

    def __init__(self, answer: Callable[[Request, int], tuple[Reply, bool]]) -> None:
        self._answer = answer
        self._known: OrderedDict[str, Answered] = OrderedDict()
        self._failed: dict[str, Unanswered] = {}
        self._lock = threading.Lock()
        self.tally = Tally()
        self.down: ModelDown | Overspent | None = None
        """Set once the model is down or the budget is broken: nothing more is asked."""

    def known(self, key: str) -> Answered | None:
        """What is at hand for a request by its key, without asking."""
        with self._lock:
            known = self._known.get(key)
            if known is None:
                return self._failed.get(key)
            self._known.move_to_end(key)
            return known

    def ask(self, request: Request, slot: int = 0) -> Answered:
        """The answers to a request, from memory, the store or the model."""
        known = self.known(request.key)
        if known is not None:
            return known
        if self.down is not None:
            return Unanswered(_reason_of(self.down), str(self.down))
        try:
            reply, hit = self._answer(request, slot)
        except Exception as error:
            return self._fail(request, error)
        answers = answers_of(request, reply)
        with self._lock:
            if hit:
                self.tally.hits += 1
            else:
                self.tally.requests += reply.attempts
                self.tally.seconds += reply.seconds
            self._known[request.key] = answers
            if len(self._known) > WINDOW:
                self._known.popitem(last=False)
        return answers

    def _fail(self, request: Request, error: Exception) -> Unanswered:
        failed = unanswered(error)
        with self._lock:
            if isinstance(error, (ModelDown, Overspent)):
                self.down = error
            if isinstance(error, ModelError) and error.attempts:
                self.tally.requests += error.attempts
            self._failed[request.key] = failed
        return failed


def _reason_of(error: Exception) -> Reason:
    return "over_budget" if isinstance(error, (OverBudget, Overspent)) else "unreachable"


def answers_of(request: Request, reply: Reply) -> Answers:
    """What a reply says in answer to a request."""
    read = read_answers(request.questions, reply.answers)
    notes: Counter[str] = Counter(note for answer in read.values() for note, _ in answer.notes)
    return Answers(
        distributions={key: a.distribution for key, a in read.items() if a.distribution is not None},
        problems={key: a.problem for key, a in read.items() if a.distribution is None},
        raw=reply.answers,
        asked=AskedRequest(request.key, dict(notes), reply.model, reply.usage.input_tokens, reply.usage.output_tokens),
    )
