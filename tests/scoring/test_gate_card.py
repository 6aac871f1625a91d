"""Gating saved cards: ours, and a published report as run and as baseline."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from pytest_jevbench.errors import Place
from pytest_jevbench.json_text import JSON
from pytest_jevbench.metrics import measure_gold
from pytest_jevbench.questions import Case, Noul
from pytest_jevbench.runs.results import TestResult
from pytest_jevbench.scoring.card import (
    AskingFacts,
    Card,
    ModelFacts,
    RunFacts,
    SuiteFacts,
    build_card,
    read_card,
    write_card,
)
from pytest_jevbench.scoring.compare import ScoreChange
from pytest_jevbench.scoring.gate_card import card_rows, compare_cards, gate_card, gated_run
from pytest_jevbench.scoring.gate_config import GateConfig, gate_from_assignments
from pytest_jevbench.scoring.gate_run import NOT_RUN
from pytest_jevbench.scoring.relation_scores import ScoreSettings
from tests.scoring.gated_runs import result
from tests.servers.published import program


def config(*conditions: str) -> GateConfig:
    return gate_from_assignments(conditions, Place("options"))


def card(
    results: Sequence[TestResult],
    *,
    planned: Sequence[TestResult] | None = None,
    answered: tuple[str, ...] = ("m1",),
    stopped: str = "",
    details: dict[str, JSON] | None = None,
    accuracy: dict[str, JSON] | None = None,
    settings: ScoreSettings | None = None,
) -> Card:
    every = planned or results
    here = {r.id for r in results}
    facts = RunFacts(
        model=ModelFacts(name="m", answered=answered),
        suite=SuiteFacts(name="made-up", version="1", digest="d1"),
        planned=[r.id for r in every],
        cases={r.id.case_id: "" for r in every},
        deselected=[r.id for r in every if r.id not in here] if not stopped else (),
        stopped=stopped,
        asking=AskingFacts(details=details or {}),
    )
    return Card.from_json(
        build_card(facts, results, accuracy=accuracy, settings=settings or ScoreSettings(bootstrap=0))
    )


HELD = [result("option_clone", f"c{i}", "held") for i in range(12)]
WORSE = [result("option_clone", f"c{i}", "violated" if i < 7 else "held") for i in range(12)]


def test_a_card_passes_and_fails_like_its_run() -> None:
    passed = gate_card(config("min.option_clone=1", "no_significant_drop=0.05"), card(HELD), card(HELD), draws=200)
    assert passed.decision == "passed"
    failed = gate_card(config("no_significant_drop=0.05"), card(WORSE), card(HELD), draws=200)
    assert failed.decision == "failed"
    assert failed.conditions[0].p == pytest.approx(2.0**-7)


def test_deselected_stopped_mixed_and_lost_tests_never_pass() -> None:
    always = config("max_violation_rate=1")
    for broken, said in [
        (card(HELD[:8], planned=HELD), "a subset: 4 planned tests were deselected"),
        (card(HELD[:8], planned=HELD, stopped="-x"), "cut short: the run ended before its last test: -x"),
        (card(HELD, answered=("m1", "m2")), 'this run was answered by 2 model versions: "m1", "m2"'),
        (card([*HELD[:11], result("option_clone", "c11", "lost")]), "incomplete: 1 of 12 planned tests not judged"),
    ]:
        found = gate_card(always, broken)
        assert found.decision == "incomplete"
        assert any(said in reason for reason in found.reasons), found.reasons


def test_rows_hold_every_planned_test_in_the_order_of_the_cases() -> None:
    rows = card_rows(card(HELD[4:], planned=HELD))
    assert [row.case_id for row in rows] == [f"c{i}" for i in range(12)]
    assert [row.reason for row in rows[:4]] == [NOT_RUN] * 4


def test_a_baseline_is_judged_under_the_settings_of_the_run() -> None:
    lenient = card(WORSE, settings=ScoreSettings(tolerance=0.6, bootstrap=0))
    assert lenient.scores.relations[0].violated == 0
    change = compare_cards(lenient, card(WORSE)).scores["option_clone"]
    assert isinstance(change, ScoreChange)
    assert change.change == 0.0
    found = gate_card(config("max_drop.option_clone=1"), card(WORSE), lenient)
    assert found.decision == "incomplete"  # and still the settings differ
    assert "the baseline has other settings: tolerance 0.6, not 0.05" in found.reasons


def test_gold_figures_come_from_the_accuracy_section() -> None:
    cases = {f"c{i}": Case(f"c{i}", "s", {"q": Noul("Is it?")}) for i in range(4)}
    sources = {f"c{i}": {"q": {"true": 0.9, "false": 0.1}} for i in range(3)}  # the last is not answered
    figures = measure_gold(cases, {case: {"q": case != "c0"} for case in cases}, sources)
    assert figures is not None
    labelled = card(HELD, accuracy=figures.to_json())
    run = gated_run(labelled)
    assert (run.accuracy.value, run.accuracy.n) == (0.5, 4)
    assert run.ece.value == pytest.approx(0.9 - 2 / 3)
    assert run.ece.n == 3
    assert run.accuracy.interval is not None
    assert gate_card(config("min_accuracy=0.5", "max_ece=0.24"), labelled).decision == "passed"
    assert gate_card(config("min_accuracy=0.51", "max_ece=0.23"), labelled).decision == "failed"
    assert gate_card(config("min_accuracy=0.5"), card(HELD)).decision == "incomplete"


def test_an_early_decision_is_told_by_the_card_and_found_again() -> None:
    cut = [*WORSE[:7]]
    details: dict[str, JSON] = {"stop_when_decided": True, "decided_early": True}
    stopped = card(cut, planned=WORSE, stopped="decided early", details=details)
    found = gate_card(config("no_significant_drop=0.05"), stopped, card(HELD))
    assert found.decision == "failed"
    assert found.decided_early is not None
    assert found.decided_early.cases == 7
    assert gate_card(config("no_significant_drop=0.05"), stopped, card(WORSE)).decision == "incomplete"


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published report of the published example suite."""
    path = tmp_path_factory.mktemp("report") / "report.json"
    command = [program("jevbench"), "eval", "--backend", "fake:coherent", "--suite", "examples", "--out", str(path)]
    subprocess.run(command, check=True, capture_output=True, cwd=path.parent)
    return path


def test_a_published_report_is_a_baseline_and_a_run(report: Path, tmp_path: Path) -> None:
    published = read_card(report)
    write_card(tmp_path / "card.json", dict(published.data))
    ours = read_card(tmp_path / "card.json")
    conditions = config("max_drop=0", "no_significant_drop=0.05", "max_new_violations=0")
    found = gate_card(conditions, ours, published, draws=100)
    assert {c.verdict for c in found.conditions} == {"passed", "too_few"}  # one case tests nothing
    assert found.decision == "failed"
    assert [c.verdict for c in gate_card(config("max_drop=0"), published, ours, draws=100).conditions] == ["passed"]


def test_a_report_of_another_suite_is_no_baseline(report: Path, tmp_path: Path) -> None:
    value = json.loads(report.read_text(encoding="utf-8"))
    value["result"]["suite"]["files"]["tests.jsonl.gz"] = "0" * 64
    (tmp_path / "other.json").write_text(json.dumps(value), encoding="utf-8")
    found = gate_card(config("max_drop=0"), read_card(report), read_card(tmp_path / "other.json"), draws=100)
    assert found.decision == "incomplete"
    assert "another suite" in found.reasons[0]
