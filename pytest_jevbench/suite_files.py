"""The files of a suite directory, each checked against the hash that the manifest holds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from pytest_jevbench.errors import InputError, Place, SuiteError
from pytest_jevbench.files import parse_jsonl, read_bytes, read_json
from pytest_jevbench.json_text import JSON, shown
from pytest_jevbench.questions import Case, case_from_json
from pytest_jevbench.rewrite_bank import RewriteBank, rewrite_from_json

__all__ = [
    "CASES",
    "GOLD",
    "MANIFEST",
    "MIN_N",
    "REWRITES",
    "Manifest",
    "data_files",
    "parse_lines",
    "read_cases",
    "read_manifest",
    "read_rewrites",
    "verified_files",
]

MANIFEST = "manifest.json"
CASES = "cases.jsonl"
REWRITES = "rewrites.jsonl"
GOLD = "gold.jsonl"
MIN_N = 5


@dataclass(frozen=True, slots=True)
class Manifest:
    """What ``manifest.json`` says, checked; ``fields`` is all of it."""

    place: Place
    name: str
    version: str
    description: str
    min_n: int
    fields: Mapping[str, Any]

    @property
    def files(self) -> dict[str, str]:
        return _digests(self, "files")

    @property
    def base_files(self) -> dict[str, str]:
        return _digests(self, "base_files")

    @property
    def base(self) -> JSON:
        """The name of the suite that this one is drawn from, None for a suite with cases of its own."""
        base: JSON = self.fields.get("base")
        return base


def read_manifest(directory: Path) -> Manifest:
    """The manifest of a suite directory. Raises :class:`InputError`."""
    path = directory / MANIFEST
    place = Place(path)
    if path.is_dir():
        raise InputError("this is a directory, and a manifest is a file", place=place)
    if not path.is_file():
        raise InputError(
            f"there is no {MANIFEST}", place=Place(directory), advice="Give the directory of a suite that was frozen"
        )
    fields = read_json(path)
    if not isinstance(fields, dict):
        raise InputError.unexpected(fields, "a manifest object", place)
    min_n = fields.get("min_n", MIN_N)
    if type(min_n) is not int or min_n < 1:
        raise InputError.unexpected(min_n, "an integer of at least 1", place.at("min_n"))
    name, version, description = (_text(fields, field, place) for field in ("name", "version", "description"))
    if not name:
        raise InputError("the suite has no name", place=place.at("name"))
    return Manifest(place, name, version, description, min_n, fields)


def _text(fields: Mapping[str, Any], field: str, place: Place) -> str:
    value = fields.get(field, "")
    if isinstance(value, int) and not isinstance(value, bool):  # a version written as a number
        value = str(value)
    if not isinstance(value, str):
        raise InputError.unexpected(value, "text", place.at(field))
    return value


def _digests(manifest: Manifest, field: str) -> dict[str, str]:
    value = manifest.fields.get(field, {})
    if not isinstance(value, dict) or not all(isinstance(digest, str) for digest in value.values()):
        raise InputError.unexpected(value, "an object {file name: sha256}", manifest.place.at(field))
    for name in value:
        if not name or Path(name).name != name or name in (".", ".."):
            raise InputError(f"{shown(name)} is no plain file name", place=manifest.place.at(field))
    return value


def data_files(directory: Path) -> list[str]:
    """The names of the files of a suite directory that a manifest has to list, sorted."""
    found = (path.name for pattern in ("*.jsonl", "*.jsonl.gz") for path in directory.glob(pattern))
    return sorted(name for name in found if not name.startswith("."))


def verified_files(directory: Path, manifest: Manifest, wanted: Iterable[str]) -> dict[str, bytes]:
    """The content of the wanted files that the manifest lists, after all that it lists were checked.

    Raises :class:`SuiteError` for a file that is missing, changed or not listed.
    """
    listed = manifest.files
    advice = "Restore the file, or freeze the suite again if the change is meant"
    _check_names(directory, listed, advice)
    kept = {}
    for name, digest in listed.items():
        path = directory / name
        data = read_bytes(path)
        if sha256(data).hexdigest() != digest.lower():
            if sha256(data.replace(b"\r\n", b"\n")).hexdigest() == digest.lower():
                raise SuiteError(
                    f"its lines end otherwise than in the file that {MANIFEST} has the hash of",
                    place=Place(path),
                    advice="Git changed them: put `*.jsonl -text` into .gitattributes and check the file out again",
                )
            raise SuiteError(f"the content is not what {MANIFEST} has the hash of", place=Place(path), advice=advice)
        if name in wanted:
            kept[name] = data
    return kept


def _check_names(directory: Path, listed: Mapping[str, str], advice: str) -> None:
    """Refuse a file that is missing, one too many, and one under another name."""
    extra = [name for name in data_files(directory) if name not in listed]
    for name, digest in listed.items():
        path = directory / name
        if path.is_dir():
            raise SuiteError(
                f"this is a directory, and {MANIFEST} lists a file of the name", place=Place(path), advice=advice
            )
        if path.is_file():
            continue
        for other in extra:
            if sha256(read_bytes(directory / other)).hexdigest() == digest.lower():
                raise SuiteError(
                    f"this is the file that {MANIFEST} lists as {name}",
                    place=Place(directory / other),
                    advice=f"Name it {name} again",
                )
        raise SuiteError(f"the file is missing, {MANIFEST} lists it", place=Place(path), advice=advice)
    if extra:
        raise SuiteError(
            f"{MANIFEST} does not list this file, and a suite has no others",
            place=Place(directory / extra[0]),
            advice="Take it out of the directory, or freeze the suite again if it belongs to it",
        )


def parse_lines(data: bytes, file: Path | str) -> Iterable[tuple[Place, Any]]:
    """The values of a file of JSON lines, each with its place. Raises :class:`InputError`."""
    return parse_jsonl(data.split(b"\n"), file)


def read_cases(rows: Iterable[tuple[Place, Any]], file: Path | str) -> dict[str, Case]:
    """Cases by id, in their order. Raises :class:`InputError` for a case that is wrong, an id twice, or no case."""
    cases: dict[str, Case] = {}
    places: dict[str, Place] = {}
    for place, value in rows:
        case = case_from_json(value, place)
        if case.id in cases:
            raise InputError(
                f"the id {shown(case.id)} stands {_where(places[case.id], place)} already",
                place=place.at("id"),
                advice="Give every case an id of its own",
            )
        cases[case.id] = case
        places[case.id] = place
    if not cases:
        raise InputError("there is no case", place=Place(file), advice="Write one case a line")
    return cases


def _where(earlier: Place, now: Place) -> str:
    """An earlier place as seen from here: its file is named where it is another one."""
    line = earlier.field or "above" if earlier.line is None else f"line {earlier.line}"
    if earlier.file != now.file:
        return f"in {earlier.file}, {line}," if earlier.line is not None or earlier.field else f"in {earlier.file}"
    return "above" if line == "above" else f"on {line}" if earlier.line is not None else f"at {line}"


def read_rewrites(rows: Iterable[tuple[Place, Any]], *, audited_only: bool = False) -> RewriteBank:
    """The rewrite bank. Raises :class:`InputError`."""
    return RewriteBank.of((rewrite_from_json(value, place) for place, value in rows), audited_only=audited_only)
