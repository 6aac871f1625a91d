"""The results of a labelled run, one line each, safe on the disk before the next request is sent.

The first line says whose they are. A run that is started again on the same file asks nothing that stands in it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.files import parse_line, read_bytes
from pytest_jevbench.json_text import JSON, dumps, shown
from pytest_jevbench.labelled.results import TaskResult, result_from_json, result_to_json

__all__ = ["ResultsLog"]

FORMAT = "jevbench-labelled-results"


class ResultsLog:
    """The log of one run, held by this process alone until it is closed.

    ``header`` is what must be equal for results to be of the same run. Raises :class:`InputError` for a file of
    another run, a damaged one, one that cannot be written, and one that another process holds.
    """

    def __init__(self, path: Path, header: Mapping[str, JSON]) -> None:
        self.path = path
        self._header = {"format": FORMAT, "schema_version": "1.0", **header}
        self._lock = FileLock(f"{path}.lock", timeout=0)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab"):
                pass
            self._lock.acquire()
        except Timeout:
            raise InputError("another run is writing this file", place=Place(path), advice="Wait for its end") from None
        except OSError as error:
            raise self._unusable(error) from None
        try:
            self.results = self._read()
        except BaseException:
            self._lock.release()
            raise

    def append(self, result: TaskResult) -> None:
        """Add a result and have it on the disk. Raises ``OSError``."""
        self._write(result_to_json(result))
        self.results[result.task_id] = result

    def close(self) -> None:
        self._lock.release()

    def _unusable(self, error: OSError) -> InputError:
        return InputError(
            f"it cannot be written ({error.strerror or error})",
            place=Place(self.path),
            advice="Give --jevbench-labelled=FILE where a file can be made",
        )

    def _read(self) -> dict[str, TaskResult]:
        """The results that are there; a last line that a killed process began is cut off."""
        data = read_bytes(self.path)
        whole = data[: data.rfind(b"\n") + 1]
        lines = whole.split(b"\n")[:-1]
        begun = _line(self._header).startswith(data)  # nothing yet, or as far as a killed process came
        if not begun:
            self._check_header(parse_line(lines[0] if lines else data, Place(self.path, 1)))
        try:
            if len(whole) < len(data):
                os.truncate(self.path, len(whole))
            if not whole:
                self._write(self._header)
        except OSError as error:
            raise self._unusable(error) from None
        found: dict[str, TaskResult] = {}
        for number, line in enumerate(lines[1:], 2):
            place = Place(self.path, number)
            result = result_from_json(parse_line(line, place), place)
            if result.task_id in found:
                raise InputError(f"the task {shown(result.task_id)} stands on an earlier line", place=place)
            found[result.task_id] = result
        return found

    def _check_header(self, header: Any) -> None:
        place = Place(self.path, 1)
        if not isinstance(header, dict) or header.get("format") != FORMAT:
            raise InputError("this is no file of results of a labelled run", place=place, advice="Name another file")
        for name, known in self._header.items():
            if header.get(name) != known:
                raise InputError(
                    f"these results are of another run: {name} was {shown(header.get(name))} and is {shown(known)}",
                    place=place,
                    advice="Name another file with --jevbench-labelled, or go on with what the results are of",
                )

    def _write(self, row: Mapping[str, Any]) -> None:
        with self.path.open("ab") as file:
            file.write(_line(row))
            file.flush()
            os.fsync(file.fileno())


def _line(row: Mapping[str, Any]) -> bytes:
    return dumps(row, compact=True).encode() + b"\n"
