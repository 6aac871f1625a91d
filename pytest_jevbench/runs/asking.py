"""Asking a model for a run: each distinct request once, every failure turned into a reason.

What was asked is kept by the answer store; a small window of read answers stays in memory, because the tests of
one case share most of their requests.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from pytest_jevbench.answers import read_answers
from pytest_jevbench.errors import (
    AnswerFormatError,
    ModelDown,
    ModelError,
    NotStored,
    OverBudget,
    Refused,
)
from pytest_jevbench.models.protocol import Reply
from pytest_jevbench.questions import Request
from pytest_jevbench.runs.judge import Answered, Answers, Unanswered

__all__ = ["Asker", "Tally", "unanswered"]

WINDOW = 256
"""How many requests' read answers are kept in memory."""


@dataclass
class Tally:
    """What a run's asking came to; counts add up over workers.

    ``requests`` were sent (retries included), ``hits`` came from the store, ``seconds`` is the time the model took to
    answer. ``notes`` counts harmless oddities of answers, ``models`` the names answered under.
    """

    requests: int = 0
    hits: int = 0
    seconds: float = 0.0
    input_tokens: int = 0
    output_tokens: int = 0
    notes: Counter[str] = field(default_factory=Counter)
    models: Counter[str] = field(default_factory=Counter)

    def add(self, reply: Reply, hit: bool) -> None:
        """Count one reply."""
        if hit:
            self.hits += 1
        else:
            self.requests += reply.attempts
            self.seconds += reply.seconds
        self.input_tokens += reply.usage.input_tokens or 0
        self.output_tokens += reply.usage.output_tokens or 0
        if reply.model is not None:
            self.models[reply.model] += 1


def unanswered(error: Exception) -> Unanswered:
    """Why a request brought no answers, by the exception it ended in. Anything unexpected is raised again."""
    if isinstance(error, OverBudget):
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

    ``answer`` takes a request to its reply and whether that came from the store; it raises what models raise.
    """

    def __init__(self, answer: Callable[[Request], tuple[Reply, bool]]) -> None:
        self._answer = answer
        self._known: OrderedDict[str, Answered] = OrderedDict()
        self._failed: dict[str, Unanswered] = {}
        self._noted: set[str] = set()
        self._lock = threading.Lock()
        self.tally = Tally()
        self.down: ModelDown | None = None
        """Set once the model is down: nothing more is asked."""

    def ask(self, request: Request) -> Answered:
        """The answers to a request, from memory, the store or the model."""
        digest = request.digest
        with self._lock:
            known = self._known.get(digest) or self._failed.get(digest)
            if known is not None:
                if digest in self._known:
                    self._known.move_to_end(digest)
                return known
        if self.down is not None:
            return Unanswered("unreachable", str(self.down))
        try:
            reply, hit = self._answer(request)
        except Exception as error:
            if isinstance(error, ModelDown):
                self.down = error
            failed = unanswered(error)
            with self._lock:
                if isinstance(error, ModelError) and error.attempts:
                    self.tally.requests += error.attempts
                self._failed[digest] = failed
            return failed
        answers = self._read(request, reply)
        with self._lock:
            self.tally.add(reply, hit)
            self._known[digest] = answers
            if len(self._known) > WINDOW:
                self._known.popitem(last=False)
        return answers

    def _read(self, request: Request, reply: Reply) -> Answers:
        read = read_answers(request.questions, reply.answers)
        if request.digest not in self._noted:
            self._noted.add(request.digest)
            notes = [note for answer in read.values() for note, _ in answer.notes]
            with self._lock:
                self.tally.notes.update(notes)
        return Answers(
            distributions={key: a.distribution for key, a in read.items() if a.distribution is not None},
            problems={key: a.problem for key, a in read.items() if a.distribution is None},
            raw=reply.answers,
        )
