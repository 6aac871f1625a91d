"""``pytest-jevbench suite list``: what ``--jevbench-suite`` can name."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_jevbench.suite_loading import SuiteSummary

__all__ = ["HELP", "add_arguments", "run"]

HELP = "list the suites that can be run: the bundled ones and those of installed distributions"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command has no options."""


def run(args: argparse.Namespace) -> int:
    """Print a table, and what each suite is about."""
    from pytest_jevbench.suite_loading import list_suites

    sys.stdout.write("\n".join(_lines(list_suites())) + "\n")
    return 0


def _lines(suites: list[SuiteSummary]) -> list[str]:
    from pytest_jevbench.json_text import printable
    from pytest_jevbench.reports.text import representable, wrapped

    head = ("suite", "version", "cases", "domains", "tests", "requests")
    rows: list[tuple[str, ...]] = [head]
    for suite in suites:
        counts = (suite.cases, suite.domains, suite.tests, suite.requests)
        rows.append((printable(suite.spec), printable(suite.version), *("-" if n is None else str(n) for n in counts)))
    widths = [max(len(row[column]) for row in rows) for column in range(len(head))]
    lines = [_table_row(head, widths)]
    for suite, row in zip(suites, rows[1:], strict=True):
        lines.append(_table_row(row, widths))
        about = representable(suite.description, sys.stdout.encoding)
        lines += wrapped(about, 80, first="  ", rest="  ")
    lines += ["", "Run one with: pytest --jevbench-suite=SUITE, or the directory of one (./DIR)"]
    return lines


def _table_row(cells: tuple[str, ...], widths: list[int]) -> str:
    name, *rest = (
        cell.ljust(width) if column == 0 else cell.rjust(width)
        for column, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "  ".join([name, *rest])
