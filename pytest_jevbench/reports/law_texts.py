"""What relations say, of those that are built in and of the user's own that a card tells of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from pytest_jevbench.relations.known import BUILT_IN
from pytest_jevbench.scoring.card_reading import Card

__all__ = ["LawText", "law_texts"]


class LawText(Protocol):
    """A relation as a report speaks of it: its law in words, its formula, and what the deviation is called."""

    @property
    def law(self) -> str: ...
    @property
    def formula(self) -> str: ...
    @property
    def check(self) -> str: ...


@dataclass(frozen=True, slots=True)
class _OfCard:
    law: str
    formula: str
    check: str


def law_texts(card: Card) -> Mapping[str, LawText]:
    """The relations that a card can name, by name."""
    own = {row["name"]: _OfCard(row["law"], row["formula"], row["check"]) for row in card.data.get("own_laws") or ()}
    return {**BUILT_IN, **own}
