"""What a model answered to one labelled task, and the JSON of it.

==============  ========================================================================================
verdict         reasons
==============  ========================================================================================
``correct``     none
``wrong``       none; ``tied`` (two labels share the top), ``invalid`` (an answer, and it is no
                distribution or label of this question), ``abstained`` (the model chose to give none)
``unjudged``    ``refused`` and ``unreachable`` (asked, no answer: they count in the denominator);
                ``over_budget`` and ``unattempted`` (not asked: never wrong, and the run is incomplete);
                ``unlabelled`` (answered, and nobody knows the right answer)
==============  ========================================================================================
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias, get_args

from pytest_jevbench.distributions import TIE
from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import JSON
from pytest_jevbench.labelled.fields import RowFields
from pytest_jevbench.labelled.records import Task
from pytest_jevbench.models.protocol import Usage

__all__ = [
    "NOT_ASKED",
    "PROBS_SOURCES",
    "REASONS",
    "VERDICTS",
    "ProbsSource",
    "Reason",
    "TaskResult",
    "Verdict",
    "judge_answer",
    "judge_task",
    "result_from_json",
    "result_to_json",
]

Verdict: TypeAlias = Literal["correct", "wrong", "unjudged"]
Reason: TypeAlias = Literal[
    "", "tied", "invalid", "abstained", "refused", "unreachable", "over_budget", "unattempted", "unlabelled"
]
ProbsSource: TypeAlias = Literal["native", "verbalised", "label_only"]
VERDICTS: tuple[Verdict, ...] = get_args(Verdict)
REASONS: tuple[Reason, ...] = get_args(Reason)
PROBS_SOURCES: tuple[ProbsSource, ...] = get_args(ProbsSource)
NOT_ASKED: tuple[Reason, ...] = ("over_budget", "unattempted")

_REASONS_OF: Mapping[Verdict, tuple[Reason, ...]] = {
    "correct": ("",),
    "wrong": ("", "tied", "invalid", "abstained"),
    "unjudged": ("refused", "unreachable", "over_budget", "unattempted", "unlabelled"),
}


@dataclass(frozen=True)
class TaskResult:
    """What came of one task. Nothing is filled in that was not told: None is unknown.

    ``given`` is the label answered, ``probabilities`` the distribution over the exact labels in their order (None
    where the model gives a label alone), ``probs_source`` where they come from. Where a sum away from 1 was divided
    out, ``returned_sum`` and ``returned`` keep what came. ``detail`` says in words what was wrong, ``flags`` name what
    is odd and harmless (``renormalised``, ``truncated``). ``cost_usd`` stands with its ``cost_basis``;
    ``reserved_usd`` is what was held back for the request and is no price. ``time`` is when the answer came, ISO 8601.
    """

    task_id: str
    verdict: Verdict
    reason: Reason = ""
    given: str | None = None
    probabilities: Mapping[str, float] | None = None
    probs_source: ProbsSource | None = None
    returned_sum: float | None = None
    returned: Mapping[str, float] | None = None
    flags: tuple[str, ...] = ()
    detail: str = ""
    model_asked: str = ""
    model_answered: str | None = None
    http_status: int | None = None
    latency_s: float | None = None
    usage: Usage = field(default_factory=Usage)
    cost_usd: float | None = None
    cost_basis: str | None = None
    reserved_usd: float | None = None
    time: str | None = None

    @property
    def asked(self) -> bool:
        """Whether the model was asked at all: what was not asked is in no denominator."""
        return self.reason not in NOT_ASKED

    @property
    def answered(self) -> bool:
        """Whether there is a valid answer."""
        return self.given is not None or self.probabilities is not None


def judge_task(task: Task, result: TaskResult) -> TaskResult:
    """The result with its verdict, from ``given`` and ``probabilities``; what has no answer keeps its reason.

    The label given is the most probable one. Where two share the top there is none, and the verdict is ``wrong`` for
    the reason ``tied``. A task without an expected label is ``unjudged``.
    """
    if not result.answered:
        return result
    given, verdict, reason = judge_answer(task.labels, task.expected, result.given, result.probabilities)
    return replace(result, given=given, verdict=verdict, reason=reason)


def judge_answer(
    labels: Sequence[str], expected: str | None, given: str | None, probabilities: Mapping[str, float] | None
) -> tuple[str | None, Verdict, Reason]:
    """The label given, the verdict and its reason, of a valid answer: a label alone, or a distribution over all."""
    if probabilities is not None:
        top = max(probabilities.values())
        tops = [label for label in labels if top - probabilities[label] <= TIE]
        given = tops[0] if len(tops) == 1 else None
    if expected is None:
        return given, "unjudged", "unlabelled"
    if given is None:
        return None, "wrong", "tied"
    return given, "correct" if given == expected else "wrong", ""


def result_to_json(result: TaskResult) -> dict[str, JSON]:
    """All fields of a result."""
    return {
        "id": result.task_id,
        "verdict": result.verdict,
        "reason": result.reason,
        "given": result.given,
        "probabilities": None if result.probabilities is None else dict(result.probabilities),
        "probs_source": result.probs_source,
        "returned_sum": result.returned_sum,
        "returned": None if result.returned is None else dict(result.returned),
        "flags": list(result.flags),
        "detail": result.detail,
        "model_asked": result.model_asked,
        "model_answered": result.model_answered,
        "http_status": result.http_status,
        "latency_s": result.latency_s,
        "usage": {"input_tokens": result.usage.input_tokens, "output_tokens": result.usage.output_tokens},
        "cost_usd": result.cost_usd,
        "cost_basis": result.cost_basis,
        "reserved_usd": result.reserved_usd,
        "time": result.time,
    }


def result_from_json(value: object, place: Place) -> TaskResult:
    """A result as :func:`result_to_json` wrote it. Raises :class:`InputError` naming the field that is wrong."""
    row = RowFields.of(value, place)
    verdict = row.one_of("verdict", VERDICTS)
    reason = row.one_of("reason", REASONS)
    if reason not in _REASONS_OF[verdict]:
        raise InputError(f"a verdict {verdict} with the reason {reason!r}", place=place.at("reason"))
    usage = row.inner("usage")
    source = row.value("probs_source")
    return TaskResult(
        task_id=row.text("id"),
        verdict=verdict,
        reason=reason,
        given=row.optional_text("given"),
        probabilities=row.numbers("probabilities", low=0.0, high=1.0),
        probs_source=None if source is None else row.one_of("probs_source", PROBS_SOURCES),
        returned_sum=row.number("returned_sum"),
        returned=row.numbers("returned"),
        flags=row.texts("flags"),
        detail=row.optional_text("detail") or "",
        model_asked=row.optional_text("model_asked") or "",
        model_answered=row.optional_text("model_answered"),
        http_status=row.whole("http_status"),
        latency_s=row.number("latency_s", low=0.0),
        usage=Usage(usage.whole("input_tokens"), usage.whole("output_tokens")),
        cost_usd=row.number("cost_usd", low=0.0),
        cost_basis=row.optional_text("cost_basis"),
        reserved_usd=row.number("reserved_usd", low=0.0),
        time=row.optional_text("time"),
    )
