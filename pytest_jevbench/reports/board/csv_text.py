"""A board as CSV, for spreadsheets and data frames."""

from __future__ import annotations

import csv
import io

from pytest_jevbench.json_text import printable
from pytest_jevbench.relations.taxonomy import DIMENSIONS
from pytest_jevbench.reports.board.entries import Board, Entry, Reference
from pytest_jevbench.scoring.intervals import Interval
from pytest_jevbench.scoring.weights import OVERALL

__all__ = ["board_csv"]

_DIMENSIONS = tuple(dimension.id for dimension in DIMENSIONS)
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def board_csv(board: Board) -> str:
    """One row a model, best first, then the reference model. Figures are shares with a decimal point; blank is none."""
    out = io.StringIO()
    rows = csv.DictWriter(out, _FIELDS, lineterminator="\n")
    rows.writeheader()
    rows.writerows(_row(entry) for entry in board.entries)
    if board.reference is not None:
        rows.writerow(_reference(board.reference))
    return out.getvalue()


_FIELDS = (
    *("kind", "rank_low", "rank_high", "model", "complete"),
    *("overall", "overall_low", "overall_high", "graded", "graded_low", "graded_high"),
    *_DIMENSIONS,
    *("accuracy", "accuracy_low", "accuracy_high", "labelled_questions"),
    *("tests", "violated", "unjudged", "verbalised", "unranked", "page"),
)


def _row(entry: Entry) -> dict[str, str]:
    counts, accuracy = entry.card.data["counts"], entry.accuracy
    low, high = entry.ranks or (None, None)
    return {
        "kind": "model",
        "rank_low": _number(low),
        "rank_high": _number(high),
        "model": _text(entry.name),
        "complete": _flag(entry.complete),
        **_with_bounds("overall", entry.overall.score, entry.overall.interval),
        **_with_bounds("graded", entry.overall.graded, entry.overall.graded_interval),
        **{mean.name: _number(mean.score) for mean in entry.dimensions},
        **_with_bounds("accuracy", accuracy.value, accuracy.interval),
        "labelled_questions": _number(accuracy.questions),
        "tests": _number(counts["planned"]),
        "violated": _number(counts["violated"]),
        "unjudged": _number(counts["unjudged"]["total"]),
        "verbalised": _flag(entry.card.verbalised),
        "unranked": _text(entry.standing.reason),
        "page": entry.page,
    }


def _reference(reference: Reference) -> dict[str, str]:
    return {
        "kind": "reference",
        "model": _text(reference.name),
        "overall": _number(reference.scores.get(OVERALL)),
        "graded": _number(reference.graded.get(OVERALL)),
        **{name: _number(reference.scores.get(name)) for name in _DIMENSIONS},
        "accuracy": _number(reference.accuracy),
    }


def _with_bounds(name: str, value: float | None, interval: Interval | None) -> dict[str, str]:
    low, high = (None, None) if interval is None else (interval.low, interval.high)
    return {name: _number(value), f"{name}_low": _number(low), f"{name}_high": _number(high)}


def _number(value: float | None) -> str:
    """The shortest decimal digits that give the number again."""
    return "" if value is None else repr(value)


def _flag(value: bool) -> str:
    return "yes" if value else "no"


def _text(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    flat = printable(text).replace("\n", " ")
    return f"'{flat}" if flat.lstrip().startswith(_FORMULA) else flat
