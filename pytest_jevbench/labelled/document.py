"""The result document of a labelled run: who was asked, which data set, one row a task, and the figures on them.

Figures are made from the rows whenever a document is read: what a file says of them is not believed.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from pytest_jevbench import __version__
from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.files import parse_json, read_bytes, write_whole
from pytest_jevbench.json_text import JSON, dumps, shown
from pytest_jevbench.labelled.dataset_hash import dataset_hash
from pytest_jevbench.labelled.fields import RowFields
from pytest_jevbench.labelled.figures import Figures, measure_rows
from pytest_jevbench.labelled.json_faults import json_faults
from pytest_jevbench.labelled.results import TaskResult
from pytest_jevbench.labelled.rows import LabelledRow, row_from_json, row_to_json, rows_of
from pytest_jevbench.labelled.task_sets import TaskSet

__all__ = [
    "FORMAT",
    "SCHEMA_VERSION",
    "LabelledDocument",
    "SplitFacts",
    "build_document",
    "read_labelled",
    "schema",
    "write_labelled",
]

FORMAT = "jevbench-labelled"
SCHEMA_VERSION = "1.0"


@dataclass(frozen=True, slots=True)
class SplitFacts:
    """A split of the data set: its hash, its tasks, and whether it is private."""

    sha256: str
    tasks: int
    private: bool


@dataclass(frozen=True)
class LabelledDocument:
    """A labelled result. ``model`` says who was asked, ``run`` how; both are free of secrets.

    ``stopped`` says why a run ended before its last task, empty where it did not.
    """

    dataset: str
    sha256: str
    splits: Mapping[str, SplitFacts]
    rows: tuple[LabelledRow, ...]
    model: Mapping[str, JSON] = field(default_factory=dict)
    run: Mapping[str, JSON] = field(default_factory=dict)
    stopped: str = ""
    path: str = ""

    @property
    def name(self) -> str:
        """The model's name as tables call it: marked where its probabilities are verbalised or there are none."""
        name = str(self.model.get("name") or "") or next((r.result.model_asked for r in self.rows if r.asked), "")
        sources = {row.result.probs_source for row in self.rows if row.result.answered}
        marks = {"verbalised": "verbalised", "label_only": "label only"}
        said = [marks[source] for source in sorted(s for s in sources if s in marks)]
        return f"{name or 'unnamed'} ({', '.join(said)})" if said else name or "unnamed"

    @cached_property
    def figures(self) -> Figures:
        """The figures, made from the rows."""
        return measure_rows(self.rows)

    def to_json(self) -> dict[str, JSON]:
        """The document as its file holds it."""
        return {
            "format": FORMAT,
            "schema_version": SCHEMA_VERSION,
            "versions": {"pytest-jevbench": __version__},
            "model": dict(self.model),
            "dataset": {
                "name": self.dataset,
                "sha256": self.sha256,
                "splits": {
                    name: {"sha256": of.sha256, "tasks": of.tasks, "private": of.private}
                    for name, of in self.splits.items()
                },
            },
            "stopped": self.stopped,
            "figures": self.figures.to_json(),
            "tasks": [row_to_json(row) for row in self.rows],
            "run": dict(self.run),
        }

    @classmethod
    def from_json(cls, value: object, place: Place | None = None) -> LabelledDocument:
        """A document from its JSON value. Raises :class:`InputError` naming the field that is wrong."""
        place = place or Place()
        top = RowFields.of(value, place)
        if top.value("format") != FORMAT:
            raise InputError.unexpected(top.value("format"), f'"{FORMAT}"', place.at("format"))
        version = top.text("schema_version")
        if version.partition(".")[0] != SCHEMA_VERSION.partition(".")[0]:
            advice = "Read it with the version of pytest-jevbench that wrote it"
            problem = f"schema version {shown(version)} cannot be read, only 1.x"
            raise InputError(problem, place=place.at("schema_version"), advice=advice)
        for name in ("model", "run"):  # of any form, so no reading of their fields finds what no file can hold
            for field_name, problem, advice in json_faults(top.value(name)):
                raise InputError(problem, place=place.at(name).at(field_name), advice=advice)
        dataset, tasks = top.inner("dataset"), top.value("tasks")
        if not isinstance(tasks, list):
            raise InputError.unexpected(tasks, "the rows of the tasks, a list", place.at("tasks"))
        rows = tuple(row_from_json(item, place.at(f"tasks[{index}]")) for index, item in enumerate(tasks))
        seen: set[str] = set()
        for index, row in enumerate(rows):
            if row.id in seen:
                raise InputError(f"the id {shown(row.id)} stands twice", place=place.at(f"tasks[{index}].id"))
            seen.add(row.id)
        splits = dataset.inner("splits")
        return cls(
            dataset=dataset.text("name"),
            sha256=_sha256(dataset),
            splits={name: _split(RowFields.of(item, splits.place.at(name))) for name, item in splits.fields.items()},
            rows=rows,
            model=top.inner("model").fields,
            run=top.inner("run").fields,
            stopped=top.optional_text("stopped") or "",
            path=str(place.file or ""),
        )


def _sha256(row: RowFields) -> str:
    value = row.text("sha256")
    if not re.fullmatch("[0-9a-f]{64}", value):
        raise InputError.unexpected(value, "a SHA-256, 64 hexadecimal digits", row.place.at("sha256"))
    return value


def _split(row: RowFields) -> SplitFacts:
    return SplitFacts(_sha256(row), row.whole("tasks") or 0, row.truth("private"))


def build_document(
    tasks: TaskSet,
    results: Sequence[TaskResult],
    *,
    model: Mapping[str, JSON] | None = None,
    run: Mapping[str, JSON] | None = None,
    stopped: str = "",
) -> LabelledDocument:
    """The document of a run; a task without a result is unattempted. Private tasks are hidden in it.

    ``stopped`` may quote a server: it is left out where a task is private.
    """
    by_split: dict[str, list[Any]] = {}
    for task in tasks.tasks:
        by_split.setdefault(task.split, []).append(task)
    if stopped and tasks.private_splits:
        stopped = "the run ended before its last task"
    return LabelledDocument(
        dataset=tasks.name,
        sha256=tasks.dataset_hash,
        splits={
            name: SplitFacts(dataset_hash(members), len(members), members[0].private)
            for name, members in by_split.items()
        },
        rows=tuple(rows_of(tasks.tasks, results)),
        model=dict(model or {}),
        run=dict(run or {}),
        stopped=stopped,
    )


def write_labelled(path: Path | str, document: LabelledDocument) -> None:
    """Write a document whole. Raises ``OSError``."""
    write_whole(path, dumps(document.to_json(), indent=1) + "\n")


def read_labelled(path: Path | str) -> LabelledDocument:
    """Read a document. Raises :class:`InputError` that says what is wrong with it."""
    place = Place(path)
    return LabelledDocument.from_json(parse_json(read_bytes(path), place), place)


def schema() -> dict[str, Any]:
    """The JSON Schema of a document."""
    value: dict[str, Any] = parse_json(
        read_bytes(Path(__file__).with_name("labelled.schema.json")), Place("labelled.schema.json")
    )
    return value
