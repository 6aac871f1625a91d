"""A file of ratings: the same items rated by several raters, some ratings missing."""

from __future__ import annotations

from pathlib import Path

from pytest_jevbench.errors import MISSING, InputError, Place
from pytest_jevbench.judges.agreement import LEVELS
from pytest_jevbench.judges.document import Ratings
from pytest_jevbench.judges.json_places import read_checked
from pytest_jevbench.judges.problems import Problems

__all__ = ["ratings_from_json", "read_ratings"]

MOST = 1e9
"""Ratings are numbers of categories or of points: beyond this their squares lose what tells them apart."""


def read_ratings(path: Path | str) -> Ratings:
    """Read ``{"level": "ordinal", "raters": {"a": [1, 2, null], ...}}``. Raises :class:`InputError`."""
    return read_checked(path, ratings_from_json)


def ratings_from_json(value: object, place: Place | None = None) -> Ratings:
    """Ratings from their JSON value. Raises :class:`InputError` with all problems at once."""
    place = place or Place()
    if not isinstance(value, dict):
        raise InputError.unexpected(value, 'an object: {"level": "nominal", "raters": {"a": [1, 2, null]}}', place)
    problems = Problems(place)
    problems.near_misses(value, ("level", "raters"), "")
    level = value.get("level", "nominal")
    if level not in LEVELS:
        problems.unexpected("level", level, f"one of {', '.join(LEVELS)}")
    raters = value.get("raters", MISSING)
    if not isinstance(raters, dict) or len(raters) < 2:
        problems.unexpected("raters", raters, "each rater's list of ratings, of at least two raters")
        raters = {}
    lists = {name: row for name, row in raters.items() if isinstance(row, list)}
    for name in raters:
        if name not in lists:
            problems.unexpected(f"raters.{name}", raters[name], "a list of numbers, null where a rating is missing")
    for name, row in lists.items():
        first = next(iter(lists))
        if len(row) != len(lists[first]):
            problems.add(f"raters.{name}", f"{len(row)} ratings, and {first} has {len(lists[first])}", "Use null")
        for i, rating in enumerate(row):
            number = isinstance(rating, (int, float)) and not isinstance(rating, bool) and abs(rating) <= MOST
            if rating is not None and not number:
                problems.unexpected(f"raters.{name}[{i}]", rating, f"a number of at most {MOST:g} in size, or null")
    problems.settle()
    return Ratings(lists, level, Path(place.file).stem if place.file is not None else "")
