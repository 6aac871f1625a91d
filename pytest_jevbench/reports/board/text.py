"""A board as lines of text that fit 80 columns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_jevbench.relations.taxonomy import DIMENSIONS
from pytest_jevbench.reports.board.entries import Board, Entry, Reference
from pytest_jevbench.reports.text import Line, Segment, Style, line, pad, percent, wrapped
from pytest_jevbench.scoring.intervals import Interval
from pytest_jevbench.scoring.weights import OVERALL

__all__ = ["board_lines", "board_notes", "rank_text"]

WIDTH = 80


def rank_text(ranks: tuple[int, int] | None) -> str:
    """``3``, ``2-4``, or a dash."""
    if ranks is None:
        return "-"
    return str(ranks[0]) if ranks[0] == ranks[1] else f"{ranks[0]}-{ranks[1]}"


def board_lines(board: Board) -> list[Line]:
    """The table: rank, model, overall with interval, dimensions, accuracy; then what a reader must know."""
    row = _Columns(max([3, *(len(_bounds(entry.overall.interval)) for entry in board.entries)]))
    lines = [row.heads()]
    for number, entry in enumerate(board.ranked):
        if number == board.place and board.reference is not None:
            lines.append(row.of_reference(board.reference))
        lines.append(row.of_entry(entry))
    if board.place == len(board.ranked) and board.reference is not None:
        lines.append(row.of_reference(board.reference))
    lines += [row.of_entry(entry, "caution") for entry in board.unranked]
    lines.append(line(""))
    for entry in board.unranked:
        lines += [line(text) for text in wrapped(f"{entry.name}: {entry.standing.reason}", WIDTH, "* ", "  ")]
    for note in board_notes(board):
        lines += [line(Segment(text, "faint")) for text in wrapped(note, WIDTH, "* ", "  ")]
    return lines


class _Columns:
    """The columns of the table: the model's name takes what the others leave of 80."""

    def __init__(self, bounds: int) -> None:
        self._bounds = bounds
        self._name = WIDTH - (6 + 8 + 1 + bounds + 6 * len(DIMENSIONS) + 6)

    def heads(self) -> Line:
        return self._line("rank", "model", "overall", "95%", [dimension.id for dimension in DIMENSIONS], "acc", "title")

    def of_entry(self, entry: Entry, style: Style = "") -> Line:
        overall, figures = entry.overall, [percent(mean.score) for mean in entry.dimensions]
        accuracy = percent(entry.accuracy.value)
        shown = rank_text(entry.ranks), entry.name, percent(overall.score), _bounds(overall.interval)
        return self._line(*shown, figures, accuracy, style)

    def of_reference(self, reference: Reference) -> Line:
        figures = [percent(reference.scores.get(dimension.id)) for dimension in DIMENSIONS]
        overall = percent(reference.scores.get(OVERALL))
        return self._line("", f"{reference.name} (ref.)", overall, "", figures, percent(reference.accuracy), "faint")

    def _line(
        self, rank: str, name: str, score: str, bounds: str, figures: Sequence[str], accuracy: str, style: Style
    ) -> Line:
        text = f"{rank:<6}{pad(name, self._name)}{score:>8} {bounds:>{self._bounds}}"
        return line(Segment(text + "".join(f"{figure:>6}" for figure in (*figures, accuracy)), style))


def board_notes(board: Board) -> Iterator[str]:
    """How the board is to be read, sentence by sentence."""
    ranking = board.ranking
    by = f"the {'graded ' if ranking.graded else ''}{ranking.by} score"
    if ranking.ranked > 1:
        yield (
            f"Ranked by {by}. A rank range tells what these tests can: two models are told apart only where the 95 % "
            f"interval of their difference ({ranking.draws:,} bootstrap draws, paired over cases) leaves out 0. Each "
            "pair is looked at by itself: of 20 pairs of equal models about one is told apart by chance"
        )
    else:
        yield f"Fewer than two models can be ranked by {by}: there is nothing to compare"
    if board.unranked:
        yield "Models without a rank count for nobody's rank"
    if board.reference is not None:
        yield (
            "uniform (reference): a model that reads nothing and gives all answers equal probability. Coherence is not "
            "quality: read it beside accuracy"
        )
    if any(entry.accuracy.value is not None for entry in board.entries):
        yield "Accuracy (acc): right answers among all labelled questions; a question without an answer counts as wrong"
    if any(entry.card.verbalised for entry in board.entries):
        yield "Verbalised: the probabilities were written as text by a chat model, not read off a distribution"


def _bounds(interval: Interval | None) -> str:
    return "" if interval is None else f"[{100 * interval.low:.1f},{100 * interval.high:.1f}]"
