"""What is gathered of a run's tests as plain JSON, wherever they ran, and put together again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_jevbench.json_text import printable
from pytest_jevbench.plans.plan import PlannedTest
from pytest_jevbench.questions import Case, Request
from pytest_jevbench.relations.known import BUILT_IN, Relations
from pytest_jevbench.runs.answered import Answered, Answers
from pytest_jevbench.runs.asking import Tally
from pytest_jevbench.runs.judge import judge
from pytest_jevbench.runs.planning import Run
from pytest_jevbench.runs.repeats import mean_of
from pytest_jevbench.runs.result_text import result_from_json, result_to_json
from pytest_jevbench.runs.results import TestResult

__all__ = ["Asked", "Results", "judge_with"]


def judge_with(
    ask_model: Callable[[Request], Answered],
    test: PlannedTest,
    case: Case,
    tolerance: float,
    relations: Relations = BUILT_IN,
    repeats: int = 1,
) -> tuple[TestResult, dict[str, Any]]:
    """Ask whatever a test needs and judge it: the result, and the payload for :meth:`Results.take`.

    The base request is asked ``repeats`` times, and the mean of the answers is the source.
    """
    asked: dict[str, Answers] = {}

    def ask(request: Request) -> Answered:
        answered = ask_model(request)
        if isinstance(answered, Answers):
            asked[request.key] = answered
        return answered

    source = mean_of([ask(request) for request in case.request().repeats(repeats)])
    result = judge(test, case, source, ask, tolerance=tolerance, relations=relations)
    payload: dict[str, Any] = result_to_json(result)
    payload["asked"] = [_counted(answers) for answers in asked.values()]
    return result, payload


def _counted(answers: Answers) -> list[Any]:
    asked = answers.asked
    assert asked is not None
    return [
        asked.key[:24] + asked.key[64:],
        dict(asked.notes),
        None if asked.model is None else printable(asked.model),
        asked.input_tokens,
        asked.output_tokens,
    ]


@dataclass
class Asked:
    """What the distinct requests brought, each counted once however many tests and workers report it."""

    keys: set[str] = field(default_factory=set)
    notes: Counter[str] = field(default_factory=Counter)
    answered: set[str] = field(default_factory=set)
    """The names under which models answered."""
    input_tokens: int = 0
    output_tokens: int = 0

    def add(
        self, key: str, notes: Mapping[str, int], model: str | None, input_tokens: int | None, output: int | None
    ) -> None:
        """Count a request that was not counted yet."""
        if key in self.keys:
            return
        self.keys.add(key)
        self.notes.update(notes)
        if model is not None:
            self.answered.add(model)
        self.input_tokens += input_tokens or 0
        self.output_tokens += output or 0


@dataclass
class Results:
    """Results by node id (the last attempt counts), what was collected, and what it cost."""

    run: Run
    judged: dict[str, TestResult] = field(default_factory=dict)
    """The tests that were reported, whatever their verdict."""
    failing: set[str] = field(default_factory=set)
    """Those whose violation is a failure."""
    collected: set[str] = field(default_factory=set)
    crashed: dict[str, str] = field(default_factory=dict)
    asked: Asked = field(default_factory=Asked)
    spent: Tally = field(default_factory=Tally)
    workers: int = 1

    def take(self, node_id: str, payload: Mapping[str, Any]) -> None:
        """Take in one item's payload."""
        test = self.run.by_node_id[node_id]
        self.judged[node_id] = result_from_json(payload, test.id, self.run.relations[test.id.relation].check, test)
        if payload.get("fails"):
            self.failing.add(node_id)
        else:
            self.failing.discard(node_id)
        for counted in payload.get("asked", ()):
            self.asked.add(*counted)
        self.spend(payload.get("spent", (0, 0, 0.0)))

    def spend(self, spent: Any) -> None:
        """Add requests, hits and seconds."""
        requests, hits, seconds = spent
        self.spent = Tally(self.spent.requests + requests, self.spent.hits + hits, self.spent.seconds + seconds)

    def results(self) -> list[TestResult]:
        """A result for every planned test that was not deselected; those without a report are lost."""
        return [self._result(name, test) for name, test in self.run.by_node_id.items() if name in self.collected]

    def of_tests(self, names: Iterable[str]) -> list[TestResult]:
        """The results of some tests by node id; those without a report are left out."""
        return [self.judged[name] for name in names if name in self.judged]

    def deselected(self) -> list[PlannedTest]:
        """The tests planned here that ``-k``, ``-m`` or node ids left out."""
        here = {test.id for test in self.run.here}
        return [test for name, test in self.run.by_node_id.items() if name not in self.collected and test.id in here]

    def _result(self, name: str, test: PlannedTest) -> TestResult:
        result = self.judged.get(name)
        if result is None:
            message = self.crashed.get(name, "the run ended before this test was reported")
            check = self.run.relations[test.id.relation].check
            return TestResult(test.id, check, "unjudged", reason="lost", message=message)
        return result
