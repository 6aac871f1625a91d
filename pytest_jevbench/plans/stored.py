"""Trials that stay the lines of their plan file until somebody asks for them.

Reading 12,000 trials takes most of the time of loading a large suite, and a worker, a shard or a selection needs few
of them. What a test is stands at the head of its line.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import overload

from pytest_jevbench.errors import InputError, Place, SuiteError
from pytest_jevbench.files import parse_line
from pytest_jevbench.plans.plan import PlannedTest
from pytest_jevbench.plans.rehearsal import Rehearsal, Rehearsed
from pytest_jevbench.plans.rows import RowReader
from pytest_jevbench.questions import Case
from pytest_jevbench.relations.base import Relation, Trial

__all__ = ["PlanFile", "StoredTrials", "check_tests"]


@dataclass(frozen=True)
class PlanFile:
    """What reading the lines of one plan file takes."""

    name: Path | str
    relations: Mapping[str, Relation]
    readers: Mapping[str, RowReader]
    rehearsal: Rehearsal

    @classmethod
    def of(cls, name: Path | str, relations: Mapping[str, Relation], cases: Iterable[Case]) -> PlanFile:
        return cls(name, relations, {case.id: RowReader(case) for case in cases}, Rehearsal())

    def read(self, number: int, line: bytes) -> tuple[Trial, Rehearsed]:
        """The trial of a line, and what uniform answers give. Raises :class:`SuiteError` naming line and field."""
        place = Place(self.name, number)
        try:
            row = parse_line(line, place)
            relation, reader = self.relations[row["relation"]], self.readers[row["case"]]
            trial = reader.trial(row, relation.name, place)
            return trial, self.rehearsal.measure(relation, trial, reader.case, place)
        except InputError as error:
            raise SuiteError(error.problem, place=error.place, advice=error.advice) from None

    def forget(self) -> None:
        """Let go of what makes equal parts of trials one object, once all trials that are wanted were read."""
        for reader in self.readers.values():
            reader.forget()


class StoredTrials(Sequence[Trial]):
    """The trials of one test, read from their lines at the first use. Raises :class:`SuiteError` then."""

    __slots__ = ("_file", "_lines", "_rehearsed", "_trials")

    def __init__(self, file: PlanFile) -> None:
        self._file = file
        self._lines: list[tuple[int, memoryview]] = []
        self._trials: tuple[Trial, ...] | None = None
        self._rehearsed: tuple[Rehearsed, ...] = ()

    @property
    def rehearsed(self) -> tuple[Rehearsed, ...]:
        """What uniform answers give for each trial."""
        self._read()
        return self._rehearsed

    @property
    def file(self) -> PlanFile:
        """Where the trials are read from."""
        return self._file

    def add(self, number: int, line: memoryview) -> None:
        """Take another line; only while none was read."""
        self._lines.append((number, line))

    def _read(self) -> tuple[Trial, ...]:
        lines = self._lines  # before the trials: another thread sets these first and drops the lines then
        trials = self._trials
        if trials is None:
            read = [self._file.read(number, bytes(line)) for number, line in lines]
            self._rehearsed = tuple(rehearsed for _, rehearsed in read)
            trials = self._trials = tuple(trial for trial, _ in read)
            self._lines = []
        return trials

    def __len__(self) -> int:
        lines, trials = self._lines, self._trials
        return len(lines) if trials is None else len(trials)

    @overload
    def __getitem__(self, index: int) -> Trial: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Trial, ...]: ...
    def __getitem__(self, index: int | slice) -> Trial | tuple[Trial, ...]:
        return self._read()[index]

    def __iter__(self) -> Iterator[Trial]:
        return iter(self._read())


def check_tests(tests: Iterable[PlannedTest]) -> None:
    """Read all trials of the tests now, before anything is asked: what is wrong with one is said here.

    Raises :class:`SuiteError` naming line and field.
    """
    files: dict[int, PlanFile] = {}
    with _collector_paused():
        for test in tests:
            for _ in test.trials:
                pass
            if isinstance(test.trials, StoredTrials):
                files[id(test.trials.file)] = test.trials.file
    for file in files.values():
        file.forget()


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Without Python's search for reference cycles: a plan's many objects hold none, and it takes most of the time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
