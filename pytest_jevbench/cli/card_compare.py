"""Compare a card with a baseline: each score's change with its interval and p-value, new and fixed violations."""

from __future__ import annotations

import argparse

from pytest_jevbench.cli.card_report import print_lines
from pytest_jevbench.errors import InputError
from pytest_jevbench.json_text import dumps
from pytest_jevbench.reports.changes import CHANGE_LEVELS, comparison_lines
from pytest_jevbench.scoring.card_reading import read_card
from pytest_jevbench.scoring.compared_cards import compare_with
from pytest_jevbench.scoring.comparison_json import comparison_json

__all__ = ["HELP", "add_arguments", "run"]

HELP = "compare a card with a baseline: scores with change, interval and p-value; new and fixed violations"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``card compare``."""
    parser.add_argument("baseline", metavar="BASELINE", help="the card (or published report) to compare with")
    parser.add_argument("card", metavar="CARD", help="the card that may be better or worse")
    parser.add_argument("--level", choices=CHANGE_LEVELS, default="dimension", help="rows (default: dimension)")
    parser.add_argument("--graded", action="store_true", help="compare graded scores (p-values are then sampled)")
    parser.add_argument("--tests", action="store_true", help="name every new and every fixed violation")
    parser.add_argument("--json", action="store_true", help="print everything as JSON instead")


def run(args: argparse.Namespace) -> int:
    """Compare and print. Raises :class:`InputError`, also for cards of different suites."""
    baseline, card = read_card(args.baseline), read_card(args.card)
    compared = compare_with(card, baseline, graded=args.graded)
    if compared.comparison is None:
        raise InputError(compared.cautions[0], advice="Two cards compare where they are of one suite")
    if args.json:
        print(dumps(comparison_json(compared), indent=1))  # noqa: T201
    else:
        print_lines(comparison_lines(card, compared, level=args.level, tests=args.tests))
    return 0
