"""Test results as plain JSON, small enough to travel from a worker with every report."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_jevbench.distributions import Distribution
from pytest_jevbench.json_text import JSON, printable
from pytest_jevbench.plans.plan import PlannedTest, TestId
from pytest_jevbench.relations.base import Trial
from pytest_jevbench.runs.results import Outcome, TestResult

__all__ = ["result_from_json", "result_to_json"]


def result_to_json(result: TestResult) -> dict[str, JSON]:
    """The result without what the plan says already (identity, check, params)."""
    data: dict[str, JSON] = {"verdict": result.verdict}
    if result.reason is not None:
        data["reason"] = result.reason
        data["message"] = printable(result.message)
    if result.outcomes:
        data["outcomes"] = [_outcome_to_json(outcome) for outcome in result.outcomes]
    return data


def _outcome_to_json(outcome: Outcome) -> list[JSON]:
    violated = outcome.violated  # nobody looks at the numbers where they agree
    return [
        list(outcome.targets),
        outcome.deviation,
        outcome.tolerance,
        outcome.tolerance_kind,
        outcome.flip,
        outcome.variant,
        outcome.draw,
        dict(outcome.expected) if violated else None,
        dict(outcome.observed) if violated else None,
    ]


def result_from_json(data: Mapping[str, Any], identity: TestId, check: str, test: PlannedTest | None) -> TestResult:
    """The result again; ``test`` gives each outcome the params of its trial."""
    trials = {(t.variant, t.draw): t for t in test.trials} if test else {}
    outcomes = tuple(
        Outcome(
            targets=_known_targets(tuple(targets), trials.get((variant, draw))),
            deviation=deviation,
            tolerance=tolerance,
            tolerance_kind=kind,
            flip=flip,
            expected=expected or _NO_NUMBERS,
            observed=observed or _NO_NUMBERS,
            variant=variant,
            draw=draw,
            params=trials[(variant, draw)].params if (variant, draw) in trials else _NO_PARAMS,
        )
        for targets, deviation, tolerance, kind, flip, variant, draw, expected, observed in data.get("outcomes", ())
    )
    return TestResult(identity, check, data["verdict"], outcomes, data.get("reason"), data.get("message", ""))


_NO_NUMBERS: Distribution = {}
_NO_PARAMS: Mapping[str, JSON] = {}


def _known_targets(targets: tuple[str, ...], trial: Trial | None) -> tuple[str, ...]:
    """The trial's own object where it is equal: results are many."""
    return trial.targets if trial is not None and trial.targets == targets else targets
