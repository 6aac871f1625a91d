"""``pytest-jevbench judge validate``: everything that is wrong with a fixture or a file of pairs."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from pytest_jevbench.cli.judge_options import add_data_arguments
from pytest_jevbench.cli.plain_errors import plain_errors
from pytest_jevbench.errors import InputError, Place

__all__ = ["HELP", "add_arguments", "run"]

HELP = "check fixtures and files of pairs: all problems at once; exit status 1 where there are any"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``judge validate``."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="a fixture, or a file of pairs")
    add_data_arguments(parser)


@plain_errors
def run(args: argparse.Namespace) -> int:
    """Check each file and say what is in it, or all that is wrong."""
    from pytest_jevbench.json_text import printable
    from pytest_jevbench.judges.problems import ManyProblems
    from pytest_jevbench.reports.text import representable

    sound = True
    for path in args.files:
        try:
            told = [_told(path, private=args.private)]
        except ManyProblems as error:
            sound = False
            told = [f"{path}: {len(error.problems)} problems", *(f"  {problem}" for problem in error.problems)]
        except InputError as error:
            sound = False
            told = [str(error)]
        sys.stdout.write(representable(printable("\n".join(told) + "\n"), sys.stdout.encoding))
    return 0 if sound else 1


def _told(path: str, *, private: bool) -> str:
    from pytest_jevbench.judges.json_places import read_checked

    return f"{path}: sound, {read_checked(path, lambda value, place: _content(value, place, private=private))}"


def _content(value: Any, place: Place, *, private: bool) -> str:
    if isinstance(value, dict) and "pairs" in value and "items" not in value:
        from pytest_jevbench.judges.pairs import pairs_from_json

        pairs = pairs_from_json(value, place, private=private)
        return f"{_counted(len(pairs.pairs), 'pair')} of {_counted(len(pairs.judges), 'judge')}"
    from pytest_jevbench.judges.fixture import fixture_from_json

    fixture = fixture_from_json(value, place, private=private)
    fit, held = len(fixture.part("fit")), len(fixture.part("holdout"))
    return f"{_counted(fit, 'item')} to fit and {held} held out, {_counted(len(fixture.judges), 'judge')}"


def _counted(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"
