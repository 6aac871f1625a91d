"""When a process asks ahead: from its run loop on, until the loop ends for whatever reason."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from pytest_jevbench.plans.plan import PlannedTest
from pytest_jevbench.plugin.item import JevbenchItem
from pytest_jevbench.plugin.keys import MODEL, RUN
from pytest_jevbench.plugin.opening import has_workers
from pytest_jevbench.plugin.part_asking import TURN, part_test_of
from pytest_jevbench.plugin.settings import runs_nothing
from pytest_jevbench.questions import Case
from pytest_jevbench.runs.planning import Run

__all__ = ["Ahead"]

_PATIENCE, _AFTER_CTRL_C = 10.0, 0.5
"""Seconds for requests on their way when the loop ends: their answers are paid for and worth keeping."""


class Ahead:
    """Starts and ends asking ahead. Registered in every process; only one that runs tests in their order asks ahead."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        model = self._config.stash[MODEL]
        if not (runs_nothing(session.config) or has_workers(self._config)):
            tests: list[tuple[PlannedTest, Case]] = []
            runs: list[Run] = []
            for item in session.items:
                of = part_test_of(item)
                if isinstance(item, JevbenchItem):
                    item.turn = len(tests)
                    run, test = self._config.stash[RUN], item.test
                elif of is not None:
                    item.stash[TURN] = len(tests)
                    run, test = of.part.run, of.test
                else:
                    continue
                tests.append((test, run.cases[test.id.case_id]))
                runs.append(run)
            if tests:  # what differs between parts is asked when it is needed
                model.ask_ahead_of(tests, min(run.repeats for run in runs))
        patience = _AFTER_CTRL_C
        try:
            result = yield
            patience = _PATIENCE
            return result
        except (session.Interrupted, session.Failed):
            patience = _PATIENCE
            raise
        finally:
            model.stop_ahead(patience)
