"""Stopping as soon as a gate can only fail: cases are watched in the order that the sequential rule fixes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from pytest_jevbench.plans.plan import TestId
from pytest_jevbench.plugin.gating import Gate
from pytest_jevbench.plugin.keys import RESULTS, RUN
from pytest_jevbench.runs.gathering import Results
from pytest_jevbench.runs.planning import Run
from pytest_jevbench.scoring.gate import early_rule_of
from pytest_jevbench.scoring.gate_card import card_rows
from pytest_jevbench.scoring.gate_forecast import Forecast, forecast_gate
from pytest_jevbench.scoring.pairs import Row, planned_layout, rows_of
from pytest_jevbench.scoring.relation_scores import ScoreSettings
from pytest_jevbench.scoring.sequential import EarlyRule, Watch, drops_of_case
from pytest_jevbench.scoring.weights import ScoredFrom
from pytest_jevbench.warning import notify

__all__ = ["EarlyStop", "forecast_of", "rule_of"]


def rule_of(gate: Gate, run: Run, how: ScoreSettings) -> EarlyRule:
    """The sequential rule of a gate on a run's plan; its order is the order in which cases are asked."""
    assert gate.config is not None
    groups = {name: relation.group for name, relation in run.relations.items() if relation.scored}
    layout = planned_layout((test.id for test in run.tests if test.id.relation in groups), groups)
    domains = {case_id: run.cases[case_id].domain for case_id in layout.cases}
    return early_rule_of(gate.config, layout, domains, ScoredFrom(how.min_n, how.min_coverage))


def forecast_of(gate: Gate, run: Run, how: ScoreSettings) -> tuple[Forecast, ...]:
    """What the gate's conditions can find out on this plan, said before anything is asked."""
    assert gate.config is not None
    groups = {name: relation.group for name, relation in run.relations.items() if relation.scored}
    layout = planned_layout((test.id for test in run.tests if test.id.relation in groups), groups)
    return forecast_gate(gate.config, layout, scored_from=ScoredFrom(how.min_n, how.min_coverage))


class EarlyStop:
    """Watches the cases as they become whole, on the controller."""

    def __init__(self, config: pytest.Config, gate: Gate, rule: EarlyRule, how: ScoreSettings) -> None:
        assert gate.baseline is not None
        if not rule.bets:
            notify(
                "jevbench: --jevbench-stop-when-decided stops nothing here: of a gate's conditions "
                "no_significant_drop and non_inferiority alone can be decided early"
            )
        self._config = config
        self._how = how
        self._watch = Watch.start(rule)
        self._baseline: Mapping[TestId, Row] = {row.id: row for row in card_rows(gate.baseline, how)}
        run = config.stash[RUN]
        self._tests: dict[str, list[str]] = {}
        for name, test in run.by_node_id.items():
            self._tests.setdefault(test.id.case_id, []).append(name)
        self._session: pytest.Session | None = None

    @property
    def decided(self) -> bool:
        return self._watch.decided is not None

    def pytest_sessionstart(self, session: pytest.Session) -> None:
        self._session = session

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if getattr(report, "jevbench", None) is None or self.decided or self._session is None:
            return
        results: Results = self._config.stash[RESULTS]
        while (case_id := self._watch.next_case) is not None and not self.decided:
            names = self._tests[case_id]
            if any(name in results.collected and name not in results.judged for name in names):
                return
            rows = rows_of(results.of_tests(names), self._how)
            drops, tests = drops_of_case(self._watch.rule, self._baseline, rows)
            self._watch = self._watch.after(drops, tests)
        if self._watch.decided is not None:
            self._stop(f"jevbench: {self._watch.decided.text}")

    def _stop(self, why: str) -> None:
        assert self._session is not None
        self._session.shouldstop = why
        scheduler: Any = self._config.pluginmanager.get_plugin("dsession")
        if scheduler is not None:
            scheduler.shouldstop = why
