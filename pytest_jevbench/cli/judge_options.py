"""The options that the commands of the group ``judge`` share, and how they print."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_jevbench.errors import InputError, Place

if TYPE_CHECKING:
    from pytest_jevbench.judges.document import JudgeSettings
    from pytest_jevbench.judges.fixture import JudgeFixture
    from pytest_jevbench.judges.pairs import PairFile

__all__ = [
    "add_data_arguments",
    "add_figure_arguments",
    "add_output_arguments",
    "fixture_of",
    "number",
    "pairs_of",
    "settings_of",
    "show",
    "whole",
]


def add_data_arguments(parser: argparse.ArgumentParser, *, fixture: bool = False, pairs: bool = False) -> None:
    """``--fixture``, ``--pairs`` and ``--private``."""
    if fixture:
        parser.add_argument("--fixture", metavar="FILE", help="recorded judgments (default: the bundled demonstration)")
    if pairs:
        rest = (
            "none for a fixture of your own, else the bundled demonstration" if fixture else "the bundled demonstration"
        )
        parser.add_argument("--pairs", metavar="FILE", help=f"recorded preferences in both orders (default: {rest})")
    parser.add_argument(
        "--private",
        action="store_true",
        help="data that stays here: it need not be synthetic and licensed, and e-mail addresses are not looked for",
    )


def add_figure_arguments(parser: argparse.ArgumentParser, *, bins: bool = True) -> None:
    """``--bins`` and ``--bootstrap``."""
    if bins:
        parser.add_argument(
            "--bins", type=whole(1, 1000), default=10, metavar="N", help="bins of equal width (default: 10)"
        )
    parser.add_argument(
        "--bootstrap",
        type=whole(0, 100_000),
        default=2000,
        metavar="N",
        help="draws for intervals, 0 for none (default: 2000)",
    )


def add_output_arguments(parser: argparse.ArgumentParser) -> None:
    """How the result is printed and where it is written."""
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the whole result as a JSON document instead")
    form.add_argument("--markdown", action="store_true", help="print the tables as Markdown instead")
    parser.add_argument("--html", metavar="FILE", help="write a report as one HTML file too")


def fixture_of(args: argparse.Namespace) -> JudgeFixture:
    """The fixture that was named, or the demonstration. Raises :class:`InputError`."""
    if args.fixture is None:
        from pytest_jevbench.judges.demo import demo_fixture

        return demo_fixture()
    from pytest_jevbench.judges.fixture import read_fixture

    return read_fixture(args.fixture, private=args.private)


def pairs_of(args: argparse.Namespace) -> PairFile | None:
    """The pairs that were named; without a name the demonstration, but none beside a fixture of one's own."""
    if args.pairs is not None:
        from pytest_jevbench.judges.pairs import read_pairs

        return read_pairs(args.pairs, private=args.private)
    if getattr(args, "fixture", None) is not None:
        return None
    from pytest_jevbench.judges.demo import demo_pairs

    return demo_pairs()


def settings_of(args: argparse.Namespace) -> JudgeSettings:
    """The settings that the options give; what a command has no option for keeps its default."""
    from dataclasses import replace

    from pytest_jevbench.judges.document import JudgeSettings

    names = ("bins", "platt_targets", "histogram_alpha", "false_positive_cost", "false_negative_cost")
    given = {name: getattr(args, name) for name in (*names, "alpha", "delta", "testing") if hasattr(args, name)}
    if getattr(args, "method", None):
        given["methods"] = tuple(args.method)
    if hasattr(args, "bootstrap"):
        given["draws"] = args.bootstrap
    return replace(JudgeSettings(), **given)


def show(document: Mapping[str, Any], args: argparse.Namespace) -> None:
    """Print a document as the options say, and write the report where one is wanted. Raises :class:`InputError`."""
    from pytest_jevbench.json_text import dumps

    if args.html is not None:
        _write_html(document, args.html)
    if args.json:
        sys.stdout.write(dumps(document, indent=1) + "\n")
    elif args.markdown:
        from pytest_jevbench.reports.judge_text import judge_markdown
        from pytest_jevbench.reports.text import representable

        sys.stdout.write(representable(judge_markdown(document), sys.stdout.encoding))
    else:
        from pytest_jevbench.cli.card_report import print_lines
        from pytest_jevbench.reports.judge_text import judge_lines

        print_lines(judge_lines(document))


def _write_html(document: Mapping[str, Any], path: str) -> None:
    from pytest_jevbench.files import write_whole
    from pytest_jevbench.reports.html.documents import Result
    from pytest_jevbench.reports.html.page import report_page
    from pytest_jevbench.reports.html.section import report_of

    if Path(path).is_dir():
        raise InputError("this is a directory, not a file", place=Place(path), advice="Name the HTML file")
    write_whole(path, report_page(report_of([Result("judges", document)])))


def whole(low: int, high: int) -> Callable[[str], int]:
    """Reads a whole number from ``low`` to ``high``."""

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = low - 1
        if not low <= value <= high:
            raise argparse.ArgumentTypeError(f"found {text!r}; give a whole number from {low} to {high}")
        return value

    return read


def number(wanted: str, allowed: Callable[[float], bool]) -> Callable[[str], float]:
    """Reads a finite number that is allowed; ``wanted`` says in words what is."""

    def read(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not (math.isfinite(value) and allowed(value)):
            raise argparse.ArgumentTypeError(f"found {text!r}; give {wanted}")
        return value

    return read
