"""The controller of a run (the only process, or the one that xdist's workers report to)."""

from __future__ import annotations

import shutil
import time
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING, Any

import pytest

from pytest_jevbench.counting import counted
from pytest_jevbench.errors import JevbenchError
from pytest_jevbench.json_text import JSON
from pytest_jevbench.plugin.card_building import build_run_card, score_settings
from pytest_jevbench.plugin.collection_errors import SeesCollectionErrors
from pytest_jevbench.plugin.early import EarlyStop, forecast_of
from pytest_jevbench.plugin.finishing import run_ending, stop_reason
from pytest_jevbench.plugin.html_page import add_card_to_page
from pytest_jevbench.plugin.item import JevbenchItem
from pytest_jevbench.plugin.keys import GATE, MODEL, PLACE, RESULTS, RUN, SETTINGS
from pytest_jevbench.plugin.model_source import ModelSource
from pytest_jevbench.plugin.opening import has_workers, store_text
from pytest_jevbench.plugin.outputs import Finished, finished, write_outputs
from pytest_jevbench.plugin.progress import Progress
from pytest_jevbench.plugin.settings import runs_nothing
from pytest_jevbench.plugin.terminal import print_end
from pytest_jevbench.plugin.workers import ControllerOfWorkers
from pytest_jevbench.reports.github import inert
from pytest_jevbench.runs.exit_status import UNREACHABLE, exit_status
from pytest_jevbench.runs.first_request import ask_first, problem_of
from pytest_jevbench.runs.planning import Run
from pytest_jevbench.runs.results import TestResult
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.warning import notify

if TYPE_CHECKING:
    from pytest_jevbench.plugin.minimizing import Minimizing

__all__ = ["Controller"]


