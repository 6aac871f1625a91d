"""``--jevbench-minimize``: what a run prints and keeps of its worst violations; a kept case breaks its law again."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pytest_jevbench.cli import main
from tests.servers.modelled import replicas

Run = Callable[..., pytest.RunResult]

CASE = {
    "id": "parcel",
    "state": "It came on Monday. Nobody was at home.\n\nThe cup has a crack! Please answer.",
    "questions": {
        "late": {"type": "noul", "instructions": "Did it come late?"},
        "wish": {"type": "choice", "instructions": "What now?", "criteria": {"a": "Money", "b": "A cup", "c": "No"}},
        "broken": {"type": "noul", "instructions": "Is something broken?"},
        "wet": {"type": "noul", "instructions": "Was it wet?"},
    },
}

MODEL = """
import os
import pytest

OWN = "Monday"
closed = []

def model(state, questions):
    assert not closed, "asked after it was closed"
    if os.environ.get("INTERRUPT") and OWN not in state:
        raise KeyboardInterrupt
    answers = {}
    for key, question in questions.items():
        odd = "wet" in questions and "crack" in state and key.startswith("broken__negated")
        if question["type"] == "noul":
            answers[key] = {"type": "noul", "noul": 0.9 if odd else 0.5}
        else:
            ids = list(question["criteria"])
            answers[key] = {"type": "choice", "probabilities": {option: 1 / len(ids) for option in ids}}
    return answers

@pytest.fixture(scope="session")
def jevbench_model():
    yield model
    closed.append(True)
