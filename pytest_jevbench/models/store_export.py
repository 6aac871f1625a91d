"""Answers of a store in one small file: to commit, to carry to another machine, to replay without a model.

A JSON line names the format, one each model, one each answer, and the last one counts them, so that a file that was cut
is noticed. Nothing in it tells when, how fast or where the answers were given: equal answers make equal bytes.
"""

from __future__ import annotations

import gzip
import json
import os
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.files import parse_json
from pytest_jevbench.json_text import dumps
from pytest_jevbench.models.identity_key import ModelKey
from pytest_jevbench.models.model_answers import remember_model
from pytest_jevbench.models.store import AnswerStore
from pytest_jevbench.models.store_schema import checksum
from pytest_jevbench.models.stored_reply import Unstorable, decode, encode

__all__ = ["FORMAT", "ImportReport", "export_answers", "import_answers", "is_export"]

FORMAT = {"format": "jevbench-answers", "version": 1}
_PAGE = 500
_ADVICE = "Export the answers again with `pytest-jevbench store export`"


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What an import did: answers that were new, equal to stored ones, and different from stored ones."""

    added: int = 0
    equal: int = 0
    different: int = 0


def export_answers(
    store: AnswerStore,
    path: Path,
    *,
    wanted: Callable[[ModelKey], bool] = lambda _: True,
    digests: frozenset[str] | None = None,
) -> int:
    """Write the answers of the wanted models, or only those to requests of these digests; how many there were.

    The file is compressed if its name ends in ``.gz``, and written whole. What a model gave for one run alone is left
    out. Time and memory: linear in the answers, and flat.
    """
    count = 0
    path.parent.mkdir(parents=True, exist_ok=True)
    whole = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with whole.open("wb") as raw, _compressed(raw, path) as file:
            file.write(_line(FORMAT))
            for model in sorted(store.models(), key=lambda model: model.key.digest):
                if wanted(model.key) and not _only_for_a_run(store, model.key):
                    count += _export_model(store, model.key, digests, file)
            file.write(_line({"answers": count}))
        whole.replace(path)
    finally:
        whole.unlink(missing_ok=True)
    return count


def _compressed(raw: IO[bytes], path: Path) -> AbstractContextManager[IO[bytes] | gzip.GzipFile]:
    if path.suffix == ".gz":
        return gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0)
    return nullcontext(raw)


def _line(value: object) -> bytes:
    return dumps(value, compact=True).encode("utf-8") + b"\n"


def _only_for_a_run(store: AnswerStore, key: ModelKey) -> bool:
    row = store.file.run(lambda c: c.execute("SELECT run FROM models WHERE model = ?", (key.digest,)).fetchone())
    return bool(row and row[0])


def _export_model(
    store: AnswerStore, key: ModelKey, digests: frozenset[str] | None, file: IO[bytes] | gzip.GzipFile
) -> int:
    count = 0
    for digest, repeat, kind, text, answered in _answers_of(store, key):
        if digests is not None and digest.hex() not in digests:
            continue
        try:
            lasting = encode(decode(kind, text), circumstances=False)
        except Unstorable:
            continue  # damaged: a replay would ask it again too
        if not count:
            file.write(_line({"model": key.digest.hex(), "base": key.base.hex(), "parts": dict(key.parts)}))
        file.write(_line([digest.hex(), repeat, kind, lasting, answered]))
        count += 1
    return count


def _answers_of(store: AnswerStore, key: ModelKey) -> Iterator[tuple[bytes, int, Any, str, str | None]]:
    """All answers of a model in the order of their keys, a page at a time, damaged ones left out."""
    last: tuple[bytes, int] = (b"", -1)
    while True:
        rows = store.file.run(
            lambda c, last=last: c.execute(  # type: ignore[misc]
                "SELECT digest, repeat, kind, reply, answered, checksum FROM answers"
                " WHERE model = ? AND (digest, repeat) > (?, ?) ORDER BY digest, repeat LIMIT ?",
                (key.digest, *last, _PAGE),
            ).fetchall()
        )
        if not rows:
            return
        for digest, repeat, kind, text, answered, stored_sum in rows:
            if stored_sum == checksum(key.digest, digest, repeat, kind, text):
                yield digest, repeat, kind, text, answered
        last = rows[-1][:2]


def is_export(path: Path) -> bool:
    """Whether the file is an export, by its first bytes; False where it cannot be read."""
    try:
        with path.open("rb") as file:
            start = file.read(64)
    except OSError:
        return False
    return start.startswith((b"\x1f\x8b", _line(FORMAT).rstrip()[:28]))


def import_answers(store: AnswerStore, path: Path, *, replace: bool = False) -> ImportReport:
    """Put the answers of an export into a store, all or none.

    An answer that differs from a stored one is left out, or takes its place with ``replace``. Raises
    :class:`~pytest_jevbench.errors.InputError` naming the line where the file is not an export, or is cut.
    """
    return store.file.write(lambda connection: _import(connection, path, replace, store.now()))


def _import(connection: sqlite3.Connection, path: Path, replace: bool, now: float) -> ImportReport:
    added = equal = different = 0
    key: ModelKey | None = None
    for place, value in _export_lines(path):
        if isinstance(value, dict):
            key = _model_from(value, place)
            remember_model(connection, key, "", now)
            continue
        if key is None:
            raise InputError("an answer stands before the first model", place=place, advice=_ADVICE)
        digest, repeat, kind, text, answered = _answer_from(value, place)
        before = connection.execute(
            "SELECT kind, reply FROM answers WHERE model = ? AND digest = ? AND repeat = ?",
            (key.digest, digest, repeat),
        ).fetchone()
        if before is not None and _same(before, (kind, text)):
            equal += 1
            continue
        different += before is not None
        added += before is None
        if before is None or replace:
            row_sum = checksum(key.digest, digest, repeat, kind, text)
            connection.execute(
                "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, '', ?)",
                (key.digest, digest, repeat, kind, text, row_sum, answered, now),
            )
    return ImportReport(added, equal, different)


def _same(stored: tuple[Any, str], given: tuple[Any, str]) -> bool:
    try:
        return stored[0] == given[0] and encode(decode(*stored), circumstances=False) == given[1]
    except Unstorable:
        return False


def _export_lines(path: Path) -> Iterator[tuple[Place, Any]]:
    """The models and answers of an export; the first and the last line are checked here."""
    count, end, number = 0, None, 0
    try:
        with _opened(path) as file:
            for number, line in enumerate(file, start=1):
                place = Place(path, number)
                value = parse_json(line, place)
                if number == 1:
                    _check_format(value, place)
                elif isinstance(value, dict) and "answers" in value:
                    end = value["answers"]
                else:
                    count += isinstance(value, list)
                    yield place, value
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"not an export of answers: {error}", place=Place(path, number + 1), advice=_ADVICE) from None
    if end != count:
        raise InputError("the file is cut: its last line is missing", place=Place(path, number), advice=_ADVICE)


def _opened(path: Path) -> IO[bytes] | gzip.GzipFile:
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    return gzip.open(path) if packed else path.open("rb")


def _check_format(value: Any, place: Place) -> None:
    if not isinstance(value, dict) or value.get("format") != FORMAT["format"]:
        raise InputError("this is not an export of answers", place=place, advice=_ADVICE)
    if value.get("version") != FORMAT["version"]:
        raise InputError(
            f"the export has version {value.get('version')}, and this program reads version {FORMAT['version']}",
            place=place,
            advice="Use the version of pytest-jevbench that wrote it",
        )


def _model_from(value: dict[str, Any], place: Place) -> ModelKey:
    try:
        digest, base = bytes.fromhex(value["model"]), bytes.fromhex(value["base"])
        parts = {str(name): str(part) for name, part in value["parts"].items()}
    except (KeyError, TypeError, ValueError, AttributeError):
        raise InputError("this is not the line of a model", place=place, advice=_ADVICE) from None
    return ModelKey(digest, base, parts)


def _answer_from(value: Any, place: Place) -> tuple[bytes, int, Any, str, str | None]:
    try:
        digest, repeat, kind, text, answered = value
        if type(repeat) is not int or not (answered is None or isinstance(json.loads(answered), str)):
            raise ValueError("repeat or name")
        decode(kind, text)
        return bytes.fromhex(digest), repeat, kind, text, answered
    except (TypeError, ValueError):
        raise InputError("this is not the line of an answer", place=place, advice=_ADVICE) from None
