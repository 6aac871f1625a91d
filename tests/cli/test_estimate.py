"""``pytest-jevbench estimate`` beside what a run then really asks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.cli import main
from tests.servers.modelled import replicas

Estimate = Callable[..., dict[str, Any]]


@pytest.fixture
def estimate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., dict[str, Any]]:
    """Runs the command in an empty folder and reads its JSON."""
    monkeypatch.chdir(tmp_path)

    def run(*args: str) -> dict[str, Any]:
        assert main(["estimate", *args, "--json"]) == 0
        told: dict[str, Any] = json.loads(capsys.readouterr().out)
        return told

    return run


def run_suite(*args: str) -> Any:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "jevbench", *args]
    env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    ran = subprocess.run(command, check=False, capture_output=True, text=True, env=env)
    assert ran.returncode in (0, 1), ran.stdout
    return json.loads(Path("jevbench-card.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("suite", "options"),
    [
        ("jevbench-examples", {}),
        ("jevbench-mini", {"domain": "it_incidents"}),
        ("jevbench-mini", {"dimension": "BAT,CHO", "shard": "2/3"}),
        ("jevbench-mini", {"group": "CHO.conditioning", "relation": "key_rename", "domain": "finance_ops"}),
        ("jevbench-examples", {"relation": "diagnostics"}),
    ],
    ids=lambda given: given if isinstance(given, str) else "-".join(given) or "whole",
)
def test_the_requests_are_those_that_a_run_asks(estimate: Estimate, suite: str, options: dict[str, str]) -> None:
    told = estimate(suite, *(f"--{name}={value}" for name, value in options.items()))
    with replicas(1) as group:
        given = [f"--jevbench-{name}={value}" for name, value in options.items()]
        card = run_suite(f"--jevbench-suite={suite}", f"--jevbench-url={group.urls}", *given)
        assert told["requests"] == told["to_ask"] == sum(group.bodies.values())
    assert told["tests"] == card["counts"]["planned"] - card["counts"]["elsewhere"]


@pytest.mark.parametrize(
    ("suite", "requests", "tests"), [("jevbench-mini", 1248, 1200), ("jevbench-240", 10320, 12000)]
)
def test_published_suites_have_the_number_of_requests_of_their_manifests(
    estimate: Estimate, suite: str, requests: int, tests: int
) -> None:
    told = estimate(f"jevbench:{suite}", "--seconds=0.02", "--replicas=8")
    assert (told["requests"], told["tests"]) == (requests, tests)
    assert told["seconds"] == pytest.approx(requests / 8 * 0.02)


def test_what_is_stored_is_taken_off_and_tells_tokens_and_time(estimate: Estimate) -> None:
    suite, part = "jevbench-mini", "it_incidents"
    with replicas(1) as group:
        command = (f"--jevbench-suite={suite}", f"--jevbench-url={group.urls}")
        card = run_suite(*command, f"--jevbench-domain={part}")
        begun = sum(group.bodies.values())
        told = estimate(suite)
        assert told["stored"] == begun
        assert estimate(suite, "--store=off")["stored"] == 0
        assert estimate(suite, "--model=another")["stored"] == 0
        recorded = estimate(suite, f"--domain={part}", "--store=off", "--tokens-from=jevbench-card.json")
        assert recorded["input_tokens"] == pytest.approx(card["run"]["input_tokens"], abs=1)
        assert recorded["output_tokens"] == pytest.approx(card["run"]["output_tokens"], abs=1)
        assert told["seconds_a_request"] > 0
        card = run_suite(*command)
        assert told["to_ask"] == sum(group.bodies.values()) - begun == card["run"]["requests"]
    # told by the rule of what was stored; the reference server counts words, which differ from text to text
    used = card["run"]["input_tokens"] - told["stored"] / begun * recorded["input_tokens"]
    assert told["input_tokens"] == pytest.approx(used, rel=0.2)


def test_a_model_is_timed_with_a_few_requests(estimate: Estimate) -> None:
    with replicas(2) as group:
        told = estimate("jevbench-mini", f"--url={group.urls}", "--price-in=1", "--price-out=2")
        assert sum(group.bodies.values()) == 6
    assert told["replicas"] == 2
    assert told["seconds"] == pytest.approx(told["requests"] / 2 * told["seconds_a_request"], rel=1e-3, abs=1e-3)
    assert told["usd"] == pytest.approx((told["input_tokens"] + 2 * told["output_tokens"]) / 1e6)
    assert told["usd"] < told["usd_at_most"]
    assert "answers just given" in told["tokens_by"]


def test_a_person_reads_one_line_a_figure(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["estimate", "jevbench-examples", "--seconds=30", "--price-in=1", "--price-out=2"]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in printed] == ["suite", "requests", "tokens", "dollars", "time"]
    assert "50 tests on 1 case" in printed[0]
    assert "43 distinct" in printed[1]
    assert "rule of thumb" in printed[2]
    assert "21.5 minutes at best" in printed[4]


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--domain=nowhere",), '--domain: there is no "nowhere"'),
        (("--shard=2/2",), "more than the cases"),
        (("--price-in=1",), "--price-out"),
        (("--domain=",), "--domain: no name"),
        (("--store=absent.sqlite",), "no answer store"),
        (("--url=http://127.0.0.1:9",), "127.0.0.1:9"),
        (("--tokens-from=absent.json",), "absent.json"),
    ],
)
def test_what_is_wrong_is_one_line(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    args: tuple[str, ...],
    words: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["estimate", "jevbench-examples", *args]) == 2
    printed = capsys.readouterr()
    assert words in printed.err
    assert printed.out == ""


@pytest.mark.parametrize("args", ["--shard=3/2", "--seconds=-1", "--seconds=nan", "--replicas=0", "--price-in=x"])
def test_a_number_that_is_none_is_a_usage_error(capsys: pytest.CaptureFixture[str], args: str) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["estimate", "jevbench-examples", args])
    assert ended.value.code == 2
    assert "; give " in capsys.readouterr().err


def test_cases_of_ones_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("- {id: c, state: It is green., questions: {green: {type: noul, instructions: Green}}}\n")
    assert main(["estimate", "--cases", str(path), "--store=off", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["suite"] == "mine"
    assert told["requests"] > 10
    for args, words in (
        (["jevbench-mini", "--cases", str(path)], "two runs"),
        ([], "neither a suite nor --cases"),
        (["jevbench-mini", "--draws=2"], "--draws says how tests are made"),
    ):
        assert main(["estimate", *args]) == 2
        assert words in capsys.readouterr().err


def test_settings_beside_cases_are_those_of_the_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cases = tmp_path / "cases.jsonl"
    cases.write_text('{"state": "It rains.", "questions": {"wet": {"type": "noul", "instructions": "Is it wet?"}}}\n')

    def told(*arguments: str) -> str:
        assert main(["estimate", f"--cases={cases}", *arguments]) == 0
        return capsys.readouterr().out

    everything = told()
    by_options = told("--draws=3", "--relation=verbosity", "--repeats=2")
    (tmp_path / "jevbench.yaml").write_text("cases:\n  draws: 3\n  repeats: 2\n  take: [verbosity]\n")
    assert told() == by_options != everything
