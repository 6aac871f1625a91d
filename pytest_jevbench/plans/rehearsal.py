"""Measures every trial once on uniform answers, before any model is asked.

What a relation reads from a trial's parameters it reads here already, so that a plan whose parameters do not fit is
refused before a request was paid for.
"""

from __future__ import annotations

from collections.abc import Mapping

from pytest_jevbench.distributions import Distribution
from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import shown
from pytest_jevbench.questions import Case, Question, answer_ids
from pytest_jevbench.relations.base import FOLLOW_UP, Edit, Reading, Relation, Trial

__all__ = ["Rehearsal"]


class Rehearsal:
    """Uniform answers, kept by question while a plan is read."""

    def __init__(self) -> None:
        # By identity, which is quick; the entry keeps its question alive, so that no other takes its place.
        self._uniform: dict[int, tuple[Question, Distribution]] = {}

    def check(self, relation: Relation, trial: Trial, case: Case, place: Place) -> None:
        """Raises :class:`InputError` where the relation cannot measure the trial, whole or reduced."""
        self._measure(relation, trial, trial.edit, case.questions, place)
        if trial.reduced is not None:
            questions = {key: case.questions[key] for key in trial.reduced.targets}
            self._measure(relation, trial, trial.reduced, questions, place.at("reduced"))

    def _measure(
        self, relation: Relation, trial: Trial, edit: Edit, questions: Mapping[str, Question], place: Place
    ) -> None:
        if relation.scored and FOLLOW_UP not in edit.batches:
            raise InputError(f"there is no request {shown(FOLLOW_UP)}", place=place.at("requests"))
        reading = Reading(
            key=trial.key,
            targets=edit.targets,
            params=edit.params,
            questions=questions,
            source=self._answers(questions),
            follow_ups={label: self._answers(batch) for label, batch in edit.batches.items()},
        )
        try:
            relation.measure(reading)
        except Exception as error:
            raise InputError(
                f"{relation.name} cannot be measured on it ({type(error).__name__}: {error})",
                place=place,
                advice="Targets, requests and params do not belong together; freeze the suite again",
            ) from None

    def _answers(self, batch: Mapping[str, Question]) -> dict[str, Distribution]:
        known = self._uniform
        answers = {}
        for key, question in batch.items():
            entry = known.get(id(question))
            if entry is None:
                ids = answer_ids(question)
                entry = known[id(question)] = (question, dict.fromkeys(ids, 1.0 / len(ids)))
            answers[key] = entry[1]
        return answers
