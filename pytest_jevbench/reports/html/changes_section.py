"""What changed: the run's gate, condition by condition, and the card beside its baseline."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pytest_jevbench.reports.changes import changes_text
from pytest_jevbench.reports.html.rendering import render
from pytest_jevbench.reports.html.section import CardShown, Report, Section
from pytest_jevbench.reports.numbers import points_interval
from pytest_jevbench.reports.tables import TITLES
from pytest_jevbench.scoring.compare import FAMILY, Comparison, ScoreChange
from pytest_jevbench.scoring.intervals import Interval
from pytest_jevbench.scoring.weights import OVERALL

__all__ = ["overall_change", "sections", "tone_of"]

MOST_TESTS = 200


def sections(report: Report) -> Iterator[Section]:
    cards = [_shown(one) for one in report.cards if one.compared is not None or one.card.data.get("gate")]
    if cards:
        yield Section("changes", "Gate and changes", render("changes.html.j2", cards=cards))


def _shown(one: CardShown) -> dict[str, Any]:
    gate = one.card.data.get("gate")
    found: dict[str, Any] = {"name": one.name, "gate": gate, "baseline": None, "same": False}
    if one.compared is None:
        return found
    if is_baseline(one):
        return {**found, "same": True}
    comparison = one.compared.comparison
    found |= {"baseline": one.compared.baseline.name, "cautions": one.compared.cautions, "rows": []}
    if comparison is not None:
        found |= {
            "said": changes_text(comparison.changes),
            "rows": [_row(comparison, name) for name in FAMILY if name in comparison.scores],
            "tests": [
                (word, len(tests), tests[:MOST_TESTS])
                for word, tests in (("New violations", comparison.changes.new), ("Fixed", comparison.changes.fixed))
                if tests
            ],
        }
    return found


def _row(comparison: Comparison, name: str) -> dict[str, Any]:
    change = comparison.scores[name]
    row: dict[str, Any] = {"name": name, "title": TITLES.get(name, ""), "change": None}
    if not isinstance(change, ScoreChange):
        return {**row, "reason": change.reason}
    p = change.test.p if change.adjusted_p is None else change.adjusted_p
    return {**row, "change": change, "interval": points_interval(change.interval), "p": p, "tone": tone_of(change)}


def is_baseline(one: CardShown) -> bool:
    """Whether a card is compared with itself, which several cards against one of them come to."""
    return one.compared is not None and one.card.data == one.compared.baseline.data


def tone_of(change: ScoreChange) -> str:
    """Better or worse only where the interval of the change excludes 0."""
    interval = change.interval
    if not isinstance(interval, Interval):
        return ""
    return "good" if interval.low > 0 else "bad" if interval.high < 0 else ""


def overall_change(one: CardShown) -> dict[str, Any] | None:
    """The overall against the baseline's, for the first screen; None where there is no baseline."""
    if one.compared is None:
        return None
    comparison = one.compared.comparison
    change = None if comparison is None else comparison.scores.get(OVERALL)
    found = change if isinstance(change, ScoreChange) else None
    return {
        "baseline": one.compared.baseline.name,
        "same": is_baseline(one),
        "said": "" if comparison is None else changes_text(comparison.changes),
        "points": None if found is None else found.change,
        "interval": "" if found is None else points_interval(found.interval),
        "tone": "" if found is None else tone_of(found),
    }
