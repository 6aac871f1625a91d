"""The radar: every model above the other, then by family or one by one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from markupsafe import Markup

from pytest_jevbench.relations.taxonomy import GROUPS
from pytest_jevbench.reports.html.rendering import render
from pytest_jevbench.reports.html.section import CardShown, Report, Section
from pytest_jevbench.reports.html.summary import uniform_scores
from pytest_jevbench.reports.radar_cards import radar_of_cards

__all__ = ["sections"]

MOST_OVERLAID = 6
"""More outlines than colours and dashes in one picture cannot be told apart."""


def sections(report: Report) -> Iterator[Section]:
    if not report.cards:
        return
    html = render(
        "picture.html.j2", main=_main(report), small=_small(report), groups=_groups(report), most=MOST_OVERLAID
    )
    yield Section("picture", "Profile", html)


def _picture(report: Report, cards: list[CardShown], title: str | None = None) -> Markup:
    """The radar makes its own text safe."""
    made = radar_of_cards([one.card for one in cards], level=report.level, metric=report.metric, title=title)
    return Markup(made)


def _main(report: Report) -> dict[str, Any]:
    return {"svg": _picture(report, list(report.cards[:MOST_OVERLAID])), "left_out": len(report.cards) - MOST_OVERLAID}


def _small(report: Report) -> list[tuple[str, Markup]]:
    """A picture for each family of the file; without one, a picture a model where there are several."""
    if report.families is not None:
        groups = report.families.grouped([(one.card.name, one) for one in report.cards])
        return [(name, _picture(report, cards, name)) for name, cards in groups.items()]
    if not 1 < len(report.cards) <= 12:
        return []
    return [(one.name, _picture(report, [one], one.name)) for one in report.cards]


def _groups(report: Report) -> dict[str, Any]:
    """The eleven groups as a table: what the picture shows in words and figures."""
    field = "graded" if report.metric == "graded" else "score"
    planned = {row.group for one in report.cards for row in one.card.scores.relations}
    rows = []
    uniform = uniform_scores(report.cards[0].card, field)
    for group in GROUPS:
        if group.id in planned:
            means = [one.card.scores.mean(group.id) for one in report.cards]
            values = [None if mean is None else getattr(mean, field) for mean in means]
            rows.append({"group": group, "scores": values, "uniform": uniform.get(group.id)})
    return {"rows": rows, "names": [one.name for one in report.cards], "metric": report.metric}
