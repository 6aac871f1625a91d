"""Measures every trial once on uniform answers, before any model is asked.

What a relation reads from a trial's parameters it reads here already, so that a plan whose parameters do not fit is
refused before a request was paid for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isfinite
from typing import TypeAlias

from pytest_jevbench.distributions import Distribution
from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import shown
from pytest_jevbench.plans.plan import PlannedTest
from pytest_jevbench.questions import Case, Question, answer_ids
from pytest_jevbench.relations.base import FOLLOW_UP, Edit, Measurement, Reading, Relation, Trial
from pytest_jevbench.relations.known import Relations
from pytest_jevbench.relations.own_law import OwnLaw, declared_at, in_words

__all__ = ["Rehearsal", "Rehearsed", "rehearse_own_laws"]

Rehearsed: TypeAlias = tuple[Measurement, ...]
"""What uniform answers give for one trial, without the numbers compared."""


class Rehearsal:
    """Uniform answers, kept by declared answers while a plan is read."""

    def __init__(self) -> None:
        self._uniform: dict[tuple[str, ...], Distribution] = {}
        self._known: dict[tuple[object, ...], Measurement] = {}
        self._source: tuple[Mapping[str, Question], dict[str, Distribution]] = ({}, {})

    def measure(self, relation: Relation, trial: Trial, case: Case, place: Place) -> Rehearsed:
        """What the whole trial gives. Raises :class:`InputError` where it cannot be measured, whole or reduced."""
        source = self._source_answers(case.questions)
        measured = self._measure(relation, trial, trial.edit, case.questions, source, place)
        if trial.reduced is not None:
            questions = {key: case.questions[key] for key in trial.reduced.targets}
            of_targets = {key: source[key] for key in questions}
            self._measure(relation, trial, trial.reduced, questions, of_targets, place.at("reduced"))
        of_trial = [measured] if isinstance(measured, Measurement) else measured
        if isinstance(relation, OwnLaw):
            _check_measured(relation, of_trial)
        return tuple(self._shared(Measurement(m.targets, m.deviation, m.flip, {}, {})) for m in of_trial)

    def _shared(self, measured: Measurement) -> Measurement:
        """One object for all equal ones: thousands of trials give the same."""
        return self._known.setdefault((measured.targets, measured.deviation, measured.flip), measured)

    def _measure(
        self,
        relation: Relation,
        trial: Trial,
        edit: Edit,
        questions: Mapping[str, Question],
        source: Mapping[str, Distribution],
        place: Place,
    ) -> Measurement | Sequence[Measurement]:
        if relation.scored and FOLLOW_UP not in edit.batches and not isinstance(relation, OwnLaw):
            raise InputError(f"there is no request {shown(FOLLOW_UP)}", place=place.at("requests"))
        reading = Reading(
            key=trial.key,
            targets=edit.targets,
            params=edit.params,
            questions=questions,
            source=source,
            follow_ups={label: self._answers(batch) for label, batch in edit.batches.items()},
        )
        try:
            return relation.measure(reading)
        except (Exception, SystemExit) as error:
            if isinstance(relation, OwnLaw):
                raise InputError(in_words(relation, "measure fails on uniform answers", error), place=place) from error
            raise InputError(
                f"{relation.name} cannot be measured on it ({type(error).__name__}: {error})",
                place=place,
                advice="Targets, requests and params do not belong together; freeze the suite again",
            ) from None

    def _source_answers(self, questions: Mapping[str, Question]) -> dict[str, Distribution]:
        """Those of a case's own questions, made once: its trials follow one another."""
        if self._source[0] is not questions:
            self._source = (questions, self._answers(questions))
        return self._source[1]

    def _answers(self, batch: Mapping[str, Question]) -> dict[str, Distribution]:
        known = self._uniform
        answers = {}
        for key, question in batch.items():
            ids = answer_ids(question)
            uniform = known.get(ids)
            if uniform is None:
                uniform = known[ids] = dict.fromkeys(ids, 1.0 / len(ids))
            answers[key] = uniform
        return answers


def rehearse_own_laws(tests: Iterable[PlannedTest], relations: Relations, cases: Mapping[str, Case]) -> None:
    """Measure every trial of the user's own laws once on uniform answers.

    Raises :class:`InputError` naming the file of a law that fails or measures what is no deviation.
    """
    rehearsal = Rehearsal()
    own = {law.name: law for law in relations.own}
    for test in tests:
        law = own.get(test.id.relation)
        if law is not None:
            for trial in test.trials:
                place = Place(f"case {shown(test.id.case_id)}, question {shown(test.id.key)}")
                rehearsal.measure(law, trial, cases[test.id.case_id], place)


def _check_measured(law: OwnLaw, measured: object) -> None:
    """Refuse what a user's ``measure`` returned that is no measurement."""
    if not isinstance(measured, Sequence) or isinstance(measured, str):
        raise InputError(
            f"{law.name} ({declared_at(law)}): measure returns {type(measured).__name__}",
            advice="Return what at_most, equal or another form of law gives, or a Measurement, or a list of them",
        )
    for one in measured:
        if not isinstance(one, Measurement):
            _check_measured(law, one)
        deviation = one.deviation
        if not isinstance(deviation, (int, float)) or not isfinite(deviation) or deviation < 0:
            raise InputError(
                f"{law.name} ({declared_at(law)}): measure gives the deviation {deviation!r} on uniform answers",
                advice="A deviation is a number of at least 0, and 0 where the law is kept",
            )
