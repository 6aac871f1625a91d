"""What the controller gathers from reports, wherever the tests ran."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_jevbench.plans.plan import PlannedTest
from pytest_jevbench.relations.registry import get
from pytest_jevbench.runs.asking import Tally
from pytest_jevbench.runs.planning import Run
from pytest_jevbench.runs.result_text import result_from_json
from pytest_jevbench.runs.results import TestResult

__all__ = ["Results"]


@dataclass
class Asked:
    """What the distinct requests brought, each counted once however many tests and workers report it."""

    digests: set[str] = field(default_factory=set)
    notes: Counter[str] = field(default_factory=Counter)
    answered: set[str] = field(default_factory=set)
    """The names under which models answered."""
    input_tokens: int = 0
    output_tokens: int = 0

    def add(
        self, digest: str, notes: Mapping[str, int], model: str | None, input_tokens: int | None, output: int | None
    ) -> None:
        """Count a request that was not counted yet."""
        if digest in self.digests:
            return
        self.digests.add(digest)
        self.notes.update(notes)
        if model is not None:
            self.answered.add(model)
        self.input_tokens += input_tokens or 0
        self.output_tokens += output or 0


@dataclass
class Results:
    """Payloads by node id (the last attempt counts), what was collected, and what it cost."""

    payloads: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    collected: set[str] = field(default_factory=set)
    crashed: dict[str, str] = field(default_factory=dict)
    asked: Asked = field(default_factory=Asked)
    spent: Tally = field(default_factory=Tally)
    workers: int = 1

    def take(self, node_id: str, payload: Mapping[str, Any]) -> None:
        """Take in one item's payload."""
        self.payloads[node_id] = {k: v for k, v in payload.items() if k not in ("asked", "spent", "answers")}
        for counted in payload.get("asked", ()):
            self.asked.add(*counted)
        self.spend(payload.get("spent", (0, 0, 0.0)))

    def spend(self, spent: Any) -> None:
        """Add requests, hits and seconds."""
        requests, hits, seconds = spent
        self.spent = Tally(self.spent.requests + requests, self.spent.hits + hits, self.spent.seconds + seconds)

    def count(self, verdict: str) -> int:
        return sum(payload["verdict"] == verdict for payload in self.payloads.values())

    def results(self, run: Run) -> list[TestResult]:
        """A result for every planned test that was not deselected; those without a report are lost."""
        return [self._result(name, test) for name, test in run.by_node_id.items() if name in self.collected]

    def of_tests(self, run: Run, names: Iterable[str]) -> list[TestResult]:
        """The results of some tests by node id; those without a report are left out."""
        return [self._result(name, run.by_node_id[name]) for name in names if name in self.payloads]

    def deselected(self, run: Run) -> list[PlannedTest]:
        """The tests planned here that ``-k``, ``-m`` or node ids left out."""
        here = {test.id for test in run.here}
        return [test for name, test in run.by_node_id.items() if name not in self.collected and test.id in here]

    def _result(self, name: str, test: PlannedTest) -> TestResult:
        check = get(test.id.relation).check
        payload = self.payloads.get(name)
        if payload is None:
            message = self.crashed.get(name, "the run ended before this test was reported")
            return TestResult(test.id, check, "unjudged", reason="lost", message=message)
        return result_from_json(payload, test.id, check, test)
