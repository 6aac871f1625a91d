"""``pytest-jevbench rubrics show``: one rubric in full."""

from __future__ import annotations

import argparse
import sys

__all__ = ["HELP", "add_arguments", "run"]

HELP = "print a rubric: purpose, scoring, three questions"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("rubric", metavar="ID", help="a rubric that comes with the package, or a YAML file of your own")
    parser.add_argument("--json", action="store_true", help="as JSON")


def run(args: argparse.Namespace) -> int:
    """Print it."""
    from pytest_jevbench.json_text import dumps, printable
    from pytest_jevbench.judges.rubrics import find_rubric
    from pytest_jevbench.reports.text import wrapped

    rubric = find_rubric(args.rubric)
    if args.json:
        sys.stdout.write(dumps(rubric.to_json(), indent=1) + "\n")
        return 0
    lines = [rubric.id, rubric.title]
    for name, text in (("purpose", rubric.purpose), ("scoring", rubric.scoring)):
        lines += ["", *wrapped(text, 80, f"{name:<9}", " " * 9)]
    lines.append("")
    for question in rubric.questions:
        lines += [f"{question.id}", *wrapped(question.ask, 80, "  ", "  ")]
    sys.stdout.write("".join(f"{printable(row)}\n" for row in lines))
    return 0
