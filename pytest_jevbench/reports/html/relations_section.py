"""Every law with its score, a model beside another."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pytest_jevbench.relations.taxonomy import DIMENSIONS, JUDGE
from pytest_jevbench.reports.html.rendering import render
from pytest_jevbench.reports.html.section import Report, Section
from pytest_jevbench.reports.html.summary import uniform_scores
from pytest_jevbench.reports.law_texts import law_texts
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.intervals import Interval
from pytest_jevbench.scoring.relation_scores import RelationScore

__all__ = ["sections"]

_OTHERS = {
    JUDGE.dimension: f"{JUDGE.title}, in no dimension",
    "OWN": "Laws of your own",
    "DIAG": "Diagnostics, in no score",
}


def sections(report: Report) -> Iterator[Section]:
    if report.cards:
        groups = _groups(report)
        names = [one.name for one in report.cards]
        html = render("relations.html.j2", groups=groups, names=names)
        yield Section("relations", "Relations", html)


def _groups(report: Report) -> list[dict[str, Any]]:
    titles = {**{dimension.id: dimension.title for dimension in DIMENSIONS}, **_OTHERS}
    cards = [one.card for one in report.cards]
    rows: dict[str, dict[str, Any]] = {}
    for card in cards:
        laws = law_texts(card)
        for relation in (*card.scores.relations, *card.scores.diagnostics):
            law = laws.get(relation.name)
            rows.setdefault(
                relation.name,
                {
                    "name": relation.name,
                    "dimension": relation.dimension,
                    "law": law.law if law else "",
                    "formula": law.formula if law else "",
                },
            )
    for name, row in rows.items():
        row["cells"] = [_cell(card, card.scores.relation(name)) for card in cards]
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in titles}
    for row in rows.values():
        found.setdefault(row["dimension"], []).append(row)
    return [{"id": name, "title": titles.get(name, ""), "rows": of} for name, of in found.items() if of]


def _cell(card: Card, row: RelationScore | None) -> dict[str, Any] | None:
    if row is None:
        return None
    rate = row.interval
    return {
        "row": row,
        "share": None if row.violation_rate is None else 1.0 - row.violation_rate,
        "interval": None if rate is None else Interval(1.0 - rate.high, 1.0 - rate.low),
        "uniform": uniform_scores(card).get(row.name),
        "deviation": None if row.deviations is None else row.deviations.mean,
    }
