"""From a test's answers to its verdict: a pure function, whatever asked the model and whenever."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from pytest_jevbench.distributions import Distribution
from pytest_jevbench.plans.plan import PlannedTest
from pytest_jevbench.plans.stored import StoredTrials
from pytest_jevbench.questions import Case, Question, Request, answer_ids
from pytest_jevbench.relations.base import TOLERANCE, Measurement, Reading, Relation, Trial
from pytest_jevbench.relations.known import BUILT_IN, Relations
from pytest_jevbench.relations.own_law import OwnLaw, in_words
from pytest_jevbench.runs.answered import Answered, Answers, Unanswered
from pytest_jevbench.runs.results import Outcome, Reason, TestResult, Verdict

__all__ = ["judge", "judge_uniform", "requests_of", "uniform_answers"]


class _Unread(Exception):
    """A law needs an answer that could not be read."""


class _OnlyRead(dict[str, Distribution]):
    """Distributions by key; touching one that could not be read ends the measurement, the others do not matter."""

    problems: Mapping[str, str]

    def __missing__(self, key: str) -> Distribution:
        raise _Unread(f"{key}: {self.problems.get(key, 'no answer under this key')}")


def requests_of(test: PlannedTest, case: Case, repeats: int = 1) -> Iterator[Request]:
    """Every request a test needs, the case's base request first, as often as it is repeated."""
    yield from case.request().repeats(repeats)
    for trial in test.trials:
        for batch in trial.edit.batches.values():
            yield case.follow_up(batch)


def judge(
    test: PlannedTest,
    case: Case,
    source: Answered,
    follow_up: Callable[[Request], Answered],
    *,
    tolerance: float = TOLERANCE,
    relations: Relations = BUILT_IN,
) -> TestResult:
    """The verdict on one test: its trials are measured together and it is violated if any outcome is.

    ``source`` are the answers to the case's base request, ``follow_up`` gives those to any other. Where an answer that
    the law needs is missing or cannot be read, the test is unjudged, for the first such reason met. ``relations`` are
    those of the run.
    """
    relation = relations.named(test.id.relation)

    def unjudged(reason: Reason, message: str) -> TestResult:
        return TestResult(test.id, relation.check, "unjudged", reason=reason, message=message)

    if isinstance(source, Unanswered):
        return unjudged(source.reason, source.message)
    outcomes: list[Outcome] = []
    for trial in test.trials:
        answers: dict[str, Answers] = {}
        for label, batch in trial.edit.batches.items():
            answered = follow_up(case.follow_up(batch))
            if isinstance(answered, Unanswered):
                return unjudged(answered.reason, answered.message)
            answers[label] = answered
        try:
            measured = relation.measure(_reading(trial, case.questions, source, answers))
        except _Unread as unread:
            return unjudged("invalid", str(unread))
        except (Exception, SystemExit) as error:
            if not isinstance(relation, OwnLaw):
                raise
            return unjudged("lost", in_words(relation, "measure fails", error))
        of_trial = [measured] if isinstance(measured, Measurement) else measured
        outcomes += _outcomes(relation, trial, of_trial, tolerance)
    return _decided(test, relation, outcomes)


def _outcomes(relation: Relation, trial: Trial, measured: Iterable[Measurement], tolerance: float) -> Iterator[Outcome]:
    own = relation.tolerance
    for measurement in measured:
        yield _outcome(measurement, trial, tolerance if own is None else own, own is not None)


def _decided(test: PlannedTest, relation: Relation, outcomes: Sequence[Outcome]) -> TestResult:
    if not outcomes:
        return TestResult(test.id, relation.check, "not_applicable")
    verdict: Verdict = "violated" if any(outcome.violated for outcome in outcomes) else "held"
    return TestResult(test.id, relation.check, verdict, tuple(outcomes))


def _reading(
    trial: Trial, questions: Mapping[str, Question], source: Answers, follow_ups: Mapping[str, Answers]
) -> Reading:
    return Reading(
        key=trial.key,
        targets=trial.targets,
        params=trial.params,
        questions=questions,
        source=_read(source),
        follow_ups={label: _read(answers) for label, answers in follow_ups.items()},
        raw_source=source.raw,
        raw_follow_ups={label: answers.raw for label, answers in follow_ups.items()},
    )


def _read(answers: Answers) -> Mapping[str, Distribution]:
    if not answers.problems:
        return answers.distributions
    only = _OnlyRead(answers.distributions)
    only.problems = answers.problems
    return only


def _outcome(measurement: Measurement, trial: Trial | None, tolerance: float, own: bool) -> Outcome:
    finite = math.isfinite(measurement.deviation)
    return Outcome(
        targets=measurement.targets,
        deviation=measurement.deviation if finite else None,
        tolerance=tolerance,
        tolerance_kind="own" if own else "noise",
        flip=measurement.flip,
        expected=measurement.expected,
        observed=measurement.observed,
        variant=0 if trial is None else trial.variant,
        draw=0 if trial is None else trial.draw,
        params={} if trial is None else trial.params,
    )


def uniform_answers(questions: Mapping[str, Question]) -> Answers:
    """What a model answers that reads nothing: every declared answer equally probable."""
    distributions = {}
    for key, question in questions.items():
        ids = answer_ids(question)
        distributions[key] = dict.fromkeys(ids, 1.0 / len(ids))
    return Answers(distributions, {}, {})


def judge_uniform(
    tests: Sequence[PlannedTest], cases: Mapping[str, Case], tolerance: float, relations: Relations = BUILT_IN
) -> list[TestResult]:
    """The verdicts on the uniform model: what coherence alone is worth. Frozen trials were measured on it already.

    The outcomes of these name no variant, draw or parameters: equal ones are one object.
    """
    known: dict[tuple[int, float | None], Outcome] = {}

    def outcome(measurement: Measurement, own: float | None) -> Outcome:
        same = (id(measurement), own)  # a rehearsal keeps one measurement for all equal ones
        found = known.get(same)
        if found is None:
            found = known[same] = _outcome(measurement, None, tolerance if own is None else own, own is not None)
        return found

    def judged(test: PlannedTest) -> TestResult:
        relation = relations.named(test.id.relation)
        if isinstance(test.trials, StoredTrials):
            measured = [m for of_trial in test.trials.rehearsed for m in of_trial]
            return _decided(test, relation, [outcome(m, relation.tolerance) for m in measured])
        return judge(
            test,
            cases[test.id.case_id],
            uniform_answers(cases[test.id.case_id].questions),
            lambda request: uniform_answers(request.questions),
            tolerance=tolerance,
            relations=relations,
        )

    return [judged(test) for test in tests]
