"""Cases as people have them: a JSONL, JSON or YAML file, a folder of these, or request bodies that a server logged.

Whatever the form, what comes out are rows as a suite's ``cases.jsonl`` and ``gold.jsonl`` hold them, each with the
place where it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.files import json_items, parse_jsonl, read_bytes
from pytest_jevbench.json_text import JsonProblem, dumps, loads, shown
from pytest_jevbench.yaml_text import Entry, yaml_items

__all__ = ["FORMS", "OwnCases", "read_own_cases"]

Row: TypeAlias = tuple[Place, Any]

NOT_CASES = ("gold.jsonl", "rewrites.jsonl", "facts.jsonl", "manifest.json", "balance.json", "jevbench.yaml")
"""Files of a folder that hold something else."""
BODIES = ("request", "body")
"""Fields under which a log keeps the body of a request."""


@dataclass(frozen=True)
class OwnCases:
    """What was read. ``cases`` and ``gold`` are rows as a suite's files hold them, ``repeated`` counts request bodies
    that were logged before, ``files`` has the SHA-256 of each file read."""

    name: str
    path: Path
    cases: list[Row] = field(default_factory=list)
    gold: list[Row] = field(default_factory=list)
    rewrites: Path | None = None
    repeated: int = 0
    files: Mapping[str, str] = field(default_factory=dict)


def read_own_cases(path: Path) -> OwnCases:
    """The cases of a file or folder. A folder's ``gold.jsonl`` and ``rewrites.jsonl`` are taken with it.

    A request body without an id is a case called after its file and line; the same body again is no case of its own. A
    case may hold its gold answers under ``gold``. Raises :class:`InputError` naming file, line and field.
    """
    beside = path if path.is_dir() else None
    paths = _case_files(path) if beside else [path]
    files: dict[str, str] = {}
    cases: list[Row] = []
    bodies: set[str] = set()
    repeated = 0
    for file in paths:
        data = read_bytes(file)
        files[file.name] = sha256(data).hexdigest()
        for number, (place, value) in enumerate(_form(file)(data, file), 1):
            row = _row(value, place)
            if "id" not in row:
                body = dumps([row.get("state"), row.get("questions")])
                if body in bodies:
                    repeated += 1
                    continue
                bodies.add(body)
                row = {"id": f"{file.stem}-{place.line or number}", **row}
            cases.append((place, row))
    gold: list[Row] = []
    rewrites = None
    if beside is not None:
        for name in ("gold.jsonl", "rewrites.jsonl"):
            if (beside / name).is_file():
                data = read_bytes(beside / name)
                files[name] = sha256(data).hexdigest()
                if name == "gold.jsonl":
                    gold += parse_jsonl(data.split(b"\n"), beside / name)
                else:
                    rewrites = beside / name
    gold += list(_own_gold(cases))
    if not cases:
        raise InputError("there is no case in it", place=Place(path), advice=_ADVICE)
    return OwnCases(path.resolve().stem, path, cases, gold, rewrites, repeated, files)


_ADVICE = 'A case is {"id": ..., "state": ..., "questions": {key: question}}, one a line'


def _case_files(folder: Path) -> list[Path]:
    found = sorted(
        file
        for file in folder.iterdir()
        if file.suffix.lower() in FORMS and file.is_file() and file.name not in NOT_CASES and file.name[0] not in "._"
    )
    if not found:
        raise InputError("the folder has no file of cases", place=Place(folder), advice=f"Name one {', '.join(FORMS)}")
    return found


def _form(file: Path) -> Callable[[bytes, Path], Iterable[Row]]:
    form = FORMS.get(file.suffix.lower())
    if form is None:
        raise InputError(
            f"the suffix {shown(file.suffix)} is none of {', '.join(FORMS)}", place=Place(file), advice=_ADVICE
        )
    return form


def _jsonl(data: bytes, file: Path) -> Iterable[Row]:
    return parse_jsonl(data.split(b"\n"), file)


def _json(data: bytes, file: Path) -> Iterator[Row]:
    return json_items(data, file, "cases")


def _yaml(data: bytes, file: Path) -> Iterator[Row]:
    for item in yaml_items(data, file, "cases"):
        try:
            value = _typed(item)
        except InputError as error:
            raise InputError(error.problem, place=_in_case(error.place, item.place), advice=error.advice) from None
        yield Place(file, item.place.line), value


def _in_case(place: Place, case: Place) -> Place:
    """A place inside a case without the case's number in the list, which nobody counts: the line says where it is."""
    return Place(place.file, place.line, (place.field or "").removeprefix(f"{case.field}.") or None)


def _typed(case: Entry) -> Any:
    """The case with the numbers and truth values that a case needs; all other scalars stay the text they are."""
    value: Any = case.plain()
    fields = case.value
    if not isinstance(fields, dict):
        return value
    if "thresholds" in fields and isinstance(fields["thresholds"].value, list):
        for index, item in enumerate(fields["thresholds"].value):
            if isinstance(item.value, dict) and "value" in item.value:
                value["thresholds"][index]["value"] = item.value["value"].integer()
    if "gold" in fields and isinstance(fields["gold"].value, dict):
        kinds = value.get("questions") if isinstance(value.get("questions"), dict) else {}
        for key, answer in fields["gold"].value.items():
            question = kinds.get(key)
            value["gold"][key] = _typed_answer(answer, question.get("type") if isinstance(question, dict) else None)
    return value


def _typed_answer(answer: Entry, kind: object) -> Any:
    if answer.value == "null":
        return None
    if kind == "noul":
        return answer.one_of(("true", "false")) == "true"
    return answer.integer() if kind == "score" else answer.plain()


FORMS: Mapping[str, Callable[[bytes, Path], Iterable[Row]]] = {
    ".jsonl": _jsonl,
    ".ndjson": _jsonl,
    ".json": _json,
    ".yaml": _yaml,
    ".yml": _yaml,
}
"""How a file is read, by its suffix."""


def _row(value: Any, place: Place) -> dict[str, Any]:
    """The case, out of what a log has around it."""
    if not isinstance(value, dict):
        raise InputError.unexpected(value, "a case or a request body, an object with state and questions", place)
    row = value
    for name in BODIES:
        if "questions" in row:
            break
        inner = value.get(name)
        if isinstance(inner, str):
            inner = _body_in_text(inner, place.at(name))
        if isinstance(inner, dict) and "questions" in inner:
            row = {**({"id": value["id"]} if "id" in value else {}), **inner}
    return {name: item for name, item in row.items() if name != "model"}


def _body_in_text(text: str, place: Place) -> Any:
    """A body that was logged as the text that was sent. Raises :class:`InputError` where that is no JSON."""
    try:
        return loads(text)
    except JsonProblem as problem:
        raise InputError(
            f"the body is text and {problem}", place=place, advice="Log the body as it was sent, and all of it"
        ) from None


def _own_gold(cases: Iterable[Row]) -> Iterator[Row]:
    """The gold answers that stand in the cases, taken out of them: no relation may see a label."""
    for place, row in cases:
        if "gold" in row:
            yield place.at("gold"), {"case": row.get("id"), "answers": row.pop("gold")}
