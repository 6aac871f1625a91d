"""What a model or the card of a run says to an estimate: seconds a request and tokens a byte."""

from __future__ import annotations

import argparse
import statistics
import time
from typing import TYPE_CHECKING, NamedTuple

from pytest_jevbench.errors import AnswerFormatError, InputError, Place

if TYPE_CHECKING:
    from pytest_jevbench.models.identity_key import ModelKey
    from pytest_jevbench.models.protocol import Model, Reply
    from pytest_jevbench.questions import Request
    from pytest_jevbench.runs.estimating import TokenRule
    from pytest_jevbench.runs.planning import Run

__all__ = ["Measured", "measure_model", "rule_of_card"]

SAMPLE = 5


class Measured(NamedTuple):
    """What asking a model showed: seconds a request, tokens a byte if it tells them, who it is, how it was measured."""

    seconds: float
    rule: TokenRule | None
    key: ModelKey
    replicas: int
    text: str


def measure_model(args: argparse.Namespace, planned: Run) -> Measured | None:
    """Ask the model that the arguments name a few of the run's requests; None where they name none.

    Raises :class:`~pytest_jevbench.errors.ModelError` where it does not answer.
    """
    if not (args.url or args.launch or args.command or args.reference):
        return None
    from dataclasses import replace

    from pytest_jevbench.cli.model_options import spec_from_arguments
    from pytest_jevbench.models.identity_key import model_key
    from pytest_jevbench.models.opening import open_replicas
    from pytest_jevbench.runs.estimating import measured_rule, sizes_of

    spec = replace(spec_from_arguments(args), revision=args.revision or "")
    sample = _sample(planned)
    with open_replicas(spec, max(1, len(spec.urls))) as replicas:
        model = replicas[0]
        first, *timed = [_timed(model, request) for request in [sample[0], *sample]]  # the first one also connects
        key = model_key(model.identity, first[1].model)
        count = len(replicas)
    times = [seconds for seconds, _ in timed]
    usages = [(sizes_of(request), reply.usage) for request, (_, reply) in zip(sample, timed, strict=True)]
    text = f"the median of {len(times)} measured, {min(times):.3g} to {max(times):.3g} s"
    return Measured(
        statistics.median(times), measured_rule(usages, f"as in {len(times)} answers just given"), key, count, text
    )


def _sample(planned: Run) -> list[Request]:
    """Follow-up requests of tests spread evenly over the run."""
    from pytest_jevbench.runs.judge import requests_of

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


def rule_of_card(path: str, suite: str, digest: str) -> TokenRule:
    """The tokens a byte in the run of a card. ``suite`` names one that the card may be of, by its digest.

    Raises :class:`InputError` where the card does not tell."""
    from pytest_jevbench.cli.card_merge import plan_of_card
    from pytest_jevbench.models.protocol import Usage
    from pytest_jevbench.runs.estimating import Sizes, distinct_requests, measured_rule, sizes_of
    from pytest_jevbench.scoring.card import read_card

    card = read_card(path)
    spent = card.data["run"]
    usage = Usage(spent.get("input_tokens") or None, spent.get("output_tokens") or None)
    planned = plan_of_card(card, suite if card.data["identity"]["suite"]["digest"] == digest else None)
    judged = {result.id for result in card.results if result.judged}
    tests = [test for test in planned.tests if test.id in judged]
    sizes = sum((sizes_of(request) for request in distinct_requests(tests, planned.cases)), Sizes())
    rule = measured_rule([(sizes, usage)], f"as in the run of {path}")
    if rule is None:
        raise InputError(
            "the model of this run did not tell how many tokens it used",
            place=Place(path),
            advice="Leave --tokens-from out",
        )
    return rule
