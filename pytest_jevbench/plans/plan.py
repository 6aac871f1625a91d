"""What a plan is: the tests of a suite, each with its trials, built before any model is asked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pytest_jevbench.questions import Case, Choice, Question, Score
from pytest_jevbench.relations.base import Trial

__all__ = ["Plan", "PlannedTest", "TestId", "count_requests", "question_identity", "used_relations"]


class TestId(NamedTuple):
    """One test of a plan: (relation, case, target question)."""

    relation: str
    case_id: str
    key: str


TestId.__test__ = False  # type: ignore[attr-defined]  # pytest must not collect it where it is imported


@dataclass(frozen=True, slots=True)
class PlannedTest:
    """One test with the trials that are judged together: its variants and draws.

    The trials of a plan that was read from a file stay unread until they are used.
    """

    id: TestId
    trials: Sequence[Trial]


@dataclass(frozen=True, slots=True)
class Plan:
    """The tests of a suite, in the order in which they are run and written.

    ``relations`` and ``cases`` name what the plan was made for, in their order; ``draws`` is the number of draws
    of each randomised variant; ``selection`` says in words how the tests were chosen.
    """

    relations: tuple[str, ...]
    cases: tuple[str, ...]
    seed: int
    draws: int
    selection: str
    tests: tuple[PlannedTest, ...]

    @property
    def trials(self) -> Iterator[Trial]:
        """The trials of all tests, in order."""
        for test in self.tests:
            yield from test.trials


def used_relations(tests: Iterable[PlannedTest], names: Iterable[str]) -> tuple[str, ...]:
    """Of these names the relations that have a test, in the order given."""
    used = {test.id.relation for test in tests}
    return tuple(name for name in names if name in used)


def question_identity(question: Question) -> tuple[object, ...]:
    """What tells one question from another, order of options included (``==`` on mappings leaves it out)."""
    if isinstance(question, Choice):
        return ("choice", question.instructions, tuple(question.options.items()))
    if isinstance(question, Score):
        return ("score", question.instructions, question.levels)
    return ("noul", question.instructions)


def count_requests(plan: Plan, cases: Mapping[str, Case]) -> int:
    """How many distinct requests a whole run of the plan sends, one base request a case of the plan included.

    Requests of two cases count apart even where states and questions are equal.
    """
    identities: dict[int, tuple[object, ...]] = {}

    def identity(question: Question) -> tuple[object, ...]:
        known = identities.get(id(question))
        if known is None:
            known = identities[id(question)] = question_identity(question)
        return known

    def request(case_id: str, batch: Mapping[str, Question]) -> tuple[object, ...]:
        return (case_id, *((key, identity(question)) for key, question in batch.items()))

    distinct = {request(case_id, cases[case_id].questions) for case_id in plan.cases}
    for trial in plan.trials:
        for batch in trial.edit.batches.values():
            distinct.add(request(trial.case_id, batch))
    return len(distinct)
