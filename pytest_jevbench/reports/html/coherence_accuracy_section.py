"""Coherence against accuracy: where the models lie, and whether incoherent questions are answered wrong more often."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from pytest_jevbench.reports.coherence_accuracy_text import answer_in_words
from pytest_jevbench.reports.html.rendering import render
from pytest_jevbench.reports.html.section import CardShown, Report, Section
from pytest_jevbench.reports.scatter import scatter_svg
from pytest_jevbench.scoring.coherence_accuracy import CardPoint, Correlation, card_points, compare_accuracy

__all__ = ["sections"]


def sections(report: Report) -> Iterator[Section]:
    """One section where a card has both figures. The plot makes its own text safe."""
    points = card_points([one.card for one in report.cards])
    if not any(point.coherence is not None and point.accuracy is not None for point in points):
        return
    cards = [shown for one in report.cards if (shown := _shown(one)) is not None]
    yield Section(
        "coherence-accuracy",
        "Coherence against accuracy",
        render(
            "coherence_accuracy.html.j2",
            svg=Markup(scatter_svg(_named(points, report), alone=False)),
            marks=_named(points, report),
            uniform=list(dict.fromkeys(point.uniform for point in points if None not in point.uniform)),
            cards=cards,
        ),
    )


def _named(points: list[CardPoint], report: Report) -> list[CardPoint]:
    """The points under the names that the page calls their cards."""
    return [replace(point, name=one.name) for point, one in zip(points, report.cards, strict=True)]


def _shown(one: CardShown) -> dict[str, Any] | None:
    found = compare_accuracy(one.card)
    if found is None:
        return None
    rows: list[tuple[str, Correlation]] = [
        ("by question in its case", found.by_question),
        ("by question over all cases", found.by_key),
        ("by family", found.by_family),
    ]
    rows += [(f"by question, {name} alone", of) for name, of in found.by_dimension.items() if of.n]
    return {"name": one.name, "found": found, "answer": answer_in_words(found), "rows": rows}
