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

__all__ = ["sections"]

MOST_TESTS = 200


def sections(report: Report) -> Iterator[Section]:
    cards = [_shown(one) for one in report.cards if one.compared is not None or one.card.data.get("gate")]
    if cards:
        yield Section("changes", "Gate and changes", render("changes.html.j2", cards=cards))


def _shown(one: CardShown) -> dict[str, Any]:
    gate = one.card.data.get("gate")
    found: dict[str, Any] = {"name": one.name, "gate": gate, "baseline": None}
    if one.compared is None:
        return found
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
    return {**row, "change": change, "interval": points_interval(change.interval), "p": p}
