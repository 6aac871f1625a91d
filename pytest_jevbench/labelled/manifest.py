"""The manifest of labelled tasks: the hash of each split, frozen before a model sees any of it.

::

    format: jevbench-tasks
    schema_version: "1.0"
    splits:
      public: {sha256: 3cbd0e95..., tasks: 48}
      private: {sha256: 5f00aa31..., tasks: 120, private: true}

A private split may be pinned where its file is not: others can see that it existed and did not change.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.files import read_json
from pytest_jevbench.json_text import JSON, shown
from pytest_jevbench.labelled.dataset_hash import dataset_hash
from pytest_jevbench.labelled.fields import RowFields
from pytest_jevbench.labelled.record_checks import is_private_name
from pytest_jevbench.labelled.records import Task
from pytest_jevbench.yaml_text import Entry, read_yaml

__all__ = ["FORMAT", "MANIFESTS", "SCHEMA_VERSION", "Manifest", "PinnedSplit", "manifest_json", "read_manifest"]

FORMAT = "jevbench-tasks"
SCHEMA_VERSION = "1.0"
MANIFESTS = ("manifest.yaml", "manifest.yml", "manifest.json")
"""The names under which a folder of tasks holds its manifest."""

_SHA256 = re.compile(r"[0-9a-fA-F]{64}")


@dataclass(frozen=True, slots=True)
class PinnedSplit:
    """What a manifest says of one split; ``tasks`` is None where it does not say how many."""

    sha256: str
    tasks: int | None
    private: bool


@dataclass(frozen=True, slots=True)
class Manifest:
    """The pinned splits by name."""

    path: Path
    splits: Mapping[str, PinnedSplit]

    def is_private(self, split: str) -> bool:
        """Whether a split is private, by the manifest or by its name."""
        pinned = self.splits.get(split)
        return is_private_name(split) or (pinned is not None and pinned.private)

    def problems(self, tasks: Iterable[Task]) -> list[InputError]:
        """Where the records are not those that were pinned."""
        by_split: dict[str, list[Task]] = {name: [] for name in self.splits}
        for task in tasks:
            by_split.setdefault(task.split, []).append(task)
        return [error for name, found in by_split.items() if (error := self._problem(name, found)) is not None]

    def _problem(self, name: str, tasks: list[Task]) -> InputError | None:
        place = Place(self.path, field=f"splits.{name}")
        pinned = self.splits.get(name)
        if pinned is None:
            advice = "Pin it: `pytest-jevbench tasks hash PATH --manifest FILE` writes a manifest"
            return InputError(
                f"the split {shown(name)} of the records is not in the manifest", place=place, advice=advice
            )
        if not tasks:
            if pinned.private:
                return None
            advice = "Give all files of the split, or take it out of the manifest"
            return InputError("there is no record of this split", place=place, advice=advice)
        if pinned.tasks is not None and pinned.tasks != len(tasks):
            advice = "Restore the files, or pin the split again if the change is meant"
            return InputError(
                f"{pinned.tasks} records are pinned, and there are {len(tasks)}", place=place, advice=advice
            )
        found = dataset_hash(tasks)
        if found != pinned.sha256.lower():
            advice = "Restore the records, or pin the split again if the change is meant"
            return InputError(f"{pinned.sha256} is pinned, and the records have {found}", place=place, advice=advice)
        return None


def manifest_json(tasks: Iterable[Task]) -> dict[str, JSON]:
    """The manifest that pins these records."""
    by_split: dict[str, list[Task]] = {}
    for task in tasks:
        by_split.setdefault(task.split, []).append(task)
    splits: dict[str, JSON] = {
        name: {
            "sha256": dataset_hash(members),
            "tasks": len(members),
            **({"private": True} if members[0].private else {}),
        }
        for name, members in by_split.items()
    }
    return {"format": FORMAT, "schema_version": SCHEMA_VERSION, "splits": splits}


def read_manifest(path: Path) -> Manifest:
    """A manifest in YAML or JSON. Raises :class:`InputError` naming the field that is wrong."""
    place = Place(path)
    value = _yaml_value(read_yaml(path)) if path.suffix.lower() in (".yaml", ".yml") else read_json(path)
    fields = RowFields.of(value, place)
    _known_alone(fields, ("format", "schema_version", "splits"))
    if fields.value("format") != FORMAT:
        raise InputError.unexpected(fields.value("format"), f'"{FORMAT}"', place.at("format"))
    version = fields.text("schema_version")
    if version.partition(".")[0] != SCHEMA_VERSION.partition(".")[0]:
        raise InputError.unexpected(version, f'"{SCHEMA_VERSION}"', place.at("schema_version"))
    splits = fields.inner("splits")
    if not splits.fields:
        raise InputError("no split is pinned", place=place.at("splits"), advice="Give {name: {sha256: ...}}")
    return Manifest(
        path, {name: _pinned(RowFields.of(item, splits.place.at(name)), name) for name, item in splits.fields.items()}
    )


def _known_alone(row: RowFields, known: tuple[str, ...]) -> None:
    """A misspelt ``private`` must not make a split a public one."""
    for name in row.fields:
        if name not in known:
            advice = f"Known here: {', '.join(known)}"
            raise InputError(f"unknown field {shown(name)}", place=row.place.at(name), advice=advice)


def _pinned(row: RowFields, name: str) -> PinnedSplit:
    _known_alone(row, ("sha256", "tasks", "private"))
    digest = row.text("sha256")
    if not _SHA256.fullmatch(digest):
        raise InputError.unexpected(digest, "64 hexadecimal digits", row.place.at("sha256"))
    private = row.truth("private")
    if is_private_name(name) and "private" in row.fields and not private:
        raise InputError(
            "a split of this name is private", place=row.place.at("private"), advice="Call it otherwise if it is not"
        )
    return PinnedSplit(digest, row.whole("tasks"), private or is_private_name(name))


def _yaml_value(entry: Entry) -> Any:
    """The manifest's plain value, with the numbers and truth values that a split needs."""
    value: Any = entry.plain()
    splits = entry.value.get("splits") if isinstance(entry.value, dict) else None
    if splits is not None and isinstance(splits.value, dict):
        for name, pinned in splits.value.items():
            if isinstance(pinned.value, dict):
                if "tasks" in pinned.value:
                    value["splits"][name]["tasks"] = pinned.value["tasks"].integer()
                if "private" in pinned.value:
                    value["splits"][name]["private"] = pinned.value["private"].one_of(("true", "false")) == "true"
    return value
