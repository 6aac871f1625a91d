"""A labelled run from its header to its exit status, in the one process that it has."""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import Any

import pytest

from pytest_jevbench.counting import counted
from pytest_jevbench.errors import InputError, JevbenchError
from pytest_jevbench.plugin.collection_errors import SeesCollectionErrors
from pytest_jevbench.plugin.html_page import add_result_to_page
from pytest_jevbench.plugin.keys import SETTINGS
from pytest_jevbench.plugin.settings import runs_nothing
from pytest_jevbench.plugin.tasks_ending import Ended, print_ended, write_document
from pytest_jevbench.plugin.tasks_items import TaskItem
from pytest_jevbench.plugin.tasks_keys import TASKS, TASKS_MODEL
from pytest_jevbench.reports.github import inert
from pytest_jevbench.runs.exit_status import UNREACHABLE, Ending, exit_status

__all__ = ["TasksSession"]

LETTERS = {"correct": ".", "wrong": "w", "unjudged": "u"}
COLOURS = {"correct": "green", "wrong": "yellow", "unjudged": "red"}


class TasksSession(SeesCollectionErrors):
    """The hooks of a labelled run."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._verdicts: dict[str, str] = {}
        self._failing = 0
        self._collected: dict[str, str] = {}
        self._interrupted = False
        self._began, self._started = time.monotonic(), time.time()
        self._ended: Ended | None = None

    def pytest_report_header(self, config: pytest.Config) -> list[str]:
        tasks, model = config.stash[TASKS], config.stash[TASKS_MODEL]
        settings = config.stash[SETTINGS]
        how = f"{model.source.kind} ({model.source.level})"
        if model.source.from_option:
            how += f": {settings.shown(model.source.kind)}{settings.dialect_text}"
        splits = ", ".join(tasks.split_hashes)
        return [
            f"jevbench: {counted(len(tasks.tasks), 'labelled task')} of {tasks.name} (split {splits}), "
            f"data set {tasks.dataset_hash[:12]}",
            f"jevbench: model by {how}",
            f"jevbench: results in {settings.as_typed(model.outputs.results)}, raw requests and responses in "
            f"{settings.as_typed(model.outputs.raw)}",
        ]

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Open the model and check everything that would fail after a request was paid for; nothing is asked yet."""
        model = self._config.stash[TASKS_MODEL]
        if runs_nothing(self._config) or model.needs_item:
            return
        try:
            model.open(None)
        except InputError as error:
            raise pytest.UsageError(f"jevbench: {error}") from None
        except JevbenchError as error:
            self._exit(str(error))

    def _exit(self, problem: str) -> None:
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is None:
            pytest.exit(f"jevbench: {problem}\nNo task was asked.", returncode=UNREACHABLE)
        reporter.ensure_newline()
        for text in f"jevbench: {problem}".splitlines():
            reporter.write_line(inert(text), red=True)
        pytest.exit("no task was asked", returncode=UNREACHABLE)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._collected = {i.nodeid: i.labelled_task.id for i in session.items if isinstance(i, TaskItem)}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[Any]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Attach the verdict to the phase that decided: the setup of an unjudged task, the call of any other."""
        report = yield
        if isinstance(item, TaskItem) and call.excinfo is not None and report.failed:
            # pytest asks an item for its words about failures of the call alone
            report.longrepr = item.in_short(call.excinfo.value) or report.longrepr
        if isinstance(item, TaskItem) and item.result is not None:
            decides = "setup" if item.result.verdict == "unjudged" else "call"
            if report.when == decides:
                report.jevbench_verdict = item.result.verdict  # type: ignore[attr-defined]
        return report

    def pytest_report_teststatus(
        self, report: pytest.TestReport | pytest.CollectReport
    ) -> tuple[str, str, tuple[str, dict[str, bool]]] | None:
        """Categories of our own, so that wrong and unjudged tasks are counted apart and print no traceback."""
        verdict = getattr(report, "jevbench_verdict", None)
        if verdict is None:
            return None
        category = "passed" if verdict == "correct" else verdict
        return category, LETTERS[verdict], (verdict.upper(), {COLOURS[verdict]: True})

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        verdict = getattr(report, "jevbench_verdict", None)
        if verdict is not None:
            self._verdicts[report.nodeid] = verdict
            self._failing += verdict == "wrong" and report.failed
        elif report.failed and report.nodeid in self._collected:
            self._verdicts[report.nodeid] = "unjudged"

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        self._interrupted = type(excinfo.value) is KeyboardInterrupt

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Write the document of what is there, and set the exit status."""
        run = self._config.stash[TASKS_MODEL].run
        if runs_nothing(self._config) or not self._collected or self.ended_in_collection(session):
            return
        stopped = (run.stopped if run is not None else "") or ("interrupted" if self._interrupted else "")
        lost = False
        if run is not None:
            self._ended = write_document(
                self._config, run, seconds=time.monotonic() - self._began, started=self._started, stopped=stopped
            )
            lost = not self._ended.written
            add_result_to_page(self._config, self._ended.document.to_json())
        unjudged = sum(verdict == "unjudged" for verdict in self._verdicts.values())
        by_failures = bool(session.shouldfail) or (int(exitstatus) == 2 and not self._interrupted and not stopped)
        others = session.testsfailed - self._failing - unjudged if len(session.items) > len(self._collected) else 0
        session.exitstatus = exit_status(
            Ending(
                pytest_status=int(exitstatus),
                interrupted=self._interrupted,
                stopped_by_failures=by_failures,
                other_failures=max(0, others),
                violations=self._failing,
                unjudged=unjudged,
                lost=len(self._collected) - len(self._verdicts),
                model_unusable=run is None,
                card_lost=lost,
            )
        )

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._ended is not None:
            print_ended(self._config, terminalreporter, self._ended)

    def pytest_unconfigure(self) -> None:
        self._config.stash[TASKS_MODEL].close()
