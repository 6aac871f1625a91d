"""Trials that stay the lines of their plan until somebody asks for them.

Reading 12,000 trials takes most of the time of loading a large suite, and a worker, a shard or a selection needs few
of them. What a test is stands at the head of its line. Of more trials than a large suite has, those that were read
first are dropped again: a run needs the trials of a few cases at a time.
"""

from __future__ import annotations

import gc
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import overload

from pytest_jevbench.errors import InputError, Place, SuiteError
from pytest_jevbench.files import parse_line
from pytest_jevbench.plans.plan import PlannedTest
from pytest_jevbench.plans.plan_lines import PlanLines
from pytest_jevbench.plans.rehearsal import Rehearsal, Rehearsed
from pytest_jevbench.plans.rows import RowReader
from pytest_jevbench.questions import Case
from pytest_jevbench.relations.base import Relation, Trial

__all__ = ["MOST_TRIALS", "PlanFile", "StoredTrials", "check_tests"]

MOST_TRIALS = 20_000
"""Trials of a plan that are all kept once they were read: some 50 MB."""
_AT_HAND = 4_000
"""Trials that are kept of a larger plan."""


class _Shelf:
    """The tests whose trials were read, so that those of the first ones can be dropped."""

    def __init__(self) -> None:
        self._tests: deque[StoredTrials] = deque()
        self._count = 0

    def add(self, test: StoredTrials) -> None:
        self._tests.append(test)
        self._count += len(test)
        while self._count > _AT_HAND and len(self._tests) > 1:
            first = self._tests.popleft()
            self._count -= len(first)
            first.drop()


@dataclass(frozen=True)
class PlanFile:
    """What reading the lines of one plan takes."""

    name: Path | str
    relations: Mapping[str, Relation]
    readers: Mapping[str, RowReader]
    rehearsal: Rehearsal
    lines: PlanLines = field(default_factory=partial(PlanLines, MOST_TRIALS))
    shelf: _Shelf = field(default_factory=_Shelf)
    reading: AbstractContextManager[object] = field(default_factory=threading.RLock)
    """Held while lines are read: threads that ask ahead read them too."""

    @classmethod
    def of(
        cls, name: Path | str, relations: Mapping[str, Relation], cases: Iterable[Case], most_plain: int = MOST_TRIALS
    ) -> PlanFile:
        readers = {case.id: RowReader(case) for case in cases}
        return cls(name, relations, readers, Rehearsal(), PlanLines(most_plain))

    def read(self, number: int, line: bytes) -> Trial:
        """The trial of a line. Raises :class:`SuiteError` naming line and field."""
        place = Place(self.name, number)
        try:
            row = parse_line(line, place)
            relation, reader = self.relations[row["relation"]], self.readers[row["case"]]
            return reader.trial(row, relation.name, place)
        except InputError as error:
            raise SuiteError(error.problem, place=error.place, advice=error.advice) from None

    def measure(self, number: int, trial: Trial) -> Rehearsed:
        """What uniform answers give for the trial of a line. Raises :class:`SuiteError` naming line and field."""
        relation, case = self.relations[trial.relation], self.readers[trial.case_id].case
        try:
            return self.rehearsal.measure(relation, trial, case, Place(self.name, number))
        except InputError as error:
            raise SuiteError(error.problem, place=error.place, advice=error.advice) from None

    def forget(self) -> None:
        """Let go of what makes equal parts of trials one object, once all trials that are wanted were read."""
        for reader in self.readers.values():
            reader.forget()


class StoredTrials(Sequence[Trial]):
    """The trials of one test, read from their lines at the first use. Raises :class:`SuiteError` then."""

    __slots__ = ("_file", "_first", "_more", "_rehearsed", "_trials")

    def __init__(self, file: PlanFile) -> None:
        self._file = file
        self._first = 0
        self._more: tuple[int, ...] = ()
        self._trials: tuple[Trial, ...] | None = None
        self._rehearsed: tuple[Rehearsed, ...] | None = None

    @property
    def rehearsed(self) -> tuple[Rehearsed, ...]:
        """What uniform answers give for each trial."""
        if self._rehearsed is None:
            self._read()
        assert self._rehearsed is not None
        return self._rehearsed

    @property
    def file(self) -> PlanFile:
        """Where the trials are read from."""
        return self._file

    @property
    def _numbers(self) -> tuple[int, ...]:
        """Which of the kept lines are those of the test."""
        return (self._first, *self._more)

    def add(self, number: int, line: bytes, trial: Trial | None = None) -> None:
        """Take another line of the file, of this number there; only while none was read.

        A ``trial`` that the line was written from is measured now.
        """
        kept = self._file.lines.add(line, number)
        if self._first:
            self._more += (kept,)
        else:
            self._first = kept
        if trial is not None:
            self._rehearsed = (*(self._rehearsed or ()), self._file.measure(number, trial))

    def drop(self) -> None:
        """Let go of what was read; it is read again when it is used again."""
        trials, self._trials = self._trials, None
        if trials:
            self._file.readers[trials[0].case_id].forget()

    def _read(self) -> tuple[Trial, ...]:
        trials = self._trials
        if trials is not None:
            return trials
        file = self._file
        with file.reading:
            if self._trials is not None:  # another thread was faster
                return self._trials
            lines = file.lines
            trials = tuple(file.read(lines.number(kept), lines.line(kept)) for kept in self._numbers)
            if self._rehearsed is None:
                pairs = zip(self._numbers, trials, strict=True)
                self._rehearsed = tuple(file.measure(lines.number(kept), trial) for kept, trial in pairs)
            self._trials = trials
            if file.lines.stay:
                file.shelf.add(self)
            else:
                for kept in self._numbers:
                    lines.let_go(kept)
        return trials

    def __len__(self) -> int:
        return 1 + len(self._more)

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
            if isinstance(test.trials, StoredTrials):
                _ = test.trials.rehearsed
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
