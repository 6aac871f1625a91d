"""One violated test, made smaller as long as it stays violated: its batch, its options and levels, its state."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeAlias

from pytest_jevbench.json_text import JSON
from pytest_jevbench.plans.plan import PlannedTest, TestId
from pytest_jevbench.questions import Case, Choice, Question, Request, Score
from pytest_jevbench.relations.base import TOLERANCE, Trial
from pytest_jevbench.relations.known import BUILT_IN, Relations
from pytest_jevbench.rewrite_bank import RewriteBank
from pytest_jevbench.runs.answered import Answered
from pytest_jevbench.runs.judge import judge, requests_of
from pytest_jevbench.runs.results import Outcome, TestResult
from pytest_jevbench.shrinking.ddmin import ddmin
from pytest_jevbench.shrinking.pieces import grains, pieces_of
from pytest_jevbench.shrinking.redrawn import (
    chooses_target,
    fewest_rewrites,
    redrawn,
    translations_of,
    without_needless_facts,
)

__all__ = ["REQUESTS", "Alone", "Ended", "Shrunk", "Size", "shrink"]

REQUESTS = 100
"""How many distinct requests the reduction of one test may need."""

Ended: TypeAlias = Literal["minimal", "requests", "over_budget", "unreachable", "not_repeated"]
"""Why a reduction ended: nothing can be left out any more; the bound on requests; the budget; no model; or the
relation, drawn anew for a case with an id of its own, is kept."""

Alone: TypeAlias = Literal["persists", "gone", "no_such_form", "not_judged"]
"""What becomes of a violation where the targets are asked without the rest of the batch. A relation about the batch
itself has no such form."""

_TRIALS = 2
"""How many trials are tried on a smaller case where none has the parameters of the last one."""
_FIRST_TRIALS = 8
"""The same for the first, on the whole case under its new id."""


@dataclass(frozen=True, slots=True)
class Size:
    """How large a case is: its questions, the options and levels of all of them, the characters of its base request."""

    questions: int
    options: int
    characters: int

    @classmethod
    def of(cls, case: Case) -> Size:
        criteria = (len(_criteria(question)) for question in case.questions.values())
        return cls(len(case.questions), sum(criteria), len(case.request().body_text()))


@dataclass(frozen=True, slots=True)
class Shrunk:
    """A violated test and the smallest form of it that was found.

    ``case`` and ``trial`` are that form, and building ``trial``'s relation on ``case`` with ``bank`` and ``seed`` gives
    it again; ``seed`` is None where nothing could be tried, and they are the test's own then. ``first`` and ``outcome``
    are the worst outcomes before and after. ``requests`` counts the distinct requests that it took beside those of the
    test itself, wherever they were answered. ``alone`` is no part of the reduction: see :data:`Alone`.
    """

    test: TestId
    ended: Ended
    alone: Alone
    requests: int
    before: Size
    after: Size
    first: Outcome
    outcome: Outcome
    case: Case
    trial: Trial
    bank: RewriteBank
    seed: int | None

    @property
    def requests_of_pair(self) -> list[tuple[str, Request]]:
        """The base request and each follow-up request of the smallest form, by label."""
        batches = self.trial.edit.batches.items()
        return [("base", self.case.request()), *((label, self.case.follow_up(batch)) for label, batch in batches)]


class _Stop(Exception):
    """Nothing more can be tried."""

    def __init__(self, ended: Ended) -> None:
        self.ended = ended


def shrink(
    test: PlannedTest,
    case: Case,
    result: TestResult,
    ask: Callable[[Request], Answered],
    *,
    bank: RewriteBank | None = None,
    seed: int = 0,
    tolerance: float = TOLERANCE,
    requests: int = REQUESTS,
    relations: Relations = BUILT_IN,
) -> Shrunk:
    """The smallest form of a violated test that was found within a number of distinct requests.

    ``result`` is the verdict on ``test``, ``ask`` answers a request and may do so from a store, ``bank`` are the
    rewrites that the test was built with, ``seed`` is the one a run on the smaller case will have, ``relations`` are
    those of the run.

    First the questions beside the targets are left out, then options and levels, then paragraphs, lines and sentences
    of the state (members first where it is an object or an array), each by delta debugging, and all again until nothing
    changes: then no question, option, level or piece can be left out alone (``ended`` is ``minimal``). A question keeps
    two criteria, a state one piece, and whatever the relation needs stays: its targets, declared thresholds and
    groupings that it uses.

    Raises ``ValueError`` where the result is no violation.
    """
    if result.verdict != "violated" or result.worst is None:
        raise ValueError(f"{test.id} is not violated")
    return _Reduction(test, case, result.worst, ask, bank or RewriteBank(), seed, tolerance, requests, relations).done(
        result
    )


@dataclass(frozen=True, slots=True)
class _Form:
    """A case with the trial that violates on it."""

    case: Case
    trial: Trial
    bank: RewriteBank
    outcome: Outcome


class _Reduction:
    def __init__(
        self,
        test: PlannedTest,
        case: Case,
        worst: Outcome,
        ask: Callable[[Request], Answered],
        bank: RewriteBank,
        seed: int,
        tolerance: float,
        requests: int,
        relations: Relations,
    ) -> None:
        self._test, self._own, self._ask = test, case, ask
        self._relation, self._relations = relations.named(test.id.relation), relations
        self._seed, self._tolerance, self._most = seed, tolerance, requests
        trial = next(t for t in test.trials if (t.variant, t.draw) == (worst.variant, worst.draw))
        self._now = _Form(case, trial, fewest_rewrites(self._relation, case, bank, trial), worst)
        self._first = self._now
        self._known = {request.digest for request in requests_of(test, case)}
        self._asked: set[str] = set()
        self._judged: dict[tuple[str, ...], Outcome | None] = {}

    def done(self, result: TestResult) -> Shrunk:
        """Everything in its order, as far as requests go."""
        alone: Alone = "not_judged"
        ended: Ended = "minimal"
        try:
            alone = self._alone(result)
            if self._start():
                self._reduce()
            else:
                ended = "not_repeated"
        except _Stop as stop:
            ended = stop.ended
        now = self._now
        return Shrunk(
            test=self._test.id,
            ended=ended,
            alone=alone,
            requests=len(self._asked),
            before=Size.of(self._own),
            after=Size.of(now.case),
            first=self._first.outcome,
            outcome=now.outcome,
            case=now.case,
            trial=now.trial,
            bank=now.bank,
            seed=self._seed if now is not self._first else None,
        )

    def _alone(self, result: TestResult) -> Alone:
        """Whether any violated trial stays violated in its reduced form, the worst first."""
        violated = sorted((o for o in result.outcomes if o.violated), key=lambda outcome: outcome.graded)
        places = dict.fromkeys((outcome.variant, outcome.draw) for outcome in violated)
        trials = {(trial.variant, trial.draw): trial for trial in self._test.trials}
        reduced = [trials[place] for place in places if trials[place].reduced is not None]
        if not reduced:
            return "no_such_form"
        verdicts = set()
        for trial in reduced:
            assert trial.reduced is not None
            small = self._own.restricted(trial.reduced.targets)
            verdict = self._verdict(small, replace(trial, edit=trial.reduced, reduced=None)).verdict
            if verdict == "violated":
                return "persists"
            verdicts.add(verdict)
        return "not_judged" if "unjudged" in verdicts else "gone"

    def _start(self) -> bool:
        """Take the case under an id of its own, with a trial that is violated on it."""
        own, name = self._own, "-".join((self._own.id, self._test.id.relation, self._test.id.key))
        named = replace(own, id=name)
        plain = without_needless_facts(self._relation, named, self._now.bank, self._seed, self._now.trial)
        return self._try(plain, self._now.bank, _FIRST_TRIALS)

    def _reduce(self) -> None:
        while True:
            before = self._now
            self._fewer_questions()
            for key in [self._now.trial.key, *self._now.case.questions]:
                self._fewer_criteria(key)
            grain = 0
            while grain < grains(self._now.case.state):
                self._less_state(grain)
                grain += 1
            if self._now is before:
                return

    def _fewer_questions(self) -> None:
        case, trial = self._now.case, self._now.trial
        if chooses_target(self._relation):
            locked: set[str] = set()
        else:
            locked = {trial.key, *(trial.targets if self._relation.transformation.keeps_batch else ())}
        others = [key for key in case.questions if key not in locked]
        ddmin(others, lambda kept: self._try_questions(case, locked | set(kept)))

    def _try_questions(self, case: Case, kept: Collection[str]) -> bool:
        questions = {key: question for key, question in case.questions.items() if key in kept}
        groupings = {key: value for key, value in case.hierarchies.items() if key in kept}
        return bool(questions) and self._try(replace(case, questions=questions, hierarchies=groupings), self._now.bank)

    def _fewer_criteria(self, key: str) -> None:
        case, bank = self._now.case, self._now.bank
        question = case.questions.get(key)
        if question is None or key in case.hierarchies or len(_criteria(question)) < 3:
            return

        def still(kept: tuple[str, ...]) -> bool:
            if len(kept) < 2:
                return False
            fewer = _with_criteria(question, kept)
            smaller = replace(case, questions={k: fewer if k == key else q for k, q in case.questions.items()})
            return self._try(smaller, translations_of(bank, question, fewer))

        ddmin(_criteria(question), still)

    def _less_state(self, grain: int) -> None:
        case = self._now.case
        pieces = pieces_of(case.state, grain)

        def still(kept: tuple[int, ...]) -> bool:
            state = pieces.join(kept)
            return _says_something(state) and self._try(replace(case, state=state), self._now.bank)

        ddmin(range(pieces.count), still)

    def _try(self, case: Case, bank: RewriteBank, most: int = _TRIALS) -> bool:
        """Whether the relation is violated on the case; then that is the form to go on from."""
        stem = replace(case, id="-".join((self._own.id, self._test.id.relation, self._test.id.key)))
        for named, trial in redrawn(self._relation, stem, bank, self._seed, self._now.trial, most):
            outcome = self._violation(named, trial)
            if outcome is not None:
                self._now = _Form(named, trial, bank, outcome)
                return True
        return False

    def _violation(self, case: Case, trial: Trial) -> Outcome | None:
        one = PlannedTest(self._test.id, (trial,))
        known = (trial.key, *(request.digest for request in requests_of(one, case)))
        if known not in self._judged:
            result = self._verdict(case, trial)
            self._judged[known] = result.worst if result.verdict == "violated" else None
        return self._judged[known]

    def _verdict(self, case: Case, trial: Trial) -> TestResult:
        """The verdict on one trial. A request that is refused or badly answered decides nothing and ends nothing."""
        test = PlannedTest(TestId(self._test.id.relation, case.id, trial.key), (trial,))
        new = {request.digest for request in requests_of(test, case)} - self._known - self._asked
        if len(self._asked) + len(new) > self._most:
            raise _Stop("requests")
        self._asked |= new
        result = judge(
            test, case, self._ask(case.request()), self._ask, tolerance=self._tolerance, relations=self._relations
        )
        if result.reason in ("over_budget", "unreachable"):
            raise _Stop("over_budget" if result.reason == "over_budget" else "unreachable")
        return result


def _criteria(question: Question) -> tuple[str, ...]:
    """The option ids or the level texts of a question."""
    if isinstance(question, Choice):
        return tuple(question.options)
    return question.levels if isinstance(question, Score) else ()


def _with_criteria(question: Question, kept: Iterable[str]) -> Question:
    if isinstance(question, Choice):
        return replace(question, options={option: question.options[option] for option in kept})
    assert isinstance(question, Score)
    return replace(question, levels=tuple(kept))


def _says_something(state: JSON) -> bool:
    """Whether there is anything in a state: nobody asks about nothing."""
    if isinstance(state, str):
        return bool(state.strip())
    if isinstance(state, Mapping):
        return any(_says_something(member) for member in state.values())
    if isinstance(state, Sequence):
        return any(_says_something(member) for member in state)
    return True
