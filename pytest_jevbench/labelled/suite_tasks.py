"""A coherence suite's gold answers as labelled tasks."""

from __future__ import annotations

from pathlib import Path

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.gold_answers import gold_answer
from pytest_jevbench.labelled.records import Task, exact_labels
from pytest_jevbench.labelled.task_sets import TaskSet
from pytest_jevbench.questions import Noul
from pytest_jevbench.suite_loading import Suite

__all__ = ["tasks_of_suite"]


def tasks_of_suite(suite: Suite) -> TaskSet:
    """One task for each question of the suite that has a gold answer, called ``case::question``.

    The family is the case's domain (or the suite's name), the case its id: questions about one state share it. Raises
    :class:`InputError` where the suite has no gold answer.
    """
    tasks = []
    for case_id, case in suite.cases.items():
        for key, question in case.questions.items():
            value = suite.gold.get(case_id, {}).get(key)
            if value is None:
                continue
            answer = gold_answer(question, value, Place("gold.jsonl", field=f"{case_id}.answers.{key}"))
            expected = {"true": "yes", "false": "no"}[answer] if isinstance(question, Noul) else answer
            provenance = {"suite": suite.name, "version": suite.version, "case": case_id, "question": key}
            tasks.append(
                Task(
                    id=f"{case_id}::{key}",
                    family=case.domain or suite.name,
                    state=case.state,
                    question=question,
                    labels=exact_labels(question),
                    expected=expected,
                    provenance=provenance,
                    case=case_id,
                )
            )
    if not tasks:
        raise InputError(
            f"the suite {suite.name} has no gold answer", place=Place(suite.file), advice="Name one with a gold.jsonl"
        )
    return TaskSet(suite.name, Path(suite.path), tuple(tasks))
