"""``pytest-jevbench judge bias``: what order, length, markup and authorship do to recorded preferences."""

from __future__ import annotations

import argparse

from pytest_jevbench.cli.judge_options import (
    add_data_arguments,
    add_figure_arguments,
    add_output_arguments,
    pairs_of,
    settings_of,
    show,
)
from pytest_jevbench.cli.plain_errors import plain_errors

__all__ = ["HELP", "add_arguments", "run"]

HELP = "biases of recorded preferences: for a position, for length, for markup, for a judge's own answers"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``judge bias``."""
    add_data_arguments(parser, pairs=True)
    add_figure_arguments(parser, bins=False)
    add_output_arguments(parser)


@plain_errors
def run(args: argparse.Namespace) -> int:
    """Audit and print. Raises :class:`InputError`."""
    from pytest_jevbench.judges.document import bias_document

    pairs = pairs_of(args)
    assert pairs is not None, "without a name the demonstration"
    show(bias_document(pairs, settings_of(args)), args)
    return 0
