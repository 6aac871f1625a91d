"""The first screen: what came out, in words and figures, a model beside another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pytest_jevbench.reports.html.changes_section import overall_change
from pytest_jevbench.reports.html.rendering import render
from pytest_jevbench.reports.html.section import CardShown, Report, Section
from pytest_jevbench.reports.tables import TITLES, note_texts
from pytest_jevbench.reports.text import percent
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.intervals import Interval
from pytest_jevbench.scoring.scores import MeanScore

__all__ = ["Verdict", "sections", "uniform_scores", "verdict_of"]

MOST = 6
"""How many models have a panel of their own; the table has all."""


class Verdict(NamedTuple):
    """What became of a run: a word, the sentence that explains it, and how the page shows it."""

    word: str
    text: str
    tone: str


class _Row(NamedTuple):
    short: str
    title: str
    score: float | None
    interval: Interval | None
    uniform: float | None
    kind: str = ""


def sections(report: Report) -> Iterator[Section]:
    if report.cards:
        cards = [_shown(one) for one in report.cards]
        heads: list[tuple[str, ...]] = [("model", "t"), ("run", "t"), ("overall", "n"), ("95 % interval", "", "n opt")]
        heads += [(row.short, "n") for row in _dimensions(report.cards[0].card)] + [("accuracy", "n")]
        html = render("summary.html.j2", cards=cards, most=MOST, heads=heads)
        yield Section("summary", "Result", html)


def verdict_of(card: Card) -> Verdict:
    """The gate's decision where the run had one, else whether it is whole."""
    counts = card.data["counts"]
    judged, violated, unjudged = counts["judged"], counts["violated"], counts["unjudged"]["total"]
    told = f"{violated:,} of {judged:,} tests break their law"
    gate = card.data.get("gate")
    if gate is not None:
        why = " ".join(_sentence(reason) for reason in gate["reasons"][:2])
        if gate["decision"] == "passed":
            return Verdict("Gate passed", f"{_number(gate)} hold. {told}.", "good")
        return Verdict(f"Gate {gate['decision']}", why or f"{told}.", "bad" if gate["decision"] == "failed" else "warn")
    if unjudged or not judged or counts["unlisted"]:
        missing = unjudged + counts["unlisted"]
        return Verdict("Incomplete", f"{missing:,} of {judged + missing:,} tests were not judged. {told}.", "warn")
    if card.data["identity"]["suite"]["demonstration"]:
        return Verdict("Demonstration", f"{told}. The suite shows how a run works.", "plain")
    words = f"All {judged:,} tests hold." if not violated else f"{told}."
    left_out = counts["deselected"] + counts["elsewhere"]
    if left_out:
        return Verdict("Part of a suite", f"{words} {left_out:,} planned tests are not in this run.", "warn")
    return Verdict("Complete", f"{words} No gate was asked for.", "plain")


def uniform_scores(card: Card, metric: str = "score") -> Mapping[str, float]:
    """What the uniform model scores on the same tests, by name; nothing where they are judged otherwise than it was."""
    reference, stored = card.data.get("reference"), card.data["identity"]["settings"]
    if not reference or (card.settings.tolerance, card.settings.min_n) != (stored["tolerance"], stored["min_n"]):
        return {}
    return {name: row[metric] for name, row in reference["scores"].items() if row[metric] is not None}


def _number(gate: Mapping[str, Any]) -> str:
    count = len(gate["conditions"])
    return "The one condition" if count == 1 else f"All {count} conditions"


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}".rstrip(".") + "."


def _shown(one: CardShown) -> dict[str, Any]:
    card, uniform = one.card, uniform_scores(one.card)
    rows = _dimensions(card)
    accuracy = _accuracy(card)
    return {
        "name": one.name,
        "verdict": verdict_of(card),
        "overall": card.scores.overall,
        "change": overall_change(one),
        "uniform": uniform,
        "rows": [*rows, *([accuracy] if accuracy else [])],
        "rows_have_accuracy": accuracy is not None,
        "accuracy_note": _accuracy_note(card),
        "notes": [note for note in note_texts(card) if not note.startswith("Uniform:")],  # the legend says it
    }


def _dimensions(card: Card) -> list[_Row]:
    uniform = uniform_scores(card)

    def row(mean: MeanScore) -> _Row:
        return _Row(mean.name, TITLES.get(mean.name, mean.name), mean.score, mean.interval, uniform.get(mean.name))

    return [row(mean) for mean in card.scores.dimensions]


def _accuracy(card: Card) -> _Row | None:
    section = card.data.get("accuracy")
    if not section or section["accuracy_answered"] is None:
        return None
    found = section["accuracy_answered_interval"]
    interval = None if found is None else Interval(found["low"], found["high"])
    reference = (card.data.get("reference") or {}).get("accuracy")
    return _Row("ACC", "Accuracy on gold answers", section["accuracy_answered"], interval, reference, "accuracy")


def _accuracy_note(card: Card) -> str:
    section = card.data.get("accuracy")
    if not section:
        return "The suite has no gold answers: nothing is known of this model's accuracy."
    return (
        f"Accuracy on {section['answered']:,} of {section['questions']:,} gold answers. Always giving the most "
        f"frequent answer: {percent(section['majority_class'])}; guessing: {percent(section['chance'])}."
    )
