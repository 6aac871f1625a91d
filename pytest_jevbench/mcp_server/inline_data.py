"""Data of a message: checked like files, within the limits of a message."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.judges.demo import demo_fixture, demo_pairs
from pytest_jevbench.judges.document import Ratings
from pytest_jevbench.judges.fixture import JudgeFixture, fixture_from_json
from pytest_jevbench.judges.pairs import PairFile, pairs_from_json
from pytest_jevbench.judges.ratings import ratings_from_json

__all__ = ["MOST_ITEMS", "MOST_JUDGES", "fixture_given", "pairs_given", "ratings_given"]

MOST_ITEMS = 1_000
MOST_JUDGES = 16
_ADVICE = "Give a message less, or use the command line or Python"


def fixture_given(arguments: Mapping[str, Any]) -> JudgeFixture:
    """The fixture of a message, or the demonstration. Raises :class:`InputError`."""
    value = arguments.get("fixture")
    if value is None:
        return demo_fixture()
    items = value.get("items")
    if isinstance(items, list):
        _limit(len(items), MOST_ITEMS, "items", "fixture.items")
        judged = [item.get("judgments") for item in items if isinstance(item, dict)]
        judges = {judge for judgments in judged if isinstance(judgments, dict) for judge in judgments}
        _limit(len(judges), MOST_JUDGES, "judges", "fixture.items")
    return fixture_from_json(value, Place(field="fixture"), private=arguments.get("private", False))


def pairs_given(arguments: Mapping[str, Any]) -> PairFile:
    """The pairs of a message, as rows or as a file, or the demonstration. Raises :class:`InputError`."""
    value = arguments.get("pairs")
    if value is None:
        return demo_pairs()
    rows = value if isinstance(value, list) else value.get("pairs")
    if isinstance(rows, list):
        _limit(len(rows), MOST_ITEMS, "pairs", "pairs")
        judges = {row["judge"] for row in rows if isinstance(row, dict) and isinstance(row.get("judge"), str)}
        _limit(len(judges), MOST_JUDGES, "judges", "pairs")
    if isinstance(value, list):  # bare rows declare nothing, so nothing is asked of them
        return pairs_from_json({"pairs": value}, Place(field="pairs"), private=True)
    return pairs_from_json(value, Place(field="pairs"), private=arguments.get("private", False))


def ratings_given(arguments: Mapping[str, Any]) -> Ratings:
    """The ratings of a message. Raises :class:`InputError`."""
    value = arguments["ratings"]
    raters = value.get("raters")
    if isinstance(raters, dict):
        _limit(len(raters), MOST_JUDGES, "raters", "ratings.raters")
        for name, row in raters.items():
            if isinstance(row, list):
                _limit(len(row), MOST_ITEMS, "ratings", f"ratings.raters.{name}")
    return ratings_from_json(value, Place(field="ratings"))


def _limit(found: int, most: int, what: str, field: str) -> None:
    if found > most:
        raise InputError(f"{found:,} {what}, and a message may have {most:,}", place=Place(field=field), advice=_ADVICE)
