"""The page of ``card report``: cards, labelled and judge results as one HTML file."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import cast

from pytest_jevbench.cli.card_options import documents_of
from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.files import write_whole
from pytest_jevbench.json_text import printable
from pytest_jevbench.reports.families import read_families
from pytest_jevbench.reports.radar_cards import RadarLevel
from pytest_jevbench.scoring.card_reading import read_card

__all__ = ["add_page_arguments", "write_page"]

_LEVELS = ("dimension", "group")


def add_page_arguments(parser: argparse.ArgumentParser) -> None:
    """The options that make the page."""
    page = parser.add_argument_group("page", "instead of the table: one HTML file that needs no network")
    page.add_argument(
        "--html", metavar="PATH", help="write the cards here as a page; labelled and judge results may be among them"
    )
    page.add_argument("--baseline", metavar="CARD", help="say in the page of --html what changed against this card")


def write_page(args: argparse.Namespace) -> None:
    """Read, make the page, write it, and say so. Raises :class:`InputError`, then with nothing written."""
    from pytest_jevbench.reports.html.page import report_page
    from pytest_jevbench.reports.html.section import report_of

    if args.level not in _LEVELS:
        raise InputError.unexpected(args.level, "--level dimension or group with --html", Place(field="--level"))
    documents = documents_of(args)
    baseline = None if args.baseline is None else read_card(args.baseline)
    families = None if args.families is None else read_families(args.families)
    report = report_of(
        documents, baseline=baseline, level=cast(RadarLevel, args.level), metric=args.metric, families=families
    )
    page = report_page(report, title=args.title)
    path = Path(args.html)
    path.resolve().parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, page)
    print(f"report: {printable(args.html)} ({len(page.encode()) / 1e6:.1f} MB)")  # noqa: T201
