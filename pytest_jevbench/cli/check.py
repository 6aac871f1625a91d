"""``pytest-jevbench check``: one request that says whether a model can be tested."""

from __future__ import annotations

import argparse
import sys

from pytest_jevbench.cli.model_options import add_model_arguments, spec_from_arguments
from pytest_jevbench.errors import ModelError
from pytest_jevbench.models.checking import check_model

HELP = "send a model one request and say what works or what to change"
EXIT = "0 the model can be tested, 1 it cannot yet, 2 bad input"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "The request has a question of each type, and what is said is said for each."
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
