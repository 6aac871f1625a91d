"""The bank as a file: lines that are added as they are paid for, and written whole at the end."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Any

from filelock import FileLock, Timeout

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.files import parse_jsonl, parse_line, read_bytes, write_whole
from pytest_jevbench.json_text import JSON, JsonProblem, dumps, loads
from pytest_jevbench.rewrite_bank import TRANSLATE, rewrite_from_json

__all__ = ["BankFile", "Candidate", "bank_path", "open_bank", "read_bank"]

REWRITES = "rewrites.jsonl"


@dataclass(frozen=True)
class Candidate:
    """One line of a bank. ``fields`` is all that stands there; what is not known is kept.

    ``open`` is true where no judge has decided yet; such a candidate is not accepted.
    """

    fields: Mapping[str, Any]

    @property
    def kind(self) -> str:
        return str(self.fields["kind"])

    @property
    def source(self) -> str:
        return str(self.fields["source"])

    @property
    def rewrite(self) -> JSON:
        """The text, or the translated object."""
        value: JSON = self.fields.get("rewrite")
        if self.kind.startswith(TRANSLATE) and isinstance(value, str):
            try:
                read: JSON = loads(value)
            except JsonProblem:
                return value
            return read
        return value

    @property
    def id(self) -> str:
        """A short name made of kind, source and rewrite: the same in every bank."""
        text = dumps([self.kind, self.source, self.rewrite], compact=True)
        return sha256(text.encode()).hexdigest()[:10]

    @property
    def accepted(self) -> bool:
        return self.fields.get("accepted") is True

    @property
    def audited(self) -> bool | None:
        value = self.fields.get("audited")
        return value if isinstance(value, bool) else None

    @property
    def open(self) -> bool:
        return self.fields.get("open") is True and self.audited is not False

    @property
    def usable(self) -> bool:
        """Whether a run without ``--jevbench-audited-only`` uses it."""
        return self.accepted and self.audited is not False

    @property
    def votes(self) -> list[JSON]:
        value = self.fields.get("votes")
        return list(value) if isinstance(value, list) else []

    @property
    def refusal(self) -> str:
        """Why it is not used: a person's reason before the judge's."""
        audit = self.fields.get("audit")
        words = audit.get("reason") if isinstance(audit, dict) and self.audited is False else None
        return words if isinstance(words, str) and words else self.text("reason")

    def text(self, field: str) -> str:
        """A field as text; empty where there is none."""
        value = self.fields.get(field)
        return value if isinstance(value, str) else ""

    def but(self, **changes: JSON) -> Candidate:
        """The same with other fields; None as ``open`` takes that field out."""
        fields = {**self.fields, **changes}
        if fields.get("open") is None:
            fields.pop("open", None)
        return Candidate(fields)


class BankFile:
    """A bank that is being written, by one process and any of its threads."""

    def __init__(self, path: Path, rows: Iterable[Candidate], lost: str = "") -> None:
        self.path = path
        self.lost = lost
        """The cut last line that was left out."""
        self._lock = Lock()
        self._rows: dict[str, Candidate] = {}
        self._of: dict[tuple[str, str], dict[str, None]] = {}
        for row in rows:
            self._keep(row)

    def __len__(self) -> int:
        return len(self._rows)

    @property
    def rows(self) -> list[Candidate]:
        """All candidates, in file order."""
        with self._lock:
            return list(self._rows.values())

    def of(self, kind: str, source: str) -> list[Candidate]:
        """The candidates of one text, in file order."""
        with self._lock:
            return [self._rows[item] for item in self._of.get((kind, source), ())]

    def put(self, *rows: Candidate) -> None:
        """Add lines to the end of the file, at once and for good; a candidate's last line counts.

        An accepted one is never put again: until the file is written whole, readers would still see the line before.
        """
        data = "".join(dumps(dict(row.fields)) + "\n" for row in rows).encode()
        with self._lock:
            with self.path.open("ab") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            for row in rows:
                self._keep(row)

    def change(self, row: Candidate) -> None:
        """Put a candidate in the place of the one with its id and write the file whole."""
        with self._lock:
            self._keep(row)
            self._write()

    def save(self, order: Iterable[tuple[str, str]] = ()) -> None:
        """Write the file whole, one line a candidate. Those of ``order`` (kind, source) come last, by it, so that a
        bank does not tell how many were working on it; all others stay in their places.
        """
        with self._lock:
            last = {item: row for where in order for item in self._of.get(where, ()) for row in [self._rows[item]]}
            self._rows = {item: row for item, row in self._rows.items() if item not in last} | last
            self._write()

    def _write(self) -> None:
        write_whole(self.path, (dumps(dict(row.fields)) + "\n" for row in self._rows.values()))

    def _keep(self, row: Candidate) -> None:
        before = self._rows.get(row.id)
        if before is not None and before.audited is not None and row.audited is None:
            row = row.but(audited=before.audited)
        self._rows[row.id] = row
        self._of.setdefault((row.kind, row.source), {})[row.id] = None


def bank_path(given: str) -> Path:
    """The file that is meant: itself, or the ``rewrites.jsonl`` of a folder."""
    path = Path(given)
    return path / REWRITES if path.is_dir() else path


def read_bank(path: Path) -> tuple[list[Candidate], str]:
    """The candidates of a file, and its last line where that was cut by a kill and cannot be read.

    Raises :class:`InputError` naming the line that is wrong.
    """
    lines = read_bytes(path).split(b"\n")
    cut = lines.pop()
    rows = [_candidate(value, place) for place, value in parse_jsonl(lines, path)]
    lost = ""
    if cut.strip():
        place = Place(path, len(lines) + 1)
        try:
            value = parse_line(cut, place)
        except InputError:
            if not cut.startswith(b'{"kind": '):  # not the start of a line of ours
                raise
            lost = cut.decode(errors="replace")
        else:
            rows.append(_candidate(value, place))
    return rows, lost


def _candidate(value: Any, place: Place) -> Candidate:
    rewrite_from_json(value, place)
    return Candidate(value)


@contextmanager
def open_bank(path: Path, *, new: bool = False) -> Iterator[BankFile]:
    """A bank to write to; with ``new`` it may not be there yet. No two commands write one bank at the same time.

    Raises :class:`InputError` for a bank that cannot be read or that another command writes; ``OSError``.
    """
    if new and path.is_dir():
        raise InputError("this is a folder", place=Place(path), advice="Give a file, such as rewrites.jsonl")
    if not path.exists() and not new:
        raise InputError("there is no such file", place=Place(path), advice="Give a rewrite bank")
    lock = FileLock(path.with_name(f".{path.name}.lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise InputError(
            "another command is writing this bank", place=Place(path), advice="Wait for it, or stop it"
        ) from None
    try:
        rows, lost = read_bank(path) if path.exists() else ([], "")
        bank = BankFile(path, rows, lost)
        if new and (not path.exists() or not path.read_bytes().endswith(b"\n")):
            bank.save()  # shows before anything is paid that it can be written; a line can be added only after a line
        yield bank
    finally:
        lock.release()
        with suppress(OSError):
            Path(lock.lock_file).unlink()
