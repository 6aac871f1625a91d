"""``pytest-jevbench judge calibrate``: calibrators and thresholds fitted on one split, shown on the other."""

from __future__ import annotations

import argparse

from pytest_jevbench.cli.judge_options import (
    add_data_arguments,
    add_figure_arguments,
    add_output_arguments,
    fixture_of,
    number,
    pairs_of,
    settings_of,
    show,
)
from pytest_jevbench.cli.plain_errors import plain_errors

__all__ = ["HELP", "add_arguments", "run"]

HELP = "fit calibrators and thresholds on the split fit, and show on held-out items what they change"
METHODS = ("platt", "temperature", "histogram", "isotonic", "beta")
SHARE = number("a number between 0 and 1, both excluded", lambda value: 0.0 < value < 1.0)
ABOVE_0 = number("a number above 0, at most 1e+100", lambda value: 0.0 < value <= 1e100)
AT_LEAST_0 = number("a number of at least 0", lambda value: value >= 0.0)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``judge calibrate``."""
    add_data_arguments(parser, fixture=True, pairs=True)
    parser.add_argument(
        "--method", action="append", choices=METHODS, help="a calibrator; can be given again (default: all)"
    )
    parser.add_argument(
        "--platt-targets",
        choices=("smoothed", "plain"),
        default="smoothed",
        help="labels for Platt (default: smoothed)",
    )
    parser.add_argument(
        "--histogram-alpha", type=AT_LEAST_0, default=1.0, metavar="A", help="yes and no added to each bin (default: 1)"
    )
    costs = "cost of a false {} for the threshold of least cost (default: 1)"
    parser.add_argument("--false-positive-cost", type=ABOVE_0, default=1.0, metavar="C", help=costs.format("yes"))
    parser.add_argument("--false-negative-cost", type=ABOVE_0, default=1.0, metavar="C", help=costs.format("no"))
    parser.add_argument(
        "--alpha",
        type=SHARE,
        default=0.1,
        metavar="A",
        help="error that the guaranteed thresholds allow (default: 0.1)",
    )
    parser.add_argument(
        "--delta",
        type=SHARE,
        default=0.1,
        metavar="D",
        help="probability that the guarantee for accepted items may fail with (default: 0.1)",
    )
    parser.add_argument(
        "--testing",
        choices=("fixed-sequence", "bonferroni"),
        default="fixed-sequence",
        help="how thresholds are tested for that guarantee (default: fixed-sequence)",
    )
    add_figure_arguments(parser)
    add_output_arguments(parser)


@plain_errors
def run(args: argparse.Namespace) -> int:
    """Fit, evaluate and print. Raises :class:`InputError`."""
    from pytest_jevbench.judges.document import calibration_document

    show(calibration_document(fixture_of(args), settings_of(args), pairs_of(args)), args)
    return 0
