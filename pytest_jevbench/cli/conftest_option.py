"""The option by which a command learns of laws of the user's own."""

from __future__ import annotations

import argparse

__all__ = ["add_conftest_option"]


def add_conftest_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--conftest``."""
    parser.add_argument(
        "--conftest",
        metavar="PATH",
        help="know the laws of your own that this file registers in pytest_jevbench_relations, too",
    )
