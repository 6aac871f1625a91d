"""What a model or the card of a run says to an estimate: seconds a request and tokens a byte."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from pytest_jevbench.errors import InputError, Place

if TYPE_CHECKING:
    from pytest_jevbench.runs.estimating import TokenRule
    from pytest_jevbench.runs.measuring import Measured
    from pytest_jevbench.runs.planning import Run

__all__ = ["measure_model", "rule_of_card"]


def measure_model(args: argparse.Namespace, planned: Run) -> Measured | None:
    """Ask the model that the arguments name a few of the run's requests; None where they name none.

    Raises :class:`~pytest_jevbench.errors.ModelError` where it does not answer.
    """
    if not (args.url or args.launch or args.command or args.reference):
        return None
    from dataclasses import replace

    from pytest_jevbench.cli.model_options import spec_from_arguments
    from pytest_jevbench.models.opening import open_replicas
    from pytest_jevbench.runs.measuring import measure_replicas

    spec = replace(spec_from_arguments(args), revision=args.revision or "")
    with open_replicas(spec, max(1, len(spec.urls))) as replicas:
        return measure_replicas(replicas, planned)


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
    sizes = sum((sizes_of(request) for request in distinct_requests(planned, tests)), Sizes())
    rule = measured_rule([(sizes, usage)], f"as in the run of {path}")
    if rule is None:
        raise InputError(
            "the model of this run did not tell how many tokens it used",
            place=Place(path),
            advice="Leave --tokens-from out",
        )
    return rule
