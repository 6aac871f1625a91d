"""``pytest-jevbench rubrics list``: the rubrics that come with the package."""

from __future__ import annotations

import argparse
import sys

__all__ = ["HELP", "add_arguments", "run"]

HELP = "list the rubrics that come with the package"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("--json", action="store_true", help="all rubrics in full, as JSON")


def run(args: argparse.Namespace) -> int:
    """Print one line a rubric."""
    from pytest_jevbench.json_text import dumps
    from pytest_jevbench.judges.rubrics import rubrics

    if args.json:
        sys.stdout.write(dumps([rubric.to_json() for rubric in rubrics()], indent=1) + "\n")
        return 0
    width = max(len(rubric.id) for rubric in rubrics())
    sys.stdout.write("".join(f"{rubric.id:<{width}}  {rubric.title}\n" for rubric in rubrics()))
    return 0
