"""A static board of several models: a page, its figures as CSV and JSON, and a page for each model."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from pytest_jevbench.cli.card_options import add_card_arguments, cards_of
from pytest_jevbench.cli.card_report import print_lines
from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.files import write_whole
from pytest_jevbench.json_text import dumps
from pytest_jevbench.reports.board.csv_text import board_csv
from pytest_jevbench.reports.board.document import board_json
from pytest_jevbench.reports.board.entries import PAGES, Board, board_of
from pytest_jevbench.reports.board.page import board_page
from pytest_jevbench.reports.board.text import board_lines
from pytest_jevbench.reports.families import Families, read_families
from pytest_jevbench.reports.text import line
from pytest_jevbench.scoring.ranking import rank_cards
from pytest_jevbench.scoring.weights import OVERALL

__all__ = ["HELP", "add_arguments", "run"]

HELP = "make a static board of several models: ranks as far as the tests tell them apart, page, CSV and JSON"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``board``."""
    parser.add_argument(
        "cards", nargs="+", metavar="CARD", help="a card of one model each, or a report in the published layout"
    )
    parser.add_argument("-o", "--output", required=True, metavar="DIR", help="folder to write into, made where needed")
    parser.add_argument(
        "--by", default=OVERALL, metavar="SCORE", help=f"rank by overall, a dimension or a group (default: {OVERALL})"
    )
    parser.add_argument(
        "--metric",
        choices=("binary", "graded"),
        default="binary",
        help="rank by the share of tests held, or by how far laws are broken (default: binary)",
    )
    add_card_arguments(parser)
    parser.add_argument("--title", metavar="TEXT", help="the page's heading (default: how many models)")
    parser.add_argument("--families", metavar="FILE", help="YAML with a list of model names a family, for the pictures")
    parser.add_argument("--no-pages", action="store_true", help="make no page for each model")


def run(args: argparse.Namespace) -> int:
    """Rank, write, and print the table. Raises :class:`InputError`, then with nothing written."""
    folder = Path(args.output)
    if folder.exists() and not folder.is_dir():
        raise InputError("this is a file, not a folder", place=Place(folder))
    families = None if args.families is None else read_families(args.families)
    ranking = rank_cards(cards_of(args), by=args.by, graded=args.metric == "graded")
    board = board_of(ranking, pages=not args.no_pages)
    count = 0
    for path, text in _files(board, args.title, families):
        target = folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        write_whole(target, text)
        count += path.startswith(f"{PAGES}/")
    print_lines([*board_lines(board), line(""), line(f"board: {folder / 'index.html'}   ({_others(count)})")])
    return 0


def _files(board: Board, title: str | None, families: Families | None) -> Iterator[tuple[str, str]]:
    """Path and text of each file; index.html comes last, when all that it links to is there."""
    page = board_page(board, title=title, families=families)
    for entry in board.entries:
        if entry.page:
            yield entry.page, _model_page(board, entry.name, entry.page)
    yield "board.csv", board_csv(board)
    yield "board.json", dumps(board_json(board), indent=1) + "\n"
    yield "index.html", page


def _model_page(board: Board, name: str, page: str) -> str:
    """The report of one model."""
    from pytest_jevbench.reports.html.page import report_page
    from pytest_jevbench.reports.html.section import report_of

    card = next(entry.card for entry in board.entries if entry.page == page)
    return report_page(report_of([card]), title=f"{name} on {card.suite or 'own cases'}")


def _others(pages: int) -> str:
    return f"beside it: board.csv, board.json{f', {pages} page' + 's' * (pages > 1) if pages else ''}"
