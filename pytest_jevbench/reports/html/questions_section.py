"""Questions by how fragile they are: on which of them laws break, and decisions change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pytest_jevbench.reports.html.rendering import render
from pytest_jevbench.reports.html.section import CardShown, Report, Section
from pytest_jevbench.scoring.question_scores import score_questions

__all__ = ["sections"]

LAWS = 3
SHOWN, MOST = 12, 400


def sections(report: Report) -> Iterator[Section]:
    cards = [shown for one in report.cards if (shown := _shown(one))]
    if cards:
        yield Section("questions", "Fragile questions", render("questions.html.j2", cards=cards, limit=SHOWN))


def _shown(one: CardShown) -> dict[str, Any] | None:
    scores = score_questions(one.card.results, one.card.settings)
    if not scores:
        return None
    rows = [{"score": score, "laws": [(law.relation, law.violated) for law in score.laws[:LAWS]]} for score in scores]
    return {"name": one.name, "rows": rows[:MOST], "hidden": max(0, len(rows) - MOST)}
