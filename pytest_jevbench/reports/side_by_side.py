"""Several cards in one table, a column each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from pytest_jevbench.relations.taxonomy import DIMENSIONS, JUDGE
from pytest_jevbench.reports.tables import (
    BESIDE_TITLES,
    UNIFORM_NOTE,
    Level,
    Metric,
    note_texts,
    tests_dimensions,
    title_of,
)
from pytest_jevbench.reports.text import Line, Segment, Style, clip, columns, line, percent, wrapped
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.scores import MeanScore, Scores

__all__ = ["side_by_side"]

WIDTH = 80
NAME, COLUMN = 35, 15
AT_ONCE = (WIDTH - NAME) // COLUMN


def side_by_side(cards: Sequence[Card], *, level: Level = "dimension", metric: Metric = "binary") -> list[Line]:
    """A table with one column a card, in further blocks where 80 columns do not hold them all; then their notes."""
    lines: list[Line] = []
    for start in range(0, len(cards), AT_ONCE):
        lines += [line("")] if start else []
        lines += _block(cards[start : start + AT_ONCE], level, metric)
    lines.append(line(""))
    what = "graded scores" if metric == "graded" else "scores"
    lines.append(line(f"{what}, 100 = every law kept; brackets: 95% interval over cases"))
    suites = list(dict.fromkeys(card.suite for card in cards))
    if len(suites) > 1:
        lines.append(line(Segment(f"the cards are of different suites: {', '.join(suites)}", "caution")))
    for text, names in _notes(cards, level).items():
        said = text if len(names) == len(cards) else f"{', '.join(names)}: {text}"
        lines += [line(row) for row in wrapped(said, WIDTH, "* ", "  ")]
    return lines


def _notes(cards: Sequence[Card], level: Level) -> dict[str, list[str]]:
    """What a reader must know beside the numbers, with the names of the cards that it is about."""
    notes: dict[str, list[str]] = {}
    for card in cards:
        for text in note_texts(card, "domain" if level == "domain" else "dimension"):
            if text != UNIFORM_NOTE:  # this table has no such column
                notes.setdefault(text, []).append(card.name)
    return notes


def _block(cards: Sequence[Card], level: Level, metric: Metric) -> list[Line]:
    heads = "".join(_right(clip(card.name, COLUMN - 1)) for card in cards)
    lines = [line(Segment(" " * NAME + heads, "title"))]
    cut = [card.verbalised and columns(card.name) >= COLUMN for card in cards]
    if any(cut):  # the mark at the end of a name
        marks = "".join(_right("verbalised" if was_cut else "") for was_cut in cut)
        lines.append(line(Segment(" " * NAME + marks.rstrip(), "title")))
    for name, style, value in _rows(cards, level, metric):
        cells = "".join(_right(value(card)) for card in cards)
        lines.append(line(Segment(_left(name) + cells, style)))
    return lines


def _rows(cards: Sequence[Card], level: Level, metric: Metric) -> Iterator[tuple[str, Style, Callable[[Card], str]]]:
    other: Metric = "binary" if metric == "graded" else "graded"
    tested = any(tests_dimensions(card.scores) for card in cards)
    if tested:
        yield "overall", "strong", lambda card: _with_interval(card.scores.overall, metric)
        yield f"overall, {other}", "", lambda card: _with_interval(card.scores.overall, other)
    if level == "domain":
        for name in dict.fromkeys(d.name for card in cards for d in card.scores.domains):
            yield f"  {name}", "", lambda card, d=name: _domain(card.scores, d, metric, tested)  # type: ignore[misc]
    for dimension in DIMENSIONS if tested and level != "domain" else ():
        yield title_of(dimension.id), "strong", lambda card, d=dimension: _mean(card.scores, d.id, metric)  # type: ignore[misc]
        if level in ("group", "relation"):
            for group in _groups(cards, dimension.id):
                yield f"  {title_of(group)}", "", lambda card, g=group: _mean(card.scores, g, metric)  # type: ignore[misc]
                for relation in _relations(cards, group) if level == "relation" else ():
                    yield f"    {relation}", "", lambda card, r=relation: _relation(card.scores, r, metric)  # type: ignore[misc]
    own = {row.name: row.group for card in cards for row in card.scores.own}
    if JUDGE.id in own.values():
        yield BESIDE_TITLES[JUDGE.id], "strong", lambda card: _judge(card.scores, metric)
    for relation, group in own.items():
        name = f"  {relation}" if group == JUDGE.id else f"own law  {relation}"
        yield name, "", lambda card, r=relation: _relation(card.scores, r, metric)  # type: ignore[misc]
    if any(card.data.get("accuracy") for card in cards):
        yield "accuracy on gold answers", "strong", _accuracy
    yield "cases / tests judged", "faint", _sizes


def _groups(cards: Sequence[Card], dimension: str) -> list[str]:
    names = dict.fromkeys(group.name for card in cards for group in card.scores.groups)
    return [name for name in names if name.partition(".")[0] == dimension]


def _relations(cards: Sequence[Card], group: str) -> list[str]:
    return list(dict.fromkeys(row.name for card in cards for row in card.scores.relations if row.group == group))


def _value(mean: MeanScore | None, metric: Metric) -> float | None:
    if mean is None:
        return None
    return mean.graded if metric == "graded" else mean.score


def _with_interval(mean: MeanScore, metric: Metric) -> str:
    interval = mean.graded_interval if metric == "graded" else mean.interval
    shown = percent(_value(mean, metric))
    return shown if interval is None else f"{shown} [{100 * interval.low:.0f}-{100 * interval.high:.0f}]"


def _mean(scores: Scores, name: str, metric: Metric) -> str:
    return percent(_value(scores.mean(name), metric))


def _judge(scores: Scores, metric: Metric) -> str:
    mean = scores.mean(JUDGE.id)
    return "" if mean is None else _with_interval(mean, metric)


def _relation(scores: Scores, name: str, metric: Metric) -> str:
    row = scores.relation(name)
    return "" if row is None else percent(row.graded if metric == "graded" else row.score)


def _domain(scores: Scores, name: str, metric: Metric, overall: bool) -> str:
    found = next((domain for domain in scores.domains if domain.name == name), None)
    return "" if found is None else percent(_value(found.overall if overall else found.judge, metric))


def _accuracy(card: Card) -> str:
    section = card.data.get("accuracy")
    return percent(section["accuracy_answered"]) if section else ""


def _sizes(card: Card) -> str:
    judged = card.scores.relations if tests_dimensions(card.scores) else card.scores.own
    cases = card.scores.cases if tests_dimensions(card.scores) else len(card.cases)
    return f"{cases} / {sum(row.judged for row in judged)}"


def _left(name: str) -> str:
    shown = clip(name, NAME)
    return shown + " " * (NAME - columns(shown))


def _right(text: str) -> str:
    return " " * (COLUMN - columns(text)) + text
