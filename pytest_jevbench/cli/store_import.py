"""``pytest-jevbench store import``: answers of exports into a store."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

__all__ = ["HELP", "add_arguments", "run"]

HELP = "put the answers of exports into the store; stored answers stay where they differ"
EXIT = "0 all answers are in the store, 1 some were left out, 2 bad input"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    from pytest_jevbench.cli.store_options import add_store_argument

    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="what `store export` wrote")
    parser.add_argument("--replace", action="store_true", help="where answers differ, keep those of the file")
    add_store_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Import each file, all or nothing; answers that differ and were left out are a finding."""
    from pytest_jevbench.cli.store_options import open_from_arguments
    from pytest_jevbench.models.store_export import import_answers

    left_out = 0
    with open_from_arguments(args, make=True) as store:
        for file in args.files:
            report = import_answers(store, file, replace=args.replace)
            outcome = "replaced" if args.replace else "differ from stored ones and were left out"
            sys.stdout.write(
                f"{file}: {report.added} answers added, {report.equal} were there, {report.different} {outcome}\n"
            )
            left_out += 0 if args.replace else report.different
    return 1 if left_out else 0
