"""The first screen: what came out, in words and figures, a model beside another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from pytest_jevbench.reports.html.changes_section import overall_change
from pytest_jevbench.reports.html.rendering import render
from pytest_jevbench.reports.html.section import CardShown, Report, Section
from pytest_jevbench.reports.tables import BESIDE_TITLES, TITLES, note_texts
from pytest_jevbench.reports.text import percent
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.intervals import Interval
from pytest_jevbench.scoring.scores import MeanScore

__all__ = ["Verdict", "sections", "tests_dimensions", "uniform_scores", "verdict_of"]

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
    rows = (*card.scores.relations, *card.scores.diagnostics)  # under the page's tolerance, which need not be the run's
    judged, violated = sum(row.judged for row in rows), sum(row.violated for row in rows)
    unjudged = counts["unjudged"]["total"]
    told = (
        f"{violated:,} of {judged:,} tests break their law" if violated or not judged else f"All {judged:,} tests hold"
    )
    gate = card.data.get("gate")
    if gate is not None:
        why = " ".join(_sentence(reason) for reason in gate["reasons"][:2])
        if gate["decision"] == "passed":
            return Verdict("Gate passed", f"{_number(gate)} hold. {told}.", "good")
        tone = "bad" if gate["decision"] == "failed" else "warn"
        return Verdict(f"Gate {gate['decision']}", f"{why} {told}.".lstrip(), tone)
    if unjudged or not judged or counts["unlisted"]:
        missing = unjudged + counts["unlisted"]
        return Verdict("Incomplete", f"{missing:,} of {judged + missing:,} tests were not judged. {told}.", "warn")
    if card.data["identity"]["suite"]["demonstration"]:
        return Verdict("Demonstration", f"{told}. The suite shows how a run works.", "plain")
    left_out = counts["deselected"] + counts["elsewhere"]
    if left_out:
        return Verdict("Part of a suite", f"{told}. {left_out:,} planned tests are not in this run.", "warn")
    return Verdict("Complete", f"{told}. No gate was asked for.", "plain")


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
    dimensions, beside, accuracy = _dimensions(card), _beside(card), _accuracy(card)
    main, laws = card.scores.overall, []
    if beside and not tests_dimensions(card):
        main = card.scores.mean(beside[0].short) or main
        dimensions, beside, laws = [], beside[1:], _laws(card, beside[0].short)
    return {
        "name": one.name,
        "verdict": verdict_of(card),
        "main": main,
        "main_title": "overall coherence" if not laws else f"laws of {BESIDE_TITLES.get(main.name, main.name)} kept",
        "change": overall_change(one),
        "uniform": uniform.get(main.name),
        "rows": [*dimensions, *laws, *beside, *([accuracy] if accuracy else [])],
        "dimensions": dimensions,
        "accuracy": accuracy,
        "accuracy_note": _accuracy_note(card),
        "notes": [note for note in note_texts(card) if not note.startswith("Uniform:")],  # the legend says it
    }


def tests_dimensions(card: Card) -> bool:
    """Whether a law of the five dimensions was planned; a suite of judged answers has none."""
    return bool(card.scores.counted)


def _dimensions(card: Card) -> list[_Row]:
    uniform = uniform_scores(card)

    def row(mean: MeanScore) -> _Row:
        return _Row(mean.name, TITLES.get(mean.name, mean.name), mean.score, mean.interval, uniform.get(mean.name))

    return [row(mean) for mean in card.scores.dimensions]


def _beside(card: Card) -> list[_Row]:
    """The means of laws that count in no dimension: a judge's, and the user's own."""
    uniform = uniform_scores(card)
    found = []
    for group in dict.fromkeys(row.group for row in card.scores.own if row.status != "not_run"):
        mean = card.scores.mean(group)
        if mean is not None:
            title = f"{BESIDE_TITLES.get(group, group)}, in no score above"
            found.append(
                _Row(group, title[:1].upper() + title[1:], mean.score, mean.interval, uniform.get(group), "aside")
            )
    return found


def _laws(card: Card, group: str) -> list[_Row]:
    """Each law of a group, where there is nothing above them: the share of tests that keep it."""
    uniform = uniform_scores(card)
    return [
        _Row(
            row.name,
            row.name,
            None if row.violation_rate is None else 1.0 - row.violation_rate,
            None if row.interval is None else Interval(1.0 - row.interval.high, 1.0 - row.interval.low),
            uniform.get(row.name),
            "aside",
        )
        for row in card.scores.own
        if row.group == group
    ]


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
