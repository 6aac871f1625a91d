"""From what asking a task led to, to its result: pure, so that a raw file read again gives the same."""

from __future__ import annotations

from dataclasses import replace

from pytest_jevbench.errors import AnswerFormatError, ModelError, Refused
from pytest_jevbench.labelled.raw_files import Outcome
from pytest_jevbench.labelled.reading import read_task_answer
from pytest_jevbench.labelled.records import QUESTION_KEY, Task
from pytest_jevbench.labelled.results import Reason, TaskResult, judge_task
from pytest_jevbench.models.dialects.base import NATIVE, Dialect

__all__ = ["not_asked", "result_of"]


def result_of(task: Task, outcome: Outcome, dialect: Dialect | None, model_asked: str) -> TaskResult:
    """The result of a task that was asked, judged. ``dialect`` is None for a model that is asked in none of ours."""
    got = outcome.got
    result = TaskResult(
        task.id,
        "unjudged",
        "unreachable",
        model_asked=model_asked,
        latency_s=outcome.seconds,
        time=outcome.time,
    )
    if isinstance(got, ModelError):
        reason: Reason = "refused" if isinstance(got, Refused) else "unreachable"
        return replace(result, reason=reason, detail=str(got), http_status=got.status)
    served = dialect is not None and dialect.in_process is None
    source = NATIVE if dialect is None else dialect.probs_source
    result = replace(result, verdict="wrong", probs_source=source, http_status=200 if served else None)
    if isinstance(got, AnswerFormatError):
        return replace(result, reason="invalid", detail=str(got))
    answer = read_task_answer(task, got.answers.get(QUESTION_KEY), source)
    result = replace(
        result,
        verdict="unjudged" if answer.reason == "refused" else "wrong",
        reason=answer.reason,
        given=answer.given,
        probabilities=answer.probabilities,
        returned_sum=answer.returned_sum,
        returned=answer.returned,
        flags=answer.flags,
        detail=answer.detail,
        model_answered=got.model,
        usage=got.usage,
    )
    return judge_task(task, result)


def not_asked(task: Task, reason: Reason, detail: str) -> TaskResult:
    """The result of a task that was not asked."""
    return TaskResult(task.id, "unjudged", reason, detail=detail)
