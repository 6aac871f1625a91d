"""The raw requests and responses of a labelled run: a file for each task, created exclusively and never written again.

A file is there before the request is settled and its result recorded. Where a run was killed in between, the next one
reads the outcome from the file and asks nothing.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from pytest_jevbench.errors import AnswerFormatError, InputError, ModelError, Place, Refused, Unreachable
from pytest_jevbench.files import read_json
from pytest_jevbench.json_text import dumps
from pytest_jevbench.labelled.records import Task
from pytest_jevbench.models.exchange import Exchange
from pytest_jevbench.models.protocol import Reply
from pytest_jevbench.models.stored_reply import Unstorable, decode, encode, kind_of
from pytest_jevbench.slugs import file_name

__all__ = ["Outcome", "RawFiles", "RawOutcome"]

FORMAT = "jevbench-labelled-raw"

REMOVE = "Remove it: its request was paid for, and its task is asked again"

RawOutcome: TypeAlias = Reply | Refused | AnswerFormatError | ModelError
"""All that asking a model can lead to."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one request led to, when (ISO 8601) and how long it took in seconds."""

    got: RawOutcome
    time: str
    seconds: float | None


class RawFiles:
    """The folder of one run. ``model`` and ``dataset`` tell which."""

    def __init__(self, folder: Path, *, model: str, dataset: str) -> None:
        self.folder = folder
        self._owner = {"model": model, "dataset_hash": dataset}

    def path(self, task: Task) -> Path:
        return self.folder / file_name(task.id, ".json")

    def check(self, tasks: Sequence[Task]) -> None:
        """Refuse, before anything is paid, a folder in which a file is in the way. Raises :class:`InputError`."""
        for task in tasks:
            if self.path(task).exists():
                self.outcome(task)

    def outcome(self, task: Task) -> Outcome | None:
        """What a killed run had received for a task; None where there is nothing.

        Raises :class:`InputError` for a file of another run.
        """
        path = self.path(task)
        if not path.exists():
            return None
        try:
            value = read_json(path)
        except InputError as error:
            raise InputError(f"this raw file is damaged ({error.problem})", place=error.place, advice=REMOVE) from None
        owner = {**self._owner, "format": FORMAT, "task": task.id, "request": task.request().digest}
        if not isinstance(value, dict) or any(value.get(name) != known for name, known in owner.items()):
            raise InputError(
                "this raw file is of another run",
                place=Place(path),
                advice="Name another place for this run's files with --jevbench-labelled or --jevbench-raw",
            )
        try:
            return Outcome(_decoded(value["outcome"]), value["time"], value["seconds"])
        except (Unstorable, KeyError, TypeError) as error:
            raise InputError(f"this raw file is damaged ({error})", place=Place(path), advice=REMOVE) from None

    def write(self, task: Task, outcome: Outcome, exchanges: Sequence[Exchange], *, stopped: bool = False) -> Path:
        """Write a file that is not there yet. With ``stopped`` the outcome ended the run and is none of the task's.

        Raises ``OSError``, ``FileExistsError`` among it.
        """
        path = self.path(task)
        number = 1
        while stopped and (path := self.folder / file_name(task.id, f".stopped-{number}.json")).exists():
            number += 1
        text = dumps(
            {
                "format": FORMAT,
                "schema_version": "1.0",
                **self._owner,
                "task": task.id,
                "request": task.request().digest,
                "time": outcome.time,
                "seconds": outcome.seconds,
                "exchanges": [_exchange(exchange) for exchange in exchanges],
                "outcome": _encoded(outcome.got),
            },
            indent=1,
        )
        file = path.open("x", encoding="utf-8", newline="\n")
        try:
            with file:
                file.write(text + "\n")
                file.flush()
                os.fsync(file.fileno())
        except OSError:  # half a file would be in the way of the next run
            path.unlink(missing_ok=True)
            raise
        return path


def _exchange(exchange: Exchange) -> dict[str, Any]:
    row = exchange._asdict()
    for name in ("sent", "received"):
        try:
            dumps(row[name])
        except (TypeError, ValueError):  # NaN, and what is no JSON at all
            row[name] = repr(row[name])
    return row


def _encoded(got: RawOutcome) -> Mapping[str, Any]:
    if isinstance(got, (Reply, Refused, AnswerFormatError)):
        return {"kind": kind_of(got), "text": encode(got)}
    return {"kind": "unreachable", "message": str(got), "status": got.status}


def _decoded(value: Mapping[str, Any]) -> RawOutcome:
    if value["kind"] == "unreachable":
        return Unreachable(value["message"], status=value["status"])
    return decode(value["kind"], value["text"])
