"""A card as a piece of HTML for a notebook: verdict, scores, radar, what a reader must know, the worst violations.

It stands on whatever colours the page has, and every text that a model or a person wrote is escaped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from pytest_jevbench.counting import counted
from pytest_jevbench.json_text import printable
from pytest_jevbench.reports.numbers import bracketed
from pytest_jevbench.reports.radar_cards import radar_of_cards
from pytest_jevbench.reports.tables import note_texts, title_of
from pytest_jevbench.reports.text import percent
from pytest_jevbench.reports.worst_of_card import worst_of_card
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.scores import MeanScore

__all__ = ["card_html", "html_table"]

WORST = 3

_CELL = "padding:.15em .7em;text-align:{};border:0"


def card_html(card: Card) -> str:
    """The card as HTML without scripts or links."""
    return "\n".join(
        [
            '<div class="jevbench-card" style="max-width:60em">',
            f"<p><strong>{text(card.name)}</strong> · {text(card.suite or 'own cases')}<br>{_counts(card)}</p>",
            '<div style="display:flex;flex-wrap:wrap;gap:1em;align-items:flex-start">',
            f"<div>{_scores(card)}</div>",
            f'<div style="flex:0 1 26em">{radar_of_cards([card])}</div>',
            "</div>",
            *_notes(card),
            *_worst(card),
            "</div>",
        ]
    )


def html_table(head: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """A table; cells are text and are escaped. The first ``left`` columns are texts, the others figures."""

    def row(cells: Sequence[str], tag: str) -> str:
        styles = [_CELL.format("left" if at < left else "right") for at in range(len(cells))]
        made = (f'<{tag} style="{style}">{text(cell)}</{tag}>' for style, cell in zip(styles, cells, strict=True))
        return f"<tr>{''.join(made)}</tr>"

    body = "".join(row(cells, "td") for cells in rows)
    return f'<table style="border-collapse:collapse"><thead>{row(head, "th")}</thead><tbody>{body}</tbody></table>'


def text(value: str) -> str:
    """A text inside an element."""
    return escape(printable(value))


def _counts(card: Card) -> str:
    counts = card.data["counts"]
    unjudged = {name: count for name, count in counts["unjudged"].items() if count and name != "total"}
    parts = [f"{counts['held']:,} held", f"{counts['violated']:,} violated"]
    if unjudged:
        why = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in unjudged.items())
        parts.append(f"{counts['unjudged']['total']:,} not judged ({why})")
    planned, cases = counted(counts["planned"], "test", ","), counted(counts["cases"], "case", ",")
    return text(f"{planned} planned on {cases}: {', '.join(parts)}")


def _scores(card: Card) -> str:
    reference = (card.data.get("reference") or {}).get("scores", {})

    def row(mean: MeanScore) -> list[str]:
        tests = f"{mean.tests:,}" if mean.score is not None else ""
        uniform = percent((reference.get(mean.name) or {}).get("score"))
        cells = [title_of(mean.name), percent(mean.score), percent(mean.graded), bracketed(mean.interval)]
        return [*cells, tests, uniform]

    head = ["score, 100 = every law kept", "score", "graded", "95 % interval", "tests", "uniform"]
    made = html_table(head, [row(mean) for mean in (card.scores.overall, *card.scores.dimensions)])
    accuracy = card.data.get("accuracy")
    if not accuracy or accuracy["accuracy_answered"] is None:
        return made
    return made + (
        f"<p>Accuracy on {accuracy['answered']:,} gold answers: {percent(accuracy['accuracy_answered'])}, guessing "
        f"{percent(accuracy['chance'])}</p>"
    )


def _notes(card: Card) -> Iterator[str]:
    notes = note_texts(card)
    if notes:
        yield f'<ul style="opacity:.8">{"".join(f"<li>{text(note)}</li>" for note in notes)}</ul>'


def _worst(card: Card) -> Iterator[str]:
    for told in worst_of_card(card, most=WORST):
        lines = [one for one in told.lines if not one.startswith("ask again")]
        yield f"<details><summary>{text(told.name)}</summary><pre>{text(chr(10).join(lines))}</pre></details>"
