"""Print the relations: what each changes, the law it states, what is measured, and where the law comes from."""

from __future__ import annotations

import argparse
import sys

from pytest_jevbench.cli.card_report import print_lines
from pytest_jevbench.cli.conftest_option import add_conftest_option
from pytest_jevbench.relations.own_law_sources import known_relations
from pytest_jevbench.reports.taxonomy_markdown import relations_page
from pytest_jevbench.reports.taxonomy_tree import taxonomy_tree

__all__ = ["HELP", "add_arguments", "run"]

HELP = "list the relations by dimension and group, with law, check and what they edit"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``relations``."""
    parser.add_argument("-v", "--verbose", action="store_true", help="with each law in words, its variants and source")
    add_conftest_option(parser)
    parser.add_argument("--markdown", action="store_true", help="the page docs/relations.md instead, always in UTF-8")


def run(args: argparse.Namespace) -> int:
    """Print the tree or the page."""
    if args.markdown:
        sys.stdout.flush()
        sys.stdout.buffer.write(relations_page().encode())
    else:
        print_lines(taxonomy_tree(args.verbose, known_relations(args.conftest).own))
    return 0
