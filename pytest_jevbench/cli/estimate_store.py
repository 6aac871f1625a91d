"""What an answer store says to an estimate: which requests it has answers to, and how many tokens they took."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from itertools import tee
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pytest_jevbench.cli.estimate_measuring import Measured
    from pytest_jevbench.models.identity_key import ModelKey
    from pytest_jevbench.models.model_answers import ModelAnswers
    from pytest_jevbench.models.protocol import Usage
    from pytest_jevbench.models.store import AnswerStore
    from pytest_jevbench.questions import Request
    from pytest_jevbench.runs.estimating import Estimate, Sizes, TokenRule
    from pytest_jevbench.runs.planning import Run

__all__ = ["InStore", "look_into_store"]


class InStore(NamedTuple):
    """The estimate with what is stored taken off, and of which model it is.

    ``rule`` are its tokens a byte and ``seconds`` the median time of a stored request, where they are known.
    """

    estimate: Estimate
    model: str = ""
    rule: TokenRule | None = None
    seconds: float | None = None
    text: str = ""


def look_into_store(args: argparse.Namespace, planned: Run, measured: Measured | None) -> InStore:
    """Add up the run's requests, less those that are stored. Raises :class:`InputError` for what is no store.

    The answers are those of the model that was measured, else of the last used one that fits ``--model`` and
    ``--revision``.
    """
    from pytest_jevbench.cli.store_options import nearest_store, open_from_arguments
    from pytest_jevbench.runs.estimating import add_up, distinct_requests

    requests = distinct_requests(planned.here, planned.cases)
    if args.store == Path("off") or (args.store is None and not nearest_store().is_file()):
        return InStore(add_up((request, False) for request in requests))
    with open_from_arguments(args) as store:
        key = _model(args, store, measured)
        if key is None:
            return InStore(add_up((request, False) for request in requests))
        return _added_up(requests, store.answers_under(key), key)


def _model(args: argparse.Namespace, store: AnswerStore, measured: Measured | None) -> ModelKey | None:
    from pytest_jevbench.cli.store_options import chosen_models

    models = [model.key for model in store.models()]
    if measured is not None:
        return next((key for key in models if key.digest == measured.key.digest), None)
    chosen = chosen_models(args)
    return next((key for key in models if chosen is None or chosen(key)), None)


def _added_up(requests: Iterator[Request], answers: ModelAnswers, key: ModelKey) -> InStore:
    from pytest_jevbench.cli.store_options import described
    from pytest_jevbench.models.protocol import Reply
    from pytest_jevbench.runs.estimating import add_up, measured_rule, sizes_of

    used: list[tuple[Sizes, Usage]] = []
    times: list[float] = []

    def looked_up() -> Iterator[tuple[Request, bool]]:
        asked, to_look_up = tee(requests)
        for request, recorded in zip(asked, answers.get_many(to_look_up), strict=True):
            if isinstance(recorded, Reply):
                used.append((sizes_of(request), recorded.usage))
                times.append(recorded.seconds)
            yield request, recorded is not None

    estimate = add_up(looked_up())
    text = f"as in {len(used):,} stored answers"
    seconds = median(times) if any(times) else None
    return InStore(estimate, described(key), measured_rule(used, text), seconds, text)
