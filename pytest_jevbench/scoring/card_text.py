"""A card as a file: strict JSON that can be read and compared line by line, written whole."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pytest_jevbench.files import write_whole
from pytest_jevbench.json_text import JSON, dumps
from pytest_jevbench.scoring.card_rows import TestRows

__all__ = ["card_text", "write_card"]

_LINES = frozenset(
    {
        "relations",
        "diagnostics",
        "own_laws",
        "judge_pairs",
        "judge_gains",
        "errors",
        "tests",
        "deselected",
        "elsewhere",
        "sources",
        "noise",
    }
)
"""Sections with one item a line, so that a card can be read and compared line by line."""


def card_text(card: Mapping[str, JSON]) -> str:
    """The card's file content: strict JSON, one section a line and one item a line in the long ones."""
    return "".join(_pieces(card))


def _pieces(card: Mapping[str, JSON]) -> Iterator[str]:
    before = "{\n"
    for name, value in card.items():
        yield f"{before}{dumps(name)}: "
        yield from _section(name, value)
        before = ",\n"
    yield "\n}\n"


def _section(name: str, value: JSON | TestRows) -> Iterator[str]:
    if name not in _LINES or not value:
        yield dumps([] if isinstance(value, TestRows) else value)
        return
    items: Iterable[str]
    if isinstance(value, dict):
        before, end = "{\n", "\n}"
        items = (f"{dumps(key)}: {dumps(item)}" for key, item in value.items())
    else:
        assert isinstance(value, (list, TestRows))
        before, end = "[\n", "\n]"
        items = map(dumps, value)
    for item in items:
        yield before + item
        before = ",\n"
    yield end


def write_card(path: Path | str, card: Mapping[str, JSON]) -> None:
    """Write a card whole; its directory is made where there is none. Raises ``OSError``."""
    Path(path).resolve().parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, _pieces(card))
