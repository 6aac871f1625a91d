"""The documents that a report can be made of, told apart by what they say of themselves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.files import parse_json, read_bytes
from pytest_jevbench.json_text import shown
from pytest_jevbench.scoring.card_reading import Card, card_of_value, unpacked

__all__ = ["FORMATS", "Kind", "Result", "read_document"]

Kind: TypeAlias = Literal["labelled", "judges"]

FORMATS: dict[str, Kind] = {"jevbench-labelled": "labelled", "jevbench-judges": "judges"}
"""The field ``format`` of each kind of result. A card has none."""

MAJOR = "1"


@dataclass(frozen=True, slots=True)
class Result:
    """A labelled or a judge result: its JSON value as it stands in the file. Its sections read it."""

    kind: Kind
    data: Mapping[str, Any]
    path: str = ""

    @classmethod
    def from_json(cls, value: Mapping[str, Any], place: Place | None = None) -> Result:
        """A result from its JSON value. Raises :class:`InputError` for a format or a version that is not known."""
        place = place or Place()
        kind = FORMATS.get(value["format"]) if isinstance(value.get("format"), str) else None
        if kind is None:
            known = " or ".join(f'"{name}"' for name in FORMATS)
            raise InputError.unexpected(value.get("format"), known, place.at("format"))
        version = value.get("schema_version")
        if not isinstance(version, str) or version.partition(".")[0] != MAJOR:
            raise InputError(
                f"schema version {shown(version)} cannot be read, only {MAJOR}.x",
                place=place.at("schema_version"),
                advice="Read it with the version of pytest-jevbench that wrote it",
            )
        return cls(kind, value, str(place.file or ""))


def read_document(path: Path | str) -> Card | Result:
    """A card, a published report, a labelled or a judge result, plain or gzip. Raises :class:`InputError`."""
    place = Place(path)
    value = parse_json(unpacked(read_bytes(path), place), place)
    if isinstance(value, dict) and "format" in value:
        return Result.from_json(value, place)
    return card_of_value(value, place)
