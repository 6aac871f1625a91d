"""``pytest-jevbench check``: one request that says whether a model can be tested."""

from __future__ import annotations

import argparse
import sys

from pytest_jevbench.cli.model_options import add_model_arguments, spec_from_arguments
from pytest_jevbench.errors import ModelError
from pytest_jevbench.models.checking import check_model

HELP = "send a model one request and say what works or what to change"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Send a model one small request with a question of each type, and say for each question whether its answer can "
        "be used, or what to change. Exit status 0: the model can be tested; 1: it cannot yet."
    )
    add_model_arguments(parser)


def run(args: argparse.Namespace) -> int:
    from pytest_jevbench.models.opening import open_replicas

    spec = spec_from_arguments(args, retries=1)
    try:
        with open_replicas(spec, tell=lambda line: _write(f"{line}\n")) as replicas:
            checks = [check_model(model) for model in replicas]
            for check in checks:
                _write(f"{check}\n")
    except ModelError as error:
        _write(f"problem    {error}\n")
        return 1
    return 0 if all(check.ok for check in checks) else 1


def _write(text: str) -> None:
    sys.stdout.write(text)
