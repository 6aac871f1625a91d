"""Runs for gates: results made by hand, scored as a run's are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from pytest_jevbench.runs.results import Outcome, TestId, TestResult
from pytest_jevbench.scoring.gate_run import GatedRun
from pytest_jevbench.scoring.pairs import PairedRuns, rows_of
from pytest_jevbench.scoring.relation_scores import ScoreSettings
from pytest_jevbench.scoring.scores import score
from tests.scoring.noisy_runs import GROUPS

SETTINGS = ScoreSettings(bootstrap=200)


def result(relation: str, case: str, verdict: str, key: str = "q") -> TestResult:
    """A test's result: a deviation of 0 or of 0.5, or no answer for ``refused``, ``lost`` and their kin."""
    test = TestId(relation, case, key)
    if verdict in ("held", "violated"):
        outcome = Outcome((key,), 0.0 if verdict == "held" else 0.5, 0.05, "noise", None)
        return TestResult(test, "tv", verdict, (outcome,))  # type: ignore[arg-type]
    return TestResult(test, "tv", "unjudged", reason=verdict)  # type: ignore[arg-type]


def gated(results: Iterable[TestResult], domains: Mapping[str, str] | None = None, **facts: Any) -> GatedRun:
    """A whole run of one model on one suite, unless the facts say otherwise."""
    results = list(results)
    planned = Counter(r.id.relation for r in results)
    run = GatedRun(
        suite="made-up 1",
        settings={"tolerance": 0.05},
        models=("m1",),
        rows=rows_of(results, SETTINGS),
        scores=score(results, planned, GROUPS, SETTINGS),
        domains=domains or {},
    )
    return replace(run, **facts)


def one_relation(violated: int, tests: int, relation: str = "option_clone", **facts: Any) -> GatedRun:
    """The first tests violated, the others held, each on a case of its own."""
    verdicts = ["violated"] * violated + ["held"] * (tests - violated)
    return gated([result(relation, f"c{i}", verdict) for i, verdict in enumerate(verdicts)], **facts)


def two_runs(pairs: PairedRuns, domains: Mapping[str, str] | None = None, **facts: Any) -> tuple[GatedRun, GatedRun]:
    """Baseline and run of a simulated pair with at most one test a case and relation."""
    layout = pairs.layout
    cells = [(i, j) for i in range(len(layout.cases)) for j in range(len(layout.relations)) if layout.tests[i, j]]

    def results(losses: object) -> list[TestResult]:
        return [
            result(layout.relations[j], layout.cases[i], "violated" if losses[i, j] else "held")  # type: ignore[index]
            for i, j in cells
        ]

    return gated(results(pairs.baseline), domains, **facts), gated(results(pairs.now), domains, **facts)