class Controller(SeesCollectionErrors):
    """Starts and checks the model, gathers results, and finishes the run."""

    def __init__(
        self, config: pytest.Config, source: ModelSource, early: EarlyStop | None, replicas: int | None
    ) -> None:
        self._config = config
        self._source = source
        self._early = early
        self._replicas = replicas
        self._interrupted = False
        self._began, self._started = time.monotonic(), time.time()
        self._results: list[TestResult] | None = None
        self._end: Finished | None = None
        self.card: Card | None = None
        self._minimizing: Minimizing | None = None
        if config.stash[SETTINGS].get("minimize"):
            from pytest_jevbench.plugin.minimizing import Minimizing

            self._minimizing = Minimizing(config, source)
            config.pluginmanager.register(self._minimizing, "jevbench-minimizing")
        config.pluginmanager.register(Progress(config), "jevbench-progress")
        # Its hooks are xdist's alone; whether that is there cannot be told by a name: -p xdist.plugin has another one.
        config.pluginmanager.register(ControllerOfWorkers(config, replicas, source.from_option), "jevbench-workers")

    def pytest_report_header(self, config: pytest.Config) -> list[str]:
        run = config.stash[RUN]
        how = f"{self._source.kind} ({self._source.level})"
        if self._source.from_option:
            how += f": {config.stash[SETTINGS].shown(self._source.kind)}{config.stash[SETTINGS].dialect_text}"
        gate = config.stash[GATE]
        lines = [
            f"jevbench: {' '.join(filter(None, ('suite', run.suite.name, run.suite.version)))}, "
            f"{counted(len(run.tests), 'test')} planned on {counted(len({t.id.case_id for t in run.tests}), 'case')}",
            *([] if run.shard[1] == 1 else [_shard_text(run)]),
            f"jevbench: model by {how}{f', {self._replicas} replicas' if (self._replicas or 1) > 1 else ''}",
            f"jevbench: {store_text(config)}",
        ]
        if gate.config is not None:
            lines.append(f"jevbench: gate from {gate.origin}")
            forecast = forecast_of(gate, run, score_settings(config.stash[SETTINGS], run))
            lines += [f"jevbench: {one.text}" for one in forecast if one.falls_short]
        return lines

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionstart(self, session: pytest.Session) -> None:
        """Start the model and ask it one request, before workers start and before any item."""
        if runs_nothing(self._config) or self._source.kind == "fixture":
            return
        problem = self._first_request()
        if problem:
            self._close()
            reporter = self._config.pluginmanager.get_plugin("terminalreporter")
            if reporter is None:
                pytest.exit(f"jevbench: {problem}\nNo test was run.", returncode=UNREACHABLE)
            reporter.ensure_newline()
            for text in f"jevbench: {problem}".splitlines():
                reporter.write_line(inert(text), red=True)
            pytest.exit("no test was run", returncode=UNREACHABLE)

    def _first_request(self) -> str:
        """What keeps the model from being tested, or nothing."""
        model = self._config.stash[MODEL]
        try:
            problem = problem_of(ask_first(self._config.stash[RUN], model))
        except JevbenchError as error:
            return str(error)
        if not problem and not model.offline and self._source.kind == "hook" and has_workers(self._config):
            model.close_model()  # each worker loads its own, and may need the room
        return problem

    @pytest.hookimpl(specname="pytest_runtest_logreport", trylast=True)
    def pytest_forget_payload(self, report: pytest.TestReport) -> None:
        """Keep of a payload what later hooks count by: pytest holds every report to the end."""
        payload = getattr(report, "jevbench", None)
        if payload is not None:
            report.jevbench = _kept(payload["verdict"], payload.get("known"))  # type: ignore[attr-defined]
        if report.nodeid in self._config.stash[RESULTS].collected and not (report.sections or report.user_properties):
            report.sections = report.user_properties = _NOTHING

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self._config.stash[RESULTS].collected.update(
            item.nodeid for item in session.items if isinstance(item, JevbenchItem)
        )

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        results = self._config.stash[RESULTS]
        payload = getattr(report, "jevbench", None)
        if payload is not None:
            results.take(report.nodeid, payload)
            if "answers" in payload:
                run = self._config.stash[RUN]
                self._config.stash[MODEL].keep(run.requests(run.by_node_id[report.nodeid]), payload["answers"])
        elif report.failed and report.nodeid in results.collected:
            results.crashed[report.nodeid] = _last_line(report.longreprtext)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_make_scheduler(self, config: pytest.Config, log: Any) -> Any:
        """The scheduler of a run that deals out its own tests; any other that was chosen stays."""
        if config.getoption("dist") != "worksteal":
            return None
        from pytest_jevbench.plugin.dealing_out import StealingFromTheLiving

        return StealingFromTheLiving(config, log)

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        # pytest and xdist end a run that was told to stop with interruptions of their own; only Ctrl-C is a person's.
        self._interrupted = type(excinfo.value) is KeyboardInterrupt

    @pytest.hookimpl(tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        """Make the card of what is there, and the exit status."""
        if runs_nothing(self._config) or (not hasattr(session, "items") and not self._has_workers()):
            return
        minimized = None if self._minimizing is None else self._minimizing.section(interrupted=self._interrupted)
        self._config.stash[RESULTS].spend(self._config.stash[MODEL].newly_spent())
        results = self._results = self._config.stash[RESULTS].results()
        if not self._config.stash[RESULTS].collected or self.ended_in_collection(session):
            return
        data, self.card = build_run_card(
            self._config,
            results,
            seconds=time.monotonic() - self._began,
            started=self._started,
            stopped=stop_reason(self._config, session) or ("interrupted" if self._interrupted else ""),
            details=self._early_details(),
        )
        if minimized is not None:
            data["minimized"] = minimized
        self._finish(session, int(exitstatus), results, data)

    def _finish(
        self, session: pytest.Session, pytest_status: int, results: list[TestResult], data: dict[str, JSON]
    ) -> None:
        """Decide the gate, write every file that was asked for, and set the exit status."""
        assert self.card is not None
        shard = self._config.stash[RUN].shard[1] > 1  # a gate waits for all shards
        gate = None if shard else self._config.stash[GATE].decide(self.card)
        if gate is not None:
            data["gate"] = gate.to_json()
        ending = run_ending(self._config, session, pytest_status, results, self._interrupted, gate)
        session.exitstatus = exit_status(ending)
        self._end = finished(
            self._config,
            self.card,
            results,
            gate,
            failed=session.exitstatus != 0,
            interrupted=self._interrupted,
        )
        if not write_outputs(self._config, self._end, data):
            self._end = replace(self._end, card_lost=True)
            session.exitstatus = exit_status(replace(ending, card_lost=True))
        add_card_to_page(self._config, self.card, data, self._config.stash[GATE].baseline)
        if not self._config.hook.pytest_jevbench_card.get_hookimpls():
            return
        try:
            tests: list[JSON] = list(data["tests"])  # type: ignore[arg-type]
            self._config.hook.pytest_jevbench_card(config=self._config, card={**data, "tests": tests})
        except Exception as error:  # a tracker that is down must not cost the report of a run that was paid for
            notify(f"jevbench: a hook pytest_jevbench_card failed ({type(error).__name__}: {error})")

    def _early_details(self) -> dict[str, JSON]:
        if self._early is None:
            return {}
        return {"stop_when_decided": True, "decided_early": self._early.decided}

    def _has_workers(self) -> bool:
        return self._config.pluginmanager.has_plugin("dsession")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._end is not None:
            print_end(self._config, terminalreporter, self._end)

    def pytest_unconfigure(self) -> None:
        self._close()

    def _close(self) -> None:
        judged = self._results is not None and not any(result.verdict == "unjudged" for result in self._results)
        self._config.stash[MODEL].close(complete=judged)
        if self._config.stash[PLACE].cache_info().currsize:
            shutil.rmtree(self._config.stash[PLACE]().folder, ignore_errors=True)


def _shard_text(run: Run) -> str:
    return (
        f"jevbench: shard {run.shard[0]} of {run.shard[1]}, {len(run.here)} tests; violations and gates are decided on "
        "the merged card"
    )


_NOTHING: list[tuple[str, Any]] = []
"""What thousands of reports have to add."""


@cache
def _kept(verdict: str, known: bool | None) -> dict[str, str | bool]:
    """What stays of a payload: one object for all that are alike."""
    return {"verdict": verdict} if known is None else {"verdict": verdict, "known": known}


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "the test ended without a result"
