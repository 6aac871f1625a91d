"""``--jevbench-cases``: a run on cases of the user's own, planned when it starts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.plans.build import build_plan
from pytest_jevbench.relations import registry
from pytest_jevbench.suite_loading import suite_of_cases

Run = Callable[..., pytest.RunResult]

QUESTIONS = {
    "late": {"type": "noul", "instructions": "Did the parcel arrive after Friday?"},
    "broken": {"type": "noul", "instructions": "Is something in the parcel broken?"},
    "wish": {
        "type": "choice",
        "instructions": "What does the writer want?",
        "criteria": {"money": "The money back", "parcel": "Another parcel", "nothing": "Nothing at all"},
    },
}


@pytest.fixture
def cases(pytester: pytest.Pytester) -> Path:
    path = pytester.path / "parcels.jsonl"
    bodies = [{"state": state, "questions": QUESTIONS} for state in ("It came on Monday.", "The cup has a crack.")]
    path.write_text("\n".join(map(json.dumps, bodies)), encoding="utf-8")
    return path


def card(pytester: pytest.Pytester) -> Any:
    return json.loads((pytester.path / "jevbench-card.json").read_text(encoding="utf-8"))


def test_every_variant_of_every_relation_is_asked_and_questions_are_ranked(
    run_jevbench: Run, pytester: pytest.Pytester, cases: Path
) -> None:
    result = run_jevbench("--jevbench-cases=parcels.jsonl", "--jevbench-reference=luce_biased")
    assert result.ret == 1
    suite = suite_of_cases(cases)
    plan = build_plan(suite.cases.values(), suite.bank, registry.scored(), seed=0, draws=1)
    made = card(pytester)
    assert made["counts"]["planned"] == made["counts"]["judged"] == len(plan.tests)
    assert sum(len(row["outcomes"]) for row in made["tests"]) >= sum(1 for _ in plan.trials)
    result.stdout.fnmatch_lines(["*parcels::parcels-*", "question, most fragile first*", "*"])
    printed = [line.split()[0] for line in result.outlines if line.split()[:1] and line.split()[0] in QUESTIONS]
    assert set(printed) == set(QUESTIONS)


def test_a_test_is_asked_again_by_its_command(run_jevbench: Run, cases: Path) -> None:
    result = run_jevbench("--jevbench-cases=parcels.jsonl", "--jevbench-reference=luce_biased", "--jevbench-draws=2")
    [command, *_] = [line for line in result.outlines if line.startswith("ask again")]
    assert "--jevbench-draws=2" in command
    again = run_jevbench(*command.split()[3:])
    assert again.ret == 1
    assert "1 violated" in again.stdout.str()


def test_workers_plan_the_same(run_jevbench: Run, pytester: pytest.Pytester, cases: Path) -> None:
    command = ("--jevbench-cases=parcels.jsonl", "--jevbench-reference=luce_biased", "--jevbench-seed=7")
    run_jevbench(*command)
    serial = card(pytester)
    run_jevbench(*command, "-n2")
    assert {**card(pytester), "run": None} == {**serial, "run": None}


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--jevbench-cases=parcels.jsonl", "--jevbench-suite=jevbench-mini"), "Keep one of them"),
        (("--jevbench-suite=jevbench-mini", "--jevbench-seed=1"), "--jevbench-seed says how tests are made"),
        (("--jevbench-cases=nowhere.jsonl",), "there is no such file"),
        (("--jevbench-cases=parcels.jsonl", "--jevbench-rewrites=none.jsonl"), "none.jsonl: there is no such file"),
    ],
)
def test_what_cannot_be_planned_is_a_usage_error(
    run_jevbench: Run, cases: Path, args: tuple[str, ...], words: str
) -> None:
    result = run_jevbench(*args, "--jevbench-reference=uniform")
    assert result.ret == 4
    assert words in result.stderr.str()


def test_a_settings_file_beside_the_cases(run_jevbench: Run, pytester: pytest.Pytester, cases: Path) -> None:
    settings = pytester.path / "jevbench.yaml"
    settings.write_text(
        "cases:\n  seed: 7\n  draws: 2\n  tolerance: 0.2\n  min_n: 1\n  take: [BAT]\n", encoding="utf-8"
    )
    pytester.makeini("[pytest]\njevbench_tolerance = 0.3\njevbench_reference = luce_biased\n")
    run_jevbench("--jevbench-cases=parcels.jsonl", "--jevbench-draws=3")
    by_file = card(pytester)
    identity = by_file["identity"]
    assert (identity["plan"]["seed"], identity["plan"]["draws"]) == (7, 3)
    assert (identity["settings"]["tolerance"], identity["settings"]["min_n"]) == (0.2, 1)
    assert {registry.get(row["relation"]).dimension for row in by_file["tests"]} == {"BAT"}
    settings.unlink()
    typed = ("--jevbench-seed=7", "--jevbench-draws=3", "--jevbench-tolerance=0.2", "--jevbench-min-n=1")
    run_jevbench("--jevbench-cases=parcels.jsonl", "--jevbench-dimension=BAT", *typed)
    by_options = card(pytester)
    for made in (by_file, by_options):
        made["identity"]["selection"] = made["run"] = None
    assert by_file == by_options
    settings.write_text("cases:\n  sede: 7\n", encoding="utf-8")
    refused = run_jevbench("--jevbench-cases=parcels.jsonl")
    assert refused.ret == 4
    refused.stderr.fnmatch_lines(['*jevbench.yaml, line 2, cases.sede: unknown field "sede"*'])
