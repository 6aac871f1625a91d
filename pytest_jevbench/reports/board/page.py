"""The board as a page of HTML that loads nothing."""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from pytest_jevbench import __version__
from pytest_jevbench.json_text import printable
from pytest_jevbench.relations.taxonomy import DIMENSIONS
from pytest_jevbench.reports.board.entries import Board
from pytest_jevbench.reports.board.text import board_notes
from pytest_jevbench.reports.numbers import bracketed, points, points_interval
from pytest_jevbench.reports.radar_cards import radar_grid_of_cards
from pytest_jevbench.reports.text import percent
from pytest_jevbench.scoring.ranking import RankedPair

if TYPE_CHECKING:
    import jinja2

    from pytest_jevbench.reports.families import Families

__all__ = ["board_page"]

MOST_PAIRS = 66
"""Pairs that the page lists: those of 12 models. More stand in board.json alone."""
MOST_RADARS = 24
"""Radars on the page: the others' scores stand in the table alone."""


class _PairRow(NamedTuple):
    better: str
    other: str
    difference: str
    interval: str
    apart: bool


def board_page(board: Board, *, title: str | None = None, families: Families | None = None) -> str:
    """The whole page. Every text of a card is escaped, and the browser is told to load nothing."""
    script = _asset("board.js")
    template = _environment().get_template("board.html.j2")
    ranking, suite = board.ranking, board.card.data["identity"]["suite"]
    return str(
        template.render(
            title=title or f"Coherence of {len(board.entries)} model{'s' if len(board.entries) != 1 else ''}",
            suite=suite,
            board=board,
            by=ranking.by,
            graded=ranking.graded,
            dimensions=DIMENSIONS,
            labelled=any(entry.accuracy.value is not None for entry in board.entries),
            counts=board.card.data["counts"],
            settings=board.card.settings,
            notes=list(board_notes(board)),
            pairs=[_pair(board, pair) for pair in ranking.pairs] if len(ranking.pairs) <= MOST_PAIRS else [],
            all_pairs=len(ranking.pairs),
            grid=Markup(_grid(board, families)),
            style=Markup(_asset("board.css")),
            script=Markup(script),
            script_hash=b64encode(sha256(script.encode()).digest()).decode(),
            version=__version__,
        )
    )


def _grid(board: Board, families: Families | None) -> str:
    """Small radars of those that have anything to draw."""
    shown = [entry for entry in board.entries if any(mean.score is not None for mean in entry.dimensions)][:MOST_RADARS]
    if not shown:
        return ""
    names = [entry.name for entry in shown]
    return radar_grid_of_cards(
        [entry.card for entry in shown],
        metric="graded" if board.ranking.graded else "binary",
        families=families,
        names=names,
        title="Scores by dimension",
    )


def _pair(board: Board, pair: RankedPair) -> _PairRow:
    first, second = board.entries[pair.first], board.entries[pair.second]
    return _PairRow(
        first.name, second.name, points(pair.difference), points_interval(pair.interval), pair.better is not None
    )


@cache
def _environment() -> jinja2.Environment:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("pytest_jevbench.reports.board", package_path=""),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible,
    )
    environment.filters.update(percent=percent, bracketed=bracketed, count=lambda number: f"{number:,}", ranks=_ranks)
    return environment


def _ranks(ranks: tuple[int, int] | None) -> str:
    if ranks is None:
        return "–"
    return str(ranks[0]) if ranks[0] == ranks[1] else f"{ranks[0]}–{ranks[1]}"


def _visible(value: Any) -> Any:
    """Marks of direction and the like as their codes: they would change how the text around them reads."""
    return printable(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def _asset(name: str) -> str:
    return (files("pytest_jevbench.reports.board") / name).read_text(encoding="utf-8")
