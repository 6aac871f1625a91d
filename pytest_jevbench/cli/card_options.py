"""Options of the commands that read cards: how they are judged again, and what they are called."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import TYPE_CHECKING

from pytest_jevbench.counting import counted
from pytest_jevbench.errors import InputError
from pytest_jevbench.scoring.card_reading import Card, read_card

if TYPE_CHECKING:
    from pytest_jevbench.reports.html.documents import Result

__all__ = ["add_card_arguments", "cards_of", "documents_of", "whole"]


def add_card_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options; the cards themselves are the command's positional ``cards``."""
    parser.add_argument(
        "--tolerance", type=_share, metavar="T", help="judge again with this tolerance (a relation's own is kept)"
    )
    parser.add_argument("--min-n", type=_count, metavar="N", help="score relations from this many tests on")
    parser.add_argument("--bootstrap", type=whole, metavar="N", help="bootstrap draws over cases; 0 for no intervals")
    parser.add_argument("--names", type=_names, metavar="A,B", help="names to show, one a card, with commas between")


def cards_of(args: argparse.Namespace) -> list[Card]:
    """The cards as the options want them judged and called. Raises :class:`InputError`."""
    return _all_named([_rescored(read_card(path), args) for path in args.cards], args.names)


def _all_named(cards: list[Card], names: list[str] | None) -> list[Card]:
    if names is None:
        return cards
    if len(names) != len(cards):
        problem = f"{counted(len(names), 'name')} for {counted(len(cards), 'card')}"
        raise InputError(problem, advice="Give --names one name a card")
    return [_named(card, name) for card, name in zip(cards, names, strict=True)]


def documents_of(args: argparse.Namespace) -> list[Card | Result]:
    """The same where labelled and judge results may stand among the cards, which the options leave alone."""
    from pytest_jevbench.reports.html.documents import read_document

    found = [read_document(path) for path in args.cards]
    cards = [_rescored(document, args) for document in found if isinstance(document, Card)]
    named = iter(_all_named(cards, args.names))
    return [next(named) if isinstance(document, Card) else document for document in found]


def whole(text: str) -> int:
    """A whole number from 0 on."""
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text} is negative")
    return value


def _share(text: str) -> float:
    value = float(text)
    if not 0.0 <= value <= 1.0:
        raise argparse.ArgumentTypeError(f"{text} is not between 0 and 1")
    return value


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"{text} is not at least 1")
    return value


def _names(text: str) -> list[str]:
    return [name.strip() for name in text.split(",")]


def _rescored(card: Card, args: argparse.Namespace) -> Card:
    changes = {"tolerance": args.tolerance, "min_n": args.min_n, "bootstrap": args.bootstrap}
    given = {name: value for name, value in changes.items() if value is not None}
    return card.rescored(replace(card.settings, **given)) if given else card


def _named(card: Card, name: str) -> Card:
    identity = {**card.data["identity"], "model": {**card.data["identity"]["model"], "name": name}}
    return replace(card, data={**card.data, "identity": identity})
