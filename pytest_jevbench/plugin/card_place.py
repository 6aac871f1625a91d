"""Where a run's card goes: a part of the tests does not replace the card of all of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from pytest_jevbench.errors import InputError
from pytest_jevbench.files import read_json
from pytest_jevbench.plans.plan import TestId

__all__ = ["CardPlace", "place_of_card"]


class CardPlace(NamedTuple):
    """The file to write; ``kept`` is the card of more tests that lies where it would have been written."""

    path: Path
    kept: Path | None = None


def place_of_card(path: Path, suite_digest: str, tests: Iterable[TestId]) -> CardPlace:
    """``path``, unless the card there is of all these tests and more of the same suite."""
    before = _tests_there(path, suite_digest)
    if before and set(tests) < before:
        return CardPlace(path.with_name(f"{path.stem}.part{path.suffix}"), path)
    return CardPlace(path)


def _tests_there(path: Path, suite_digest: str) -> set[TestId]:
    """The tests of the card at a path that were not lost; none where there is no card of the suite."""
    try:
        card: Any = read_json(path)
        if not isinstance(card, Mapping) or card["identity"]["suite"]["digest"] != suite_digest:
            return set()
        lost = {number for number, error in enumerate(card["errors"]) if error["reason"] == "lost"}
        there = (test for test in card["tests"] if test.get("error") not in lost)
        return {TestId(test["relation"], test["case"], test["key"]) for test in there}
    except (InputError, KeyError, TypeError):
        return set()
