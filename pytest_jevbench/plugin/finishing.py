"""The end of a run: the card, the summary, the exit status."""

from __future__ import annotations

import shlex

import pytest

from pytest_jevbench.plugin.item import JevbenchItem
from pytest_jevbench.plugin.keys import GATE, KNOWN, MODEL, RESULTS, RUN, SETTINGS
from pytest_jevbench.plugin.settings import MODEL_OPTIONS, PLANNED, Settings
from pytest_jevbench.reports.violation import Told, describe_violation
from pytest_jevbench.runs.exit_status import Ending
from pytest_jevbench.runs.planning import Run
from pytest_jevbench.runs.results import TestResult
from pytest_jevbench.runs.worst import worst_results
from pytest_jevbench.scoring.gate import GateResult

__all__ = ["ask_again", "run_ending", "stop_reason", "worst_of", "worst_violations"]

IN_FULL = 3
"""How many violations are told in full: a small model breaks half of its laws."""


def run_ending(
    config: pytest.Config,
    session: pytest.Session,
    pytest_status: int,
    results: list[TestResult],
    interrupted: bool,
    gate: GateResult | None,
) -> Ending:
    """How the run ended, for its exit status."""
    settings, run = config.stash[SETTINGS], config.stash[RUN]
    gathered = config.stash[RESULTS]
    failing = len(gathered.failing)
    gated = gate is not None and settings.fail_on == "gate"
    early = gate is not None and gate.decided_early is not None
    unjudged = [r for r in results if r.verdict == "unjudged" and r.reason != "lost"]
    lost = [r for r in results if r.reason == "lost"]
    ours = failing + len(unjudged) + len(gathered.crashed)
    by_the_model = "jevbench: " in stop_reason(config, session)  # then what was not asked is missing, not declined
    stopped = not by_the_model and (bool(session.shouldfail) or (pytest_status == 2 and not interrupted))
    return Ending(
        pytest_status=pytest_status,
        interrupted=interrupted,
        stopped_by_failures=stopped,
        other_failures=max(0, session.testsfailed - ours) if _has_other_tests(session, run) else 0,
        violations=failing if settings.fail_on == "violations" else 0,
        unjudged=len(unjudged),
        lost=0 if early else len(lost),
        model_unusable=bool(config.stash[MODEL].broken),
        gated=gated,
        gate_failed=gated and gate is not None and gate.decision == "failed",
        gate_incomplete=gated and gate is not None and gate.decision == "incomplete",
    )


def stop_reason(config: pytest.Config, session: pytest.Session) -> str:
    """Why the run was stopped before its end, or nothing; xdist keeps the reason of its workers to itself."""
    scheduler = config.pluginmanager.get_plugin("dsession")
    return str(session.shouldstop or session.shouldfail or getattr(scheduler, "shouldstop", "") or "")


def _has_other_tests(session: pytest.Session, run: Run) -> bool:
    """Whether anything else was collected; under xdist the controller collects nothing itself."""
    items = getattr(session, "items", [])
    return not items or any(not isinstance(item, JevbenchItem) for item in items)


def worst_violations(
    config: pytest.Config,
    results: list[TestResult],
    most: int | None = IN_FULL,
    width: int = 100,
    *,
    new_only: bool = False,
) -> list[Told]:
    """The worst violations in words, all where ``most`` is None.

    New ones come first, and no two of one relation while others are left. ``new_only`` leaves out those that the
    baseline has too.
    """
    run, settings = config.stash[RUN], config.stash[SETTINGS]
    tests = {test.id: (name, test) for name, test in run.by_node_id.items()}
    known, compared = config.stash[KNOWN], config.stash[GATE].baseline is not None
    told: list[Told] = []
    for result in worst_of(config, results, most, new_only=new_only):
        name, test = tests[result.id]
        outcome, again = result.worst, ask_again(settings, name)
        assert outcome is not None
        relation, case = run.relations[result.id.relation], run.cases[result.id.case_id]
        lines = describe_violation(relation, test, case, outcome, again, width)
        told.append(Told(result.id, name, (name not in known) if compared else None, lines, again))
    return told


def worst_of(
    config: pytest.Config, results: list[TestResult], most: int | None, *, new_only: bool = False
) -> list[TestResult]:
    """The violated tests in the order in which :func:`worst_violations` tells them."""
    known = config.stash[KNOWN]
    old = {test.id for name, test in config.stash[RUN].by_node_id.items() if name in known}
    return worst_results([r for r in results if not (new_only and r.id in old)], most, old.__contains__)


def ask_again(settings: Settings, name: str) -> str:
    """The command that asks one test again."""
    words = ["pytest", name]
    keep = (*PLANNED, "seed", "draws", "rewrites", *MODEL_OPTIONS, "model", "revision", "dialect", "request_options")
    words += [f"--jevbench-{k}={settings.shown(k)}" for k in keep if k in settings.typed]
    if not settings.of_part and settings.planned not in settings.typed:
        words.insert(2, "--jevbench")
    return shlex.join(words)
