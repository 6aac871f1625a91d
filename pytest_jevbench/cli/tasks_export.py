"""Write what of labelled results may be published."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from pytest_jevbench.counting import counted
from pytest_jevbench.files import refuse_input, write_whole
from pytest_jevbench.json_text import dumps
from pytest_jevbench.labelled.document import read_labelled
from pytest_jevbench.labelled.export import public_export

__all__ = ["HELP", "add_arguments", "run"]

HELP = "write the public part of labelled results, computed anew: no text and no row of a private split"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``tasks export``."""
    parser.add_argument("results", nargs="+", metavar="RESULT", help="a result that a labelled run wrote (.json)")
    parser.add_argument("--out", type=Path, metavar="OUT", help="the file to write (default: standard output)")
    parser.add_argument("--no-rows", action="store_true", help="leave the rows of public tasks out, too")


def run(args: argparse.Namespace) -> int:
    """Read, compute, write. Raises :class:`InputError`."""
    if args.out is not None:
        refuse_input(args.out, args.results)
    text = dumps(public_export([read_labelled(path) for path in args.results], rows=not args.no_rows), indent=1) + "\n"
    if args.out is None:
        sys.stdout.write(text)
    else:
        write_whole(args.out, text)
        sys.stdout.write(f"{args.out}: {counted(len(args.results), 'result')}\n")
    return 0
