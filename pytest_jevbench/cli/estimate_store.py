"""The answer store that an estimate looks into."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_jevbench.models.identity_key import ModelKey
    from pytest_jevbench.models.store import AnswerStore
    from pytest_jevbench.runs.measuring import Measured
    from pytest_jevbench.runs.planning import Run
    from pytest_jevbench.runs.stored_requests import InStore

__all__ = ["look_into_store"]


def look_into_store(args: argparse.Namespace, planned: Run, measured: Measured | None) -> InStore:
    """Add up the run's requests, less those that are stored. Raises :class:`InputError` for what is no store.

    The answers are those of the model that was measured, else of the last used one that fits ``--model`` and
    ``--revision``.
    """
    from pytest_jevbench.cli.store_options import nearest_store, open_from_arguments
    from pytest_jevbench.runs.estimating import distinct_requests
    from pytest_jevbench.runs.stored_requests import add_up_stored, nothing_stored

    requests = distinct_requests(planned)
    if args.store == Path("off") or (args.store is None and not nearest_store().is_file()):
        return nothing_stored(requests)
    with open_from_arguments(args) as store:
        key = _model(args, store, measured)
        if key is None:
            return nothing_stored(requests)
        return add_up_stored(requests, store.answers_under(key), key)


def _model(args: argparse.Namespace, store: AnswerStore, measured: Measured | None) -> ModelKey | None:
    from pytest_jevbench.cli.store_options import chosen_models

    models = [model.key for model in store.models()]
    if measured is not None:
        return next((key for key in models if key.digest == measured.key.digest), None)
    chosen = chosen_models(args)
    return next((key for key in models if chosen is None or chosen(key)), None)
