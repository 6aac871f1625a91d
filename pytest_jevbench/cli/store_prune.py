"""``pytest-jevbench store prune``: a smaller store."""

from __future__ import annotations

import argparse
import math
import sys

__all__ = ["HELP", "add_arguments", "run"]

HELP = "remove the answers that fit all criteria given, and what killed runs left; then make the file small"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    from pytest_jevbench.cli.store_options import add_model_choice, add_store_argument

    add_store_argument(parser)
    add_model_choice(parser)
    parser.add_argument("--older-than", type=days, metavar="DAYS", help="answers stored more than DAYS ago")
    parser.add_argument("--unused-for", type=days, metavar="DAYS", help="answers of models not used for DAYS")
    parser.add_argument("--refused", action="store_true", help="refusals alone")
    parser.add_argument("--dry-run", action="store_true", help="say what would be removed, and remove nothing")


def run(args: argparse.Namespace) -> int:
    """Remove, and print how much."""
    from pytest_jevbench.cli.store_options import chosen_models, open_from_arguments, size_text
    from pytest_jevbench.models.store_upkeep import prune

    with open_from_arguments(args) as store:
        now = store.now()
        report = prune(
            store,
            wanted=chosen_models(args),
            stored_before=None if args.older_than is None else now - args.older_than * 86_400.0,
            used_before=None if args.unused_for is None else now - args.unused_for * 86_400.0,
            only_refused=args.refused,
            dry_run=args.dry_run,
        )
    done = "would be removed" if args.dry_run else f"removed, {size_text(report.bytes)} freed"
    sys.stdout.write(f"{report.answers} answers and {report.models} models {done}\n")
    return 0


def days(text: str) -> float:
    """A number of days of at least 0. Raises ``ValueError``."""
    number = float(text)
    if not (number >= 0.0 and math.isfinite(number)):
        raise ValueError(text)
    return number
