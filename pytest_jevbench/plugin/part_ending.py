"""The end of a session with parts: a card, a summary and the exit status, in the process that gathers the results."""

from __future__ import annotations

import shutil
import time
from typing import Any, cast

import pytest

from pytest_jevbench.json_text import JSON, printable
from pytest_jevbench.models.protocol import Identity
from pytest_jevbench.plugin.card_building import build_run_card
from pytest_jevbench.plugin.collection_errors import SeesCollectionErrors
from pytest_jevbench.plugin.finishing import stop_reason
from pytest_jevbench.plugin.gating import Gate
from pytest_jevbench.plugin.html_page import add_card_to_page
from pytest_jevbench.plugin.keys import GATE, KNOWN, MODEL, PARTS, PLACE, RESULTS, RUN, SETTINGS
from pytest_jevbench.plugin.outputs import Finished, finished, write_outputs
from pytest_jevbench.plugin.part import Part
from pytest_jevbench.plugin.part_asking import part_test_of
from pytest_jevbench.plugin.part_session import part_session, take_described
from pytest_jevbench.plugin.settings import runs_nothing
from pytest_jevbench.plugin.terminal import print_end
from pytest_jevbench.plugin.workers import SECTION
from pytest_jevbench.reports.github import inert
from pytest_jevbench.runs.exit_status import INCOMPLETE, UNREACHABLE
from pytest_jevbench.warning import notify

__all__ = ["PartEnding", "take_parts"]

_NO_ANSWER = {"unreachable", "lost"}
"""Where no test has another reason, nor a verdict, the model never answered."""


def take_parts(config: pytest.Config, report: pytest.TestReport) -> None:
    """Take in, on the controller, what a worker's first report says of its parts."""
    told = report.__dict__.pop("jevbench_parts")
    first = PARTS not in config.stash
    take_described(part_session(config), told)
    if first:  # who was registered just now is not told of this report
        ending = cast(PartEnding, config.pluginmanager.get_plugin("jevbench-part-ending"))
        ending.pytest_runtest_logreport(report)


class _ConfigOfPart:
    """pytest's configuration as one part sees it: with the part's own settings, run and results."""

    def __init__(self, config: pytest.Config, part: Part) -> None:
        self._config = config
        self.stash = pytest.Stash()
        self.stash[SETTINGS], self.stash[RUN], self.stash[RESULTS] = part.settings, part.run, part.results
        self.stash[MODEL], self.stash[GATE], self.stash[KNOWN] = config.stash[MODEL], Gate(), frozenset()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._config, name)


class PartEnding(SeesCollectionErrors):
    """Gathers what is reported of parts, and finishes each."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._began, self._started = time.monotonic(), time.time()
        self._interrupted = False
        self._ends: list[tuple[pytest.Config, str, Finished]] = []
        self._complete = False
        self._unusable: list[str] = []

    @property
    def _parts(self) -> dict[str, Part]:
        return self._config.stash[PARTS].parts

    @pytest.hookimpl(trylast=True)
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            of = part_test_of(item)
            if of is not None:
                of.part.results.collected.add(of.name)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        told = getattr(report, "jevbench_part", None)
        if told is None:
            return
        part, name = self._parts[told["part"]], told["test"]
        results = part.results
        payload = told.get("payload")
        if payload:
            results.take(name, payload)
            if "answers" in payload:
                self._config.stash[MODEL].keep(part.run.requests(part.run.by_node_id[name]), payload["answers"])
        elif report.when == "setup" and report.skipped:
            results.collected.discard(name)  # a mark says that it is not to run
        elif report.failed:
            results.crashed[name] = report.longreprtext.strip().rpartition("\n")[2] or "the test ended without a result"
        if report.when == "call" or payload:
            report.jevbench_part = {  # type: ignore[attr-defined]
                **{key: told[key] for key in ("part", "test", "own_failure") if key in told},
                **({"payload": {"verdict": payload.get("verdict")}} if payload else {}),
            }

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Learn from a worker who was asked."""
        told = getattr(node, "workeroutput", {}).get(SECTION)
        if told is not None and told["broken"]:
            self._config.stash[MODEL].broken = told["broken"]
        if told is not None and told["identity"] is not None and self._config.stash[PARTS].own_model:
            self._config.stash[MODEL].know(Identity(**told["identity"]), told["answered"])

    def pytest_keyboard_interrupt(self, excinfo: pytest.ExceptionInfo[BaseException]) -> None:
        self._interrupted = type(excinfo.value) is KeyboardInterrupt

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Make the card of each part, and say where something could not be judged."""
        if runs_nothing(self._config) or self.ended_in_collection(session):
            return
        stopped = stop_reason(self._config, session) or ("interrupted" if self._interrupted else "")
        model = self._config.stash[MODEL]
        incomplete = lost_card = False
        reasons: set[str | None] = set()
        self._complete = True
        for part in self._parts.values():
            if not part.results.collected:
                continue
            if model.broken:
                self._unusable.append(part.spec.name)
                continue
            config = cast(pytest.Config, _ConfigOfPart(self._config, part))
            results = part.results.results()
            unjudged = [result for result in results if result.verdict == "unjudged"]
            self._complete = self._complete and not unjudged
            reasons.update(result.reason for result in results)
            lost = sum(result.reason == "lost" for result in unjudged)
            incomplete = incomplete or len(unjudged) > lost or bool(lost and not session.shouldfail and not stopped)
            data, card = build_run_card(
                config,
                results,
                seconds=time.monotonic() - self._began,
                started=self._started,
                stopped=stopped,
                details={"suite_folder" if part.spec.folder else "function": part.spec.name},
            )
            end = finished(config, card, results, None, failed=session.testsfailed > 0, interrupted=self._interrupted)
            if not write_outputs(config, end, data):
                lost_card = True
            self._ends.append((config, part.spec.name, end))
            add_card_to_page(self._config, card, data)
            self._tell(data)
        if (incomplete or lost_card or self._unusable) and int(session.exitstatus) in (0, 1):
            nobody = bool(self._unusable) or ("unreachable" in reasons and reasons <= _NO_ANSWER)
            session.exitstatus = UNREACHABLE if nobody else INCOMPLETE

    def _tell(self, data: dict[str, JSON]) -> None:
        try:
            self._config.hook.pytest_jevbench_card(config=self._config, card=data)
        except Exception as error:  # a tracker that is down must not cost the report of a run that was paid for
            notify(f"jevbench: a hook pytest_jevbench_card failed ({type(error).__name__}: {error})")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._unusable:
            terminalreporter.section("jevbench")
            for name in self._unusable:
                terminalreporter.write_line(f"{name}: no test could be asked, and no card is written")
            terminalreporter.write_line(inert(printable(self._config.stash[MODEL].broken)))
        for config, name, end in self._ends:
            print_end(config, terminalreporter, end, of=name)

    def pytest_unconfigure(self) -> None:
        if self._config.stash[PARTS].own_model and MODEL in self._config.stash:
            self._config.stash[MODEL].close(complete=self._complete)
            place = self._config.stash[PLACE]
            if place.cache_info().currsize:
                shutil.rmtree(place().folder, ignore_errors=True)