"""
"""Breaks the law of negation on ``broken``, only beside ``wet`` and only where the state speaks of the crack."""

NEGATION = ("--jevbench-cases=parcels.jsonl", "--jevbench-relation=negation_wrapper")


@pytest.fixture
def folder(pytester: pytest.Pytester) -> Path:
    pytester.makeconftest(MODEL)
    (pytester.path / "parcels.jsonl").write_text(json.dumps(CASE), encoding="utf-8")
    return pytester.path


def card(folder: Path, name: str = "jevbench-card.json") -> Any:
    return json.loads((folder / name).read_text(encoding="utf-8"))


def test_a_violation_is_reduced_and_the_pasted_case_breaks_its_law_again(run_jevbench: Run, folder: Path) -> None:
    result = run_jevbench(*NEGATION, "--jevbench-minimize", "-v")
    assert result.ret == 1
    made = card(folder)
    Draft202012Validator(json.loads((files("pytest_jevbench.scoring") / "card.schema.json").read_text())).validate(made)
    [test] = made["minimized"]["tests"]
    assert (test["relation"], test["key"], test["ended"], test["without_batch"]) == (
        "negation_wrapper",
        "broken",
        "minimal",
        "gone",
    )
    assert (test["before"]["questions"], test["before"]["options"]) == (4, 3)
    assert (test["after"]["questions"], test["after"]["options"]) == (2, 0)
    assert test["before"]["deviation"] == pytest.approx(0.4)
    assert test["after"]["deviation"] == pytest.approx(0.4)
    assert made["minimized"]["without_batch"] == {
        "share": 0.0,
        "reason": "",
        "persist": 0,
        "judged": 1,
        "no_such_form": 0,
        "not_judged": 0,
    }
    [base, follow_up] = test["exchanges"]
    assert list(base["request"]["questions"]) == ["broken", "wet"]
    assert base["request"]["state"] == "The cup has a crack!"
    assert follow_up["answers"]["broken__negated"] == {"type": "noul", "noul": 0.9}
    assert base["curl"] is None  # a function is not asked over HTTP

    result.stdout.fnmatch_lines(["jevbench: reducing 1 violated tests, up to 100 requests each; Ctrl-C ends only this"])
    printed = [line.strip() for line in result.outlines]
    pasted = printed[printed.index("regression case, a line for regressions/cases.jsonl:") + 1]
    command = next(line for line in printed if line.startswith("pytest regressions::"))
    (folder / "regressions").mkdir()
    (folder / "regressions" / "cases.jsonl").write_text(pasted, encoding="utf-8")
    again = run_jevbench(*shlex.split(command)[1:], "--jevbench-card=again.json")
    assert again.ret == 1
    rows = [row for row in card(folder, "again.json")["tests"] if row["verdict"] == "violated"]
    assert [(row["relation"], row["key"]) for row in rows] == [("negation_wrapper", "broken")]
    assert card(folder, "again.json")["counts"]["collected"] == 1
    assert max(outcome["deviation"] for outcome in rows[0]["outcomes"]) == test["after"]["deviation"]


def test_ctrl_c_while_reducing_keeps_the_results_of_the_run(
    run_jevbench: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INTERRUPT", "1")
    result = run_jevbench(*NEGATION, "--jevbench-minimize")
    assert result.ret == 1
    made = card(folder)
    assert (made["counts"]["judged"], made["counts"]["violated"]) == (3, 1)
    assert made["flags"][0]["name"] == "subset"
    assert "stopped" not in [flag["name"] for flag in made["flags"]]
    assert (made["minimized"]["stopped"], made["minimized"]["tests"]) == ("interrupted", [])
    result.stdout.fnmatch_lines(["0 of 1 tests were reduced: interrupted"])


def test_workers_and_a_replay_give_the_same_section(run_jevbench: Run, folder: Path) -> None:
    command = (
        "--jevbench-cases=parcels.jsonl",
        "--jevbench-reference=luce_biased",
        "--jevbench-minimize=3",
        "--jevbench-minimize-requests=25",
    )
    run_jevbench(*command)
    serial = card(folder)
    assert [test["ended"] for test in serial["minimized"]["tests"]] != []
    assert all(test["requests"] <= 25 for test in serial["minimized"]["tests"])
    run_jevbench(*command, "--jevbench-offline")
    assert {**card(folder), "run": None} == {**serial, "run": None}
    (folder / ".jevbench" / "answers.sqlite").unlink()
    run_jevbench(*command, "-n2")
    assert {**card(folder), "run": None} == {**serial, "run": None}


def test_requests_of_a_reduction_are_counted_and_stay_in_the_budget(run_jevbench: Run, folder: Path) -> None:
    command = ("--jevbench-cases=parcels.jsonl", "--jevbench-relation=negation_wrapper", "--jevbench-fail-on=never")
    assert run_jevbench(*command, "--jevbench-reference=luce_biased").ret == 0
    needed = card(folder)["run"]["requests"]
    (folder / ".jevbench" / "answers.sqlite").unlink()
    result = run_jevbench(
        *command, "--jevbench-reference=luce_biased", f"--jevbench-max-requests={needed + 3}", "--jevbench-minimize"
    )
    assert result.ret == 0
    made = card(folder)
    assert made["counts"]["unjudged"]["total"] == 0
    assert made["run"]["requests"] == needed + 3
    assert {test["ended"] for test in made["minimized"]["tests"]} == {"over_budget"}


def test_the_commands_that_send_the_pair_hold_no_secret(
    run_jevbench: Run, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "sk-verysecretvalue")
    (folder / "conftest.py").unlink()
    with replicas(1) as group:
        url = group.servers[0].url
        common = (*NEGATION, "--jevbench-minimize=1", "--jevbench-full", "--jevbench-api-key-env=MY_KEY")
        plain = run_jevbench(*common, f"--jevbench-url={url}")
        first = card(folder)["minimized"]["tests"][0]["exchanges"]
        (folder / ".jevbench" / "answers.sqlite").unlink()
        hidden = run_jevbench(*common[:-1], f"--jevbench-url={url}?api_key=sk-othersecretvalue")
        second = card(folder)["minimized"]["tests"][0]["exchanges"]
    for result in (plain, hidden):
        assert result.ret == 1
        assert "secretvalue" not in result.stdout.str()
    assert "secretvalue" not in (folder / "jevbench-card.json").read_text(encoding="utf-8")
    words = shlex.split(first[0]["curl"])
    assert f"{url}/v1/systemone" in words
    assert "Authorization: Bearer $MY_KEY" in words
    assert json.loads(words[-1]) == {"model": "luce_biased", **first[0]["request"]}
    assert first[0]["curl"] in plain.stdout.str()
    assert "$JEVBENCH_URL" in shlex.split(second[0]["curl"])
    assert "Authorization" not in second[0]["curl"]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--jevbench-minimize-requests=9",), "--jevbench-minimize-requests bounds --jevbench-minimize. Give both"),
        (("--jevbench-minimize", "-n2"), "only workers have the model of the fixture jevbench_model"),
        (("--jevbench-minimize", "parcels.jsonl"), "--jevbench-minimize: found 'parcels.jsonl'"),
    ],
)
def test_what_cannot_be_reduced_is_a_usage_error(
    run_jevbench: Run, folder: Path, args: tuple[str, ...], words: str
) -> None:
    result = run_jevbench(*NEGATION, *args)
    assert result.ret == 4
    assert words in result.stderr.str()


def test_quietly_and_from_the_card(run_jevbench: Run, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    result = run_jevbench(*NEGATION, "--jevbench-minimize", "-q")
    assert "  questions 4 -> 2, options 3 -> 0" in result.stdout.str()
    found = str(folder / "jevbench-card.json")
    capsys.readouterr()
    assert main(["card", "report", "--minimized", "--json", found]) == 0
    [told] = json.loads(capsys.readouterr().out)
    assert (told["name"], told["tests"]) == ("conftest.model", card(folder)["minimized"]["tests"])
    assert main(["card", "report", "--minimized", found, found]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines.count("conftest.model · parcels") == 2
    assert main(["card", "report", "--minimized", "--tolerance=0.2", found]) == 2
    assert "--tolerance is about scores, and --minimized prints none" in capsys.readouterr().err
