"""The radar: every model above the other, then by family or one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from markupsafe import Markup

from pytest_jevbench.relations.taxonomy import GROUPS
from pytest_jevbench.reports.html.rendering import render
from pytest_jevbench.reports.html.section import CardShown, Report, Section
from pytest_jevbench.reports.html.summary import tests_dimensions, uniform_scores
from pytest_jevbench.reports.radar_cards import RadarLevel, radar_of_cards

__all__ = ["sections"]

MOST_OVERLAID = 6
"""More outlines than colours and dashes in one picture cannot be told apart."""


def sections(report: Report) -> Iterator[Section]:
    report = replace(report, cards=tuple(one for one in report.cards if tests_dimensions(one.card)))
    if not report.cards:
        return
    html = render(
        "picture.html.j2",
        main=_main(report),
        small=_small(report),
        families=report.families is not None,
        groups=_groups(report),
        left_out=len(report.cards) - MOST_OVERLAID,
        most=MOST_OVERLAID,
    )
    yield Section("picture", "Profile", html)


def _picture(
    report: Report, cards: Sequence[CardShown], title: str | None = None, level: RadarLevel | None = None
) -> dict[str, Any]:
    """A radar, which makes its own text safe, and what its legend says."""
    level = level or report.level
    shown = [replace(one.card, data=_named(one)) for one in cards]
    uniform = len({one.card.data["identity"]["suite"].get("digest", "") for one in cards}) == 1
    return {
        "svg": Markup(radar_of_cards(shown, level=level, metric=report.metric, title=title)),
        "title": title or f"Scores by {level}",
        "level": level,
        "names": [one.name for one in cards],
        "uniform": uniform and bool(uniform_scores(cards[0].card)),
    }


def _named(one: CardShown) -> dict[str, Any]:
    """The card's data under the name that the page gives it; the mark of verbalised probabilities is added again."""
    name = one.name.removesuffix(" (verbalised)")
    identity = one.card.data["identity"]
    return {**one.card.data, "identity": {**identity, "model": {**identity["model"], "name": name}}}


def _main(report: Report) -> list[dict[str, Any]]:
    """All models on one picture, at the level that was asked for and at the other."""
    other: RadarLevel = "group" if report.level == "dimension" else "dimension"
    cards = report.cards[:MOST_OVERLAID]
    return [_picture(report, cards, level=level) for level in (report.level, other)]


def _small(report: Report) -> list[dict[str, Any]]:
    """A picture for each family of the file; without one, a picture a model where there are several."""
    if report.families is not None:
        groups = report.families.grouped([(one.card.name, one) for one in report.cards])
        return [_picture(report, cards, name) for name, cards in groups.items()]
    if not 2 < len(report.cards) <= 12:
        return []
    return [_picture(report, [one], one.name) for one in report.cards]


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
