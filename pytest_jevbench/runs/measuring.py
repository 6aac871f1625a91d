"""What a few answers of a model say to an estimate: seconds a request and tokens a byte."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from typing import NamedTuple

from pytest_jevbench.errors import AnswerFormatError, InputError
from pytest_jevbench.models.identity_key import ModelKey, model_key
from pytest_jevbench.models.protocol import Model, Reply
from pytest_jevbench.questions import Request
from pytest_jevbench.runs.estimating import TokenRule, measured_rule, sizes_of
from pytest_jevbench.runs.judge import requests_of
from pytest_jevbench.runs.planning import Run

__all__ = ["Measured", "measure_replicas"]

SAMPLE = 5


class Measured(NamedTuple):
    """What asking a model showed: seconds a request, tokens a byte if it tells them, who it is, how it was measured."""

    seconds: float
    rule: TokenRule | None
    key: ModelKey
    replicas: int
    text: str


def measure_replicas(replicas: Sequence[Model], planned: Run) -> Measured:
    """Ask the first of the open replicas a few of the run's requests.

    Raises :class:`~pytest_jevbench.errors.ModelError` where it does not answer, and :class:`InputError` where its
    answer cannot be read.
    """
    sample = _sample(planned)
    model = replicas[0]
    first, *timed = [_timed(model, request) for request in [sample[0], *sample]]  # the first one also connects
    key = model_key(model.identity, first[1].model)
    times = [seconds for seconds, _ in timed]
    usages = [(sizes_of(request), reply.usage) for request, (_, reply) in zip(sample, timed, strict=True)]
    text = f"the median of {len(times)} measured, {min(times):.3g} to {max(times):.3g} s"
    rule = measured_rule(usages, f"as in {len(times)} answers just given")
    return Measured(statistics.median(times), rule, key, len(replicas), text)


def _sample(planned: Run) -> list[Request]:
    """Follow-up requests of tests spread evenly over the run."""
    tests = planned.here
    count = min(SAMPLE, len(tests))
    chosen = [tests[len(tests) * place // count] for place in range(count)]
    return [[*requests_of(test, planned.cases[test.id.case_id])][-1] for test in chosen]


def _timed(model: Model, request: Request) -> tuple[float, Reply]:
    """The reply, and how long it took, in seconds."""
    began = time.perf_counter()
    try:
        reply = model.ask(request)
    except AnswerFormatError as error:
        raise InputError(
            f"the answer of the model cannot be read: {error}", advice="`pytest-jevbench check` tells more"
        ) from None
    return time.perf_counter() - began, reply
