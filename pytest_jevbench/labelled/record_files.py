"""Files of labelled tasks: JSON lines, JSON, YAML, or a folder of them. Every row is read, however bad the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.files import BOM, parse_json, read_bytes
from pytest_jevbench.json_text import DuplicateKeys, shown
from pytest_jevbench.judges.json_places import line_numbers
from pytest_jevbench.labelled.manifest import MANIFESTS
from pytest_jevbench.yaml_text import Entry, yaml_items

__all__ = ["FORMS", "Row", "read_rows", "record_paths"]

Row: TypeAlias = "tuple[Place, Any] | InputError"

ADVICE = 'A record is {"id", "family", "state", "question", "labels", "expected", ...}, one a line'


def record_paths(path: Path) -> list[Path]:
    """The files of records that a path stands for, sorted; a folder's manifest is none. Raises :class:`InputError`."""
    if not path.is_dir():
        return [path]
    found = sorted(
        file
        for file in path.rglob("*")
        if file.suffix.lower() in FORMS
        and file.name not in MANIFESTS
        and not any(part.startswith((".", "_")) for part in file.relative_to(path).parts)
        and file.is_file()
    )
    if not found:
        raise InputError("the folder has no file of records", place=Place(path), advice=f"Name one {', '.join(FORMS)}")
    return found


def read_rows(file: Path) -> Iterator[Row]:
    """The rows of one file, each with its place, or with what is wrong with it; the others are read all the same."""
    try:
        data = read_bytes(file)
        form = FORMS.get(file.suffix.lower())
        if form is None:
            problem = f"the suffix {shown(file.suffix)} is none of {', '.join(FORMS)}"
            raise InputError(problem, place=Place(file), advice=ADVICE)
        yield from form(data, file)
    except InputError as error:
        yield error


def _jsonl(data: bytes, file: Path) -> Iterator[Row]:
    for number, line in enumerate(data.split(b"\n"), 1):
        content = line.removeprefix(BOM) if number == 1 else line
        if content and not content.isspace():
            place = Place(file, number)
            try:
                yield place, parse_json(content, place, strict=False)
            except InputError as error:
                yield error


def _json(data: bytes, file: Path) -> Iterator[Row]:
    """One record, a list of them, or an object with the list under ``tasks``; each with the line it begins on."""
    value = parse_json(data, Place(file), strict=False)
    lines = line_numbers(data.removeprefix(BOM).decode())
    items, name = value, ""
    if isinstance(value, dict) and isinstance(value.get("tasks"), list):
        items, name = value["tasks"], "tasks"
        if isinstance(value, DuplicateKeys):
            yield InputError(f"key {shown(value.repeated[0])} stands twice in one object", place=Place(file, lines[""]))
    if not isinstance(items, list):
        items, name = [value], ""
        lines["[0]"] = lines[""]
    for index, item in enumerate(items):
        yield Place(file, lines[f"{name}[{index}]"]), item


def _yaml(data: bytes, file: Path) -> Iterator[Row]:
    for item in yaml_items(data, file, "tasks"):
        try:
            yield Place(item.place.file, item.place.line), _typed(item)
        except InputError as error:
            yield error


def _typed(record: Entry) -> Any:
    """The record with its nulls and level indices; every other scalar is the text that stands there."""
    value: Any = record.plain()
    fields = record.value
    if not isinstance(fields, dict):
        return value
    for name in ("expected", "group", "provenance", "labels", "split"):
        if name in fields and fields[name].value in ("null", "~", ""):
            value[name] = None
    question = value.get("question")
    if isinstance(question, dict) and question.get("type") == "score":
        if value.get("expected") is not None:
            value["expected"] = fields["expected"].integer("a level's index, such as 2")
        labels = fields["labels"].value if "labels" in fields else None
        if isinstance(labels, list):
            value["labels"] = [label.integer("a level's index, such as 2") for label in labels]
    return value


FORMS: Mapping[str, Callable[[bytes, Path], Iterator[Row]]] = {
    ".jsonl": _jsonl,
    ".ndjson": _jsonl,
    ".json": _json,
    ".yaml": _yaml,
    ".yml": _yaml,
}
"""How a file is read, by its suffix."""
