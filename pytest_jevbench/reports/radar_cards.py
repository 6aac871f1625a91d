"""The radar of cards: their dimensions or groups, the cards one above the other, the uniform model behind them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.relations.taxonomy import DIMENSIONS, GROUPS
from pytest_jevbench.reports.radar import Axis, Series, radar_svg
from pytest_jevbench.reports.tables import Metric
from pytest_jevbench.scoring.card_reading import Card

__all__ = ["RadarLevel", "radar_of_cards"]

RadarLevel: TypeAlias = Literal["dimension", "group"]


def radar_of_cards(
    cards: Sequence[Card],
    *,
    level: RadarLevel = "dimension",
    metric: Metric = "binary",
    reference: bool = True,
    title: str | None = None,
) -> str:
    """The scores of some cards as one SVG. Raises :class:`InputError` for no card or a level or metric that is none."""
    if not cards:
        raise InputError("found no card", place=Place(field="cards"), advice="Give one card, or a list of cards")
    axes = _axes(cards, level)
    if metric not in ("binary", "graded"):
        raise InputError.unexpected(metric, '"binary" or "graded"', Place(field="metric"))
    series = [Series(card.name, [_value(card, axis.name, metric) for axis in axes]) for card in cards]
    suites = list(dict.fromkeys(card.suite or "own cases" for card in cards))
    digests = {str(card.data["identity"]["suite"].get("digest", "")) for card in cards}
    notes = []
    if len(suites) > 1:
        notes.append(f"The cards are of different suites: {', '.join(suites)}")
    elif len(digests) > 1:
        notes.append("The cards are not of the same tests")
    elif reference:
        series += _uniform(cards[0], axes, metric)
    kind = "graded scores" if metric == "graded" else "scores"
    return radar_svg(axes, series, title=title or f"{', '.join(suites)}: {kind} by {level}", notes=notes)


def _axes(cards: Sequence[Card], level: RadarLevel) -> list[Axis]:
    if level == "dimension":
        return [Axis(dimension.id, dimension.title) for dimension in DIMENSIONS]
    if level != "group":
        raise InputError.unexpected(level, '"dimension" or "group"', Place(field="level"))
    titles = {group.id: group.asks for group in GROUPS}
    planned = {row.group for card in cards for row in card.scores.relations}
    names = dict.fromkeys(group.name for card in cards for group in card.scores.groups if group.name in planned)
    return [Axis(name, titles.get(name, "")) for name in names]


def _value(card: Card, name: str, metric: Metric) -> float | None:
    mean = card.scores.mean(name)
    if mean is None:
        return None
    return mean.graded if metric == "graded" else mean.score


def _uniform(card: Card, axes: Sequence[Axis], metric: Metric) -> list[Series]:
    """The uniform model on the first card's tests, where the card tells it."""
    scores = (card.data.get("reference") or {}).get("scores", {})
    key = "graded" if metric == "graded" else "score"
    values = [(scores.get(axis.name) or {}).get(key) for axis in axes]
    if all(value is None for value in values):
        return []
    return [Series("uniform: reads nothing, all answers equally probable", values, reference=True)]
