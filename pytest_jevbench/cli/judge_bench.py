"""``pytest-jevbench judge bench``: how right recorded judges are, how well calibrated, how far they agree."""

from __future__ import annotations

import argparse

from pytest_jevbench.cli.judge_options import (
    add_data_arguments,
    add_figure_arguments,
    add_output_arguments,
    fixture_of,
    settings_of,
    show,
)
from pytest_jevbench.cli.plain_errors import plain_errors

__all__ = ["HELP", "add_arguments", "run"]

HELP = "compare recorded judges with the right answers: accuracy, calibration errors, agreement, cost"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``judge bench``."""
    add_data_arguments(parser, fixture=True)
    add_figure_arguments(parser)
    add_output_arguments(parser)


@plain_errors
def run(args: argparse.Namespace) -> int:
    """Evaluate and print. Raises :class:`InputError`."""
    from pytest_jevbench.judges.document import bench_document

    show(bench_document(fixture_of(args), settings_of(args)), args)
    return 0
