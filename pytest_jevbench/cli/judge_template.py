"""``pytest-jevbench judge template``: a file to start from."""

from __future__ import annotations

import argparse
import sys

__all__ = ["HELP", "add_arguments", "run"]

HELP = "print a small fixture, or file of pairs, to start your own from"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``judge template``."""
    parser.add_argument("--pairs", action="store_true", help="print a file of pairs instead")


def run(args: argparse.Namespace) -> int:
    """Print it."""
    from pytest_jevbench.json_text import dumps
    from pytest_jevbench.judges.demo import FIXTURE_TEMPLATE, PAIRS_TEMPLATE

    sys.stdout.write(dumps(PAIRS_TEMPLATE if args.pairs else FIXTURE_TEMPLATE, indent=1) + "\n")
    return 0
