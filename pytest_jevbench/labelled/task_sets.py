"""A set of labelled tasks, from files or from a suite's gold answers, with everything checked that needs several."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.files import read_bytes
from pytest_jevbench.json_text import DuplicateKeys, shown
from pytest_jevbench.labelled.dataset_hash import canonical_json, dataset_hash, split_hashes
from pytest_jevbench.labelled.manifest import MANIFESTS, Manifest, read_manifest
from pytest_jevbench.labelled.problems import TaskProblems
from pytest_jevbench.labelled.record_checks import check_record, is_private_name
from pytest_jevbench.labelled.record_files import ADVICE, read_rows, record_paths
from pytest_jevbench.labelled.records import FIELDS, Task

__all__ = ["TaskSet", "check_tasks", "load_tasks"]

_SPLIT = re.compile(r"""\bsplit["']?\s*:\s*["']?([^"'\n,}]+)""")


@dataclass(frozen=True)
class TaskSet:
    """Labelled tasks in the order of their files. ``places`` says by id where each stands."""

    name: str
    path: Path
    tasks: tuple[Task, ...]
    manifest: Manifest | None = None
    places: Mapping[str, Place] | None = None

    @cached_property
    def dataset_hash(self) -> str:
        """The hash over all records."""
        return dataset_hash(self.tasks)

    @cached_property
    def split_hashes(self) -> dict[str, str]:
        """The hash of each split, in order of appearance."""
        return split_hashes(self.tasks)

    @property
    def private_splits(self) -> tuple[str, ...]:
        """The names of the splits of which no text may leave the machine."""
        return tuple(dict.fromkeys(task.split for task in self.tasks if task.private))

    def of_splits(self, names: Iterable[str]) -> TaskSet:
        """The tasks of these splits. Raises :class:`InputError` for a split that has none."""
        wanted = list(names)
        known = dict.fromkeys(task.split for task in self.tasks)
        for name in wanted:
            if name not in known:
                advice = f"There are: {', '.join(shown(split) for split in known)}"
                raise InputError(f"no record has the split {shown(name)}", place=Place(self.path), advice=advice)
        return replace(self, tasks=tuple(task for task in self.tasks if task.split in wanted))


def load_tasks(path: Path | str, *, manifest: Path | str | None = None) -> TaskSet:
    """The tasks of a file or a folder. Raises :class:`~.problems.TaskProblems` with all that is wrong.

    A folder's ``manifest.yaml`` or ``manifest.json`` is checked; ``manifest`` names another one.
    """
    found, problems = check_tasks([Path(path)], manifest=None if manifest is None else Path(manifest))
    if problems:
        raise TaskProblems(problems)
    return found


def check_tasks(
    paths: Sequence[Path], *, manifest: Path | None = None, show_private: bool = False
) -> tuple[TaskSet, list[InputError]]:
    """The usable tasks of files and folders, and all problems in the order of the files; the manifest's come last.

    What is wrong with a private record is told without its words, unless ``show_private``.
    """
    problems: list[InputError] = []
    pinned = _manifest(paths, manifest, problems)
    gathered = _Gathered(pinned.is_private if pinned is not None else is_private_name, show_private)
    for path in paths:
        try:
            files = record_paths(path)
        except InputError as error:
            problems.append(error)
            continue
        for file in files:
            problems += gathered.read(file)
    found = _by_case(gathered.tasks.values())
    problems += _disagreements(found, gathered.places)
    if not gathered.rows and not problems:
        problems.append(InputError("there is no record", place=Place(paths[0]), advice=ADVICE))
    if pinned is not None and not problems:
        problems += pinned.problems(found)
    return TaskSet(paths[0].resolve().stem, paths[0], found, pinned, gathered.places), problems


class _Gathered:
    """The records of several files, by id."""

    def __init__(self, private: Callable[[str], bool], show_private: bool) -> None:
        self.tasks: dict[str, Task] = {}
        self.places: dict[str, Place] = {}
        self.rows = 0
        self._private = private
        self._show = show_private

    def read(self, file: Path) -> list[InputError]:
        """Take the records of a file up, and return what is wrong with it."""
        problems: list[InputError] = []
        unread: list[int] = []
        any_private = False
        for row in read_rows(file):
            self.rows += 1
            if isinstance(row, InputError):
                unread.append(len(problems))
                problems.append(row)
                continue
            place, value = row
            private = _may_be_private(value, self._private)
            any_private = any_private or private
            wrong = self._take(value, place)
            problems += [_without_words(error) for error in wrong] if private and not self._show else wrong
        if unread and not self._show and (any_private or _names_private_split(file, self._private)):
            for index in unread:  # what cannot be read may be a private record
                problems[index] = _without_words(problems[index])
        return problems

    def _take(self, value: Any, place: Place) -> list[InputError]:
        task, wrong = check_record(value, place, self._private)
        record_id = value.get("id") if isinstance(value, dict) else None
        if not isinstance(record_id, str):
            return wrong
        if record_id in self.places:
            problem = f"the id {shown(record_id)} stands in {self.places[record_id]} already"
            return [*wrong, InputError(problem, place=place.at("id"), advice="Give every record an id of its own")]
        self.places[record_id] = place
        if task is not None:
            self.tasks[record_id] = task
        return wrong


def _may_be_private(value: Any, private: Callable[[str], bool]) -> bool:
    """Whether a record is of a private split, or its split cannot be told."""
    if not isinstance(value, dict) or "split" not in value:
        return False
    split = value["split"]
    twice = isinstance(value, DuplicateKeys) and "split" in value.repeated
    return twice or not isinstance(split, str) or private(split)


def _names_private_split(file: Path, private: Callable[[str], bool]) -> bool:
    """Whether the text of a file, some of which cannot be read, speaks of a private split."""
    try:
        text = read_bytes(file).decode(errors="replace")
    except InputError:  # there is nothing to tell
        return False
    return any(private(name.strip()) for name in _SPLIT.findall(text))


def _without_words(error: InputError) -> InputError:
    """The place of a problem, and no word of the record: the first name of the field is one of ours."""
    first = (error.place.field or "").partition(".")[0].partition("[")[0]
    place = Place(error.place.file, error.place.line, first if first in FIELDS else None)
    advice = "`pytest-jevbench tasks validate PATH --show-private` tells what, on your own screen"
    return InputError("something is wrong in a record that is private, or may be", place=place, advice=advice)


def _manifest(paths: Sequence[Path], given: Path | None, problems: list[InputError]) -> Manifest | None:
    beside = [path / name for path in paths if path.is_dir() for name in MANIFESTS if (path / name).is_file()]
    found = [given] if given is not None else beside
    if len(found) > 1:
        names = ", ".join(str(path) for path in found)
        problems.append(InputError(f"there is more than one manifest ({names})", advice="Keep one, or name it"))
        return None
    try:
        return read_manifest(found[0]) if found else None
    except InputError as error:
        problems.append(error)
        return None


def _by_case(tasks: Iterable[Task]) -> tuple[Task, ...]:
    """The tasks with their case: equal states are one case, called by number so that no text is in the name."""
    numbers: dict[str, int] = {}
    found = []
    for task in tasks:
        state = canonical_json({"state": task.state})
        found.append(replace(task, case=f"case-{numbers.setdefault(state, len(numbers) + 1)}"))
    return tuple(found)


def _disagreements(tasks: Iterable[Task], places: Mapping[str, Place]) -> list[InputError]:
    """Groups whose members have not one answer, one set of labels and one privacy; equal questions with two answers."""
    problems = []
    first_of_group: dict[str, Task] = {}
    first_of_question: dict[str, Task] = {}
    for task in tasks:
        if task.group is not None:
            first = first_of_group.setdefault(task.group, task)
            wrong = _apart(first, task)
            if wrong:
                field, what = wrong
                said = f"the group {shown(task.group)} {what} (the other is {shown(first.id)} in {places[first.id]})"
                advice = "Members of a group ask the same in other words: give them one label, or another group"
                problems.append(InputError(said, place=places[task.id].at(field), advice=advice))
        asked = canonical_json({"state": task.state, "question": task.question.to_json()})
        twin = first_of_question.setdefault(asked, task)
        if twin.expected != task.expected and (twin.group is None or twin.group != task.group):
            said = f"the same question about the same state has another label in {places[twin.id]}"
            advice = "One of the two labels is wrong"
            problems.append(InputError(said, place=places[task.id].at("expected"), advice=advice))
    return problems


def _apart(first: Task, task: Task) -> tuple[str, str] | None:
    """The field in which two members of a group differ and must not, and how to say so."""
    if first.private != task.private:
        return "split", "has a private and a public member, and one would give the other away"
    if first.question.type != task.question.type:
        return "question.type", f"has questions of two types, {first.question.type} and {task.question.type}"
    if set(first.labels) != set(task.labels):
        return "labels", "has members with different labels"
    if first.expected != task.expected:
        if task.private:
            return "expected", "has members that disagree on the label"
        return "expected", f"disagrees on the label, {shown(first.expected)} and {shown(task.expected)}"
    return None
