"""The radar of cards: their dimensions or groups, the cards one above the other, the uniform model behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.relations.taxonomy import DIMENSIONS, GROUPS
from pytest_jevbench.reports.families import Families
from pytest_jevbench.reports.numbers import bracketed
from pytest_jevbench.reports.radar import Axis, Series, radar_svg
from pytest_jevbench.reports.radar_grid import Panel, radar_grid_svg
from pytest_jevbench.reports.tables import Metric
from pytest_jevbench.reports.text import percent
from pytest_jevbench.scoring.card_reading import Card

__all__ = ["RadarLevel", "radar_grid_of_cards", "radar_of_cards", "radars_by_family"]

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
    axes = _checked_axes(cards, level, metric)
    series = [_series(card, axes, metric) for card in cards]
    notes = _notes(cards)
    if reference and not notes:
        series += _uniform(cards[0], axes, metric)
    return radar_svg(axes, series, title=title or _title(cards, level, metric), notes=notes)


def radar_grid_of_cards(
    cards: Sequence[Card],
    *,
    level: RadarLevel = "dimension",
    metric: Metric = "binary",
    families: Families | None = None,
    reference: bool = True,
    title: str | None = None,
    names: Sequence[str] | None = None,
) -> str:
    """A small radar for each card, as one SVG, in families where these are given. Raises :class:`InputError`.

    ``names`` stand above the radars in the place of the models' own.
    """
    axes = _checked_axes(cards, level, metric)
    behind = next(iter(_uniform(cards[0], axes, metric)), None) if reference and not _notes(cards) else None
    panels = [
        (card.name, Panel(replace(_series(card, axes, metric), name=name), _overall(card, metric), behind))
        for card, name in zip(cards, names or [card.name for card in cards], strict=True)
    ]
    groups = {"": [panel for _, panel in panels]} if families is None else families.grouped(panels)
    dashed = [f"dashed: {behind.name}"] if behind is not None else []
    return radar_grid_svg(axes, groups, title=title or _title(cards, level, metric), notes=[*_notes(cards), *dashed])


def radars_by_family(
    cards: Sequence[Card], families: Families, *, level: RadarLevel = "dimension", metric: Metric = "binary"
) -> dict[str, str]:
    """A radar for each family that has a card, its models one above the other. Raises :class:`InputError`."""
    groups = families.grouped([(card.name, card) for card in cards])
    return {
        name: radar_of_cards(group, level=level, metric=metric, title=f"{name} · {_title(group, level, metric)}")
        for name, group in groups.items()
    }


def _checked_axes(cards: Sequence[Card], level: RadarLevel, metric: Metric) -> list[Axis]:
    if not cards:
        raise InputError("found no card", place=Place(field="cards"), advice="Give one card, or a list of cards")
    axes = _axes(cards, level)
    if metric not in ("binary", "graded"):
        raise InputError.unexpected(metric, '"binary" or "graded"', Place(field="metric"))
    if not axes:
        raise InputError(f"no card has a score by {level}", place=Place(cards[0].path or None))
    return axes


def _title(cards: Sequence[Card], level: RadarLevel, metric: Metric) -> str:
    kind = "graded scores" if metric == "graded" else "scores"
    return f"{', '.join(_suites(cards))}: {kind} by {level}"


def _suites(cards: Sequence[Card]) -> list[str]:
    return list(dict.fromkeys(card.suite or "own cases" for card in cards))


def _notes(cards: Sequence[Card]) -> list[str]:
    """What a reader of one picture of all must know: that they are not of the same tests."""
    if len(_suites(cards)) > 1:
        return [f"The cards are of different suites: {', '.join(_suites(cards))}"]
    digests = {str(card.data["identity"]["suite"].get("digest", "")) for card in cards}
    return ["The cards are not of the same tests"] if len(digests) > 1 else []


def _series(card: Card, axes: Sequence[Axis], metric: Metric) -> Series:
    return Series(card.name, [_value(card, axis.name, metric) for axis in axes])


def _overall(card: Card, metric: Metric) -> str:
    overall = card.scores.overall
    graded = metric == "graded"
    shown = percent(overall.graded if graded else overall.score)
    return f"overall {shown} {bracketed(overall.graded_interval if graded else overall.interval)}".rstrip()


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
