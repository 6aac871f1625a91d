"""What keeps private tasks on the machine: where their outputs may be, and what may be said of them.

Of a private task only its id, family, split and group are told, which :mod:`.record_checks` keeps to plain names. The
options of a Choice are told by their positions, and the words of a server or a model not at all: they may quote it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.labelled.records import Task
from pytest_jevbench.labelled.results import TaskResult
from pytest_jevbench.questions import Choice

__all__ = ["HIDDEN", "PLAIN_FLAGS", "Hiding", "check_private_outputs", "work_tree"]

HIDDEN = "(not told: private)"
PLAIN_FLAGS = ("renormalised", "truncated")
"""Flags that hold no text of anybody."""
_MARKS = (".git", ".hg", ".jj", ".svn")


def work_tree(path: Path | str) -> Path | None:
    """The root of the repository that a path lies in, its links followed; None where it lies in none.

    The path need not exist: the folder that it would be made in decides.
    """
    real = Path(path).resolve()
    for folder in (real, *real.parents):
        if any((folder / mark).exists() for mark in _MARKS):
            return folder
    return None


def check_private_outputs(tasks: Iterable[Task], outputs: Mapping[str, Path | str | None]) -> None:
    """Refuse outputs that lie inside a repository, where any of the tasks is private.

    ``outputs`` gives each file or folder that will be written by the option that named it; None is no output. Raises
    :class:`InputError` for the first one.
    """
    split = next((task.split for task in tasks if task.private), None)
    if split is None:
        return
    for option, path in outputs.items():
        root = None if path is None else work_tree(path)
        if root is not None:
            raise InputError(
                f"the output lies inside the repository {root}, and the split {split!r} is private",
                place=Place(path, field=option),
                advice="Name a place outside of it: what is committed by mistake cannot be taken back",
            )


class Hiding:
    """How the labels of private tasks are called where they are written down.

    The options of a private Choice are called by their positions from 0, in the order of the first task of its group,
    so that members of a group can still be compared. A Noul's and a Score's labels hold no text and stay.
    """

    def __init__(self, tasks: Iterable[Task]) -> None:
        self._groups: dict[str, Task] = {}
        for task in tasks:
            if task.private and task.group is not None:
                self._groups.setdefault(task.group, task)

    def names(self, task: Task) -> dict[str, str]:
        """What each label of a task is called, in the task's order."""
        if not task.private or not isinstance(task.question, Choice):
            return {label: label for label in task.labels}
        first = task if task.group is None else self._groups.get(task.group, task)
        return {label: str(first.labels.index(label)) for label in task.labels}

    def result(self, task: Task, result: TaskResult) -> TaskResult:
        """The result as it may be written down: for a private task without any text of the task, server or model."""
        if not task.private:
            return result
        names = self.names(task)

        def renamed(values: Mapping[str, float] | None) -> dict[str, float] | None:
            return None if values is None else {names[label]: p for label, p in values.items() if label in names}

        return replace(
            result,
            given=None if result.given is None else names.get(result.given),
            probabilities=renamed(result.probabilities),
            returned=renamed(result.returned),
            flags=tuple(flag for flag in result.flags if flag in PLAIN_FLAGS),
            detail=HIDDEN if result.detail else "",
            model_answered=result.model_answered if result.model_answered == result.model_asked else None,
        )
