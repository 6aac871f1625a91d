"""Print the figures of labelled results again, one in full or several side by side."""

from __future__ import annotations

import argparse
import sys

from pytest_jevbench.cli.card_report import print_lines
from pytest_jevbench.json_text import dumps
from pytest_jevbench.labelled.document import read_labelled
from pytest_jevbench.labelled.ranking import rank
from pytest_jevbench.reports.labelled_text import labelled_summary, labelled_table

__all__ = ["HELP", "add_arguments", "run"]

HELP = "print the figures of labelled results, computed from their rows; several stand side by side"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``tasks summarize``."""
    parser.add_argument("results", nargs="+", metavar="RESULT", help="a result that a labelled run wrote (.json)")
    parser.add_argument(
        "--by",
        choices=("family", "split", "type"),
        action="append",
        metavar="PART",
        help="tell accuracy by family, split or type; may be given again (default: family and split)",
    )
    parser.add_argument("--json", action="store_true", help="print all figures as JSON instead")


def run(args: argparse.Namespace) -> int:
    """Read, compute, print. Raises :class:`InputError`."""
    documents = [read_labelled(path) for path in args.results]
    if args.json:
        rows = [
            {
                "name": of.document.name,
                "dataset": of.document.sha256,
                "rank": of.place,
                "no_rank_because": of.why,
                **of.document.figures.to_json(),
            }
            for of in rank(documents)
        ]
        sys.stdout.write(dumps(rows, indent=1) + "\n")
    elif len(documents) == 1:
        print_lines(labelled_summary(documents[0], parts=args.by or ("family", "split")))
    else:
        print_lines(labelled_table(documents))
    return 0
