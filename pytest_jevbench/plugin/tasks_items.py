"""Labelled tasks as pytest items, hung on the session beside whatever else is collected."""

from __future__ import annotations

import traceback
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.errors import JevbenchError
from pytest_jevbench.json_text import printable, shown
from pytest_jevbench.labelled.private import Hiding
from pytest_jevbench.labelled.records import Task
from pytest_jevbench.labelled.results import TaskResult
from pytest_jevbench.plugin.keys import SETTINGS
from pytest_jevbench.plugin.settings import runs_nothing
from pytest_jevbench.plugin.tasks_keys import TASKS, TASKS_MODEL, WANTED
from pytest_jevbench.slugs import slug

__all__ = [
    "TaskItem",
    "Unanswered",
    "WrongAnswer",
    "pytest_collection_modifyitems",
    "pytest_make_collect_report",
    "result_words",
]


class WrongAnswer(JevbenchError):
    """A task was answered wrong, or by what is no answer; raised so that pytest treats the item as failed."""


class Unanswered(JevbenchError):
    """A task has no answer that could be judged."""


class TasksCollector(pytest.Collector):
    """The tasks of a run, in the order of their files."""

    def collect(self) -> Iterator[pytest.Item]:
        wanted = self.config.stash[WANTED]
        for position, task in enumerate(self.config.stash[TASKS].tasks):
            if not wanted or f"{self.nodeid}::{slug(task.id)}" in wanted:
                item: TaskItem = TaskItem.from_parent(self, name=slug(task.id), task=task, position=position)
                yield item


class TaskItem(pytest.Item):
    """One task: its setup asks the model, its call fails where the answer is wrong."""

    def __init__(self, *, task: Task, position: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.labelled_task = task
        self.position = position
        self.result: TaskResult | None = None
        self.add_marker("jevbench_task")
        self.add_marker(f"jevbench_{task.question.type}")

    def setup(self) -> None:
        """Ask the model; a task without an answer that could be judged ends here, as an error."""
        if runs_nothing(self.config):
            return
        task = self.labelled_task
        try:
            run = self.config.stash[TASKS_MODEL].open(self)
            self.result = run.result(task)
        except JevbenchError as error:
            self.session.shouldstop = f"jevbench: {_hidden(task, str(error))}"
            raise Unanswered(_hidden(task, str(error))) from None
        except OSError as error:  # what was paid for cannot be kept: nothing more may be paid
            self.session.shouldstop = f"jevbench: an answer cannot be kept ({error})"
            raise Unanswered(f"the answer cannot be kept: {error}") from None
        except KeyboardInterrupt:
            if task.private:  # the frames that are shown on Ctrl-C have its text
                raise KeyboardInterrupt from None
            raise
        except Exception as error:
            last = "".join(traceback.format_exception_only(type(error), error)).strip()
            self.session.shouldstop = f"jevbench: the model could not be opened ({_hidden(task, last)})"
            raise Unanswered(f"the model could not be opened: {_hidden(task, last)}") from None
        if run.stopped and not self.session.shouldstop:
            self.session.shouldstop = f"jevbench: {printable(run.stopped)}"
        if self.config.stash[SETTINGS].get("junit_properties"):
            self.user_properties[:] = [("jevbench_verdict", self.result.verdict)]
        if self.result.verdict == "unjudged":
            raise Unanswered(result_words(task, self.result))

    def runtest(self) -> None:
        """Fail where the answer is wrong and that counts as a failure."""
        assert self.result is not None
        if self.result.verdict == "wrong" and self.config.stash[SETTINGS].fail_on != "never":
            raise WrongAnswer(result_words(self.labelled_task, self.result))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """One line where it is known what is wrong."""
        told = self.in_short(excinfo.value)
        return super().repr_failure(excinfo, style) if told is None else told

    def in_short(self, error: BaseException) -> str | None:
        """What an error says, without frames, in which the text of a private task may stand; None to show them."""
        if isinstance(error, (WrongAnswer, Unanswered)):
            return str(error)
        return f"{type(error).__name__} (not told: private)" if self.labelled_task.private else None

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """The file of the record, where it has a line there."""
        tasks = self.config.stash[TASKS]
        place = (tasks.places or {}).get(self.labelled_task.id)
        if place is None or place.file is None:
            return tasks.path, None, self.nodeid
        return Path(place.file), None if place.line is None else place.line - 1, self.nodeid


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Ask the tasks in the order of their files, wherever a plugin that shuffles has put them."""
    places = [place for place, item in enumerate(items) if isinstance(item, TaskItem)]
    tasks = sorted((item for item in items if isinstance(item, TaskItem)), key=lambda item: item.position)
    for place, item in zip(places, tasks, strict=True):
        items[place] = item


def result_words(task: Task, result: TaskResult) -> str:
    """What came of a task, in one line. Of a private one no word of its own, of the server or of the model is told."""
    kept = Hiding([task]).result(task, result)
    told = f"{result.verdict} ({result.reason})" if result.reason else str(result.verdict)
    if task.private:
        return f"{told}; no more is told, the task is private"
    if result.given is not None and task.expected is not None:
        told += f": expected {_likely(task, result, task.expected)}, the model says "
        told += _likely(task, result, result.given)
    elif result.reason == "tied" and result.probabilities:
        told += f": no label is the most probable one, expected {_likely(task, result, task.expected or '')}"
    elif kept.detail:
        told += f": {printable(kept.detail)}"
    return told


def _likely(task: Task, result: TaskResult, label: str) -> str:
    p = (result.probabilities or {}).get(label)
    return shown(label) if p is None else f"{shown(label)} ({100 * p:.1f} %)"


def _hidden(task: Task, text: str) -> str:
    return "(not told: private)" if task.private else printable(text)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Any, Any]:
    """Append the tasks to what the session collects: their ids then read the same in any directory."""
    report = yield
    if isinstance(collector, pytest.Session) and report.outcome == "passed":
        name = slug(collector.config.stash[TASKS].name)
        tasks: TasksCollector = TasksCollector.from_parent(collector, name=name, nodeid=name)
        report.result = [*report.result, tasks]
    return report
