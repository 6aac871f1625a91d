"""What a page is about, and the parts that it is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.reports.families import Families
from pytest_jevbench.reports.html.documents import Result
from pytest_jevbench.reports.radar_cards import RadarLevel
from pytest_jevbench.reports.tables import Metric
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.compared_cards import ComparedCards, compare_with

__all__ = ["CardShown", "Report", "Section", "report_of"]


@dataclass(frozen=True, slots=True)
class Section:
    """One part of the page. ``id`` is its address (``#id``), ``title`` its heading, ``html`` what stands below it.

    ``html`` is put into the page as it is: make it with :func:`~pytest_jevbench.reports.html.rendering.render`.
    """

    id: str
    title: str
    html: str


@dataclass(frozen=True)
class CardShown:
    """A card on the page: what the page calls it, and how it compares with its baseline, where it has one."""

    card: Card
    name: str
    compared: ComparedCards | None = None


@dataclass(frozen=True)
class Report:
    """Everything that a page tells of. Each section takes what it is about.

    ``level`` and ``metric`` are those of the radar; ``families`` say which models belong together.
    """

    cards: tuple[CardShown, ...] = ()
    labelled: tuple[Result, ...] = ()
    judges: tuple[Result, ...] = ()
    level: RadarLevel = "dimension"
    metric: Metric = "binary"
    families: Families | None = None


def report_of(
    documents: Sequence[Card | Result],
    *,
    baseline: Card | None = None,
    level: RadarLevel = "dimension",
    metric: Metric = "binary",
    families: Families | None = None,
) -> Report:
    """A report of some documents, in their order. Raises :class:`InputError` where there is none.

    Every card is compared with the ``baseline``.
    """
    if not documents:
        raise InputError("found no document", place=Place(field="documents"), advice="Give a card or a result")
    cards = [document for document in documents if isinstance(document, Card)]
    results = [document for document in documents if isinstance(document, Result)]
    return Report(
        cards=shown_cards([(card, None if baseline is None else compare_with(card, baseline)) for card in cards]),
        labelled=tuple(result for result in results if result.kind == "labelled"),
        judges=tuple(result for result in results if result.kind == "judges"),
        level=level,
        metric=metric,
        families=families,
    )


def shown_cards(cards: Sequence[tuple[Card, ComparedCards | None]]) -> tuple[CardShown, ...]:
    """Cards under names that tell them apart: the model's, with the suite or a number where they are the same."""
    names = [card.name for card, _ in cards]
    if len(set(names)) < len(names):
        names = [f"{card.name} · {card.suite}" if names.count(card.name) > 1 else card.name for card, _ in cards]
    seen: dict[str, int] = {}
    shown = []
    for (card, compared), name in zip(cards, names, strict=True):
        seen[name] = seen.get(name, 0) + 1
        shown.append(CardShown(card, name if seen[name] == 1 else f"{name} ({seen[name]})", compared))
    return tuple(shown)
