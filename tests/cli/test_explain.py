"""The command that explains one test."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_jevbench.cli import main
from pytest_jevbench.reports.text import columns
from pytest_jevbench.runs.naming_tests import named_test
from pytest_jevbench.suite_loading import load_suite

ODD = "mail 7::a/b é"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with cases of one's own, the card of a biased model on them, and the answers in a store."""
    place = tmp_path_factory.mktemp("explained")
    case = {
        "id": ODD,
        "state": {"mail": "Where is my parcel? " * 40, "facts": {"days": 9}},
        "questions": {
            "topic": {"type": "choice", "instructions": "What is it about?", "criteria": {"a": "Parcel", "b": "Bill"}},
            "angry": {"type": "noul", "instructions": "Is the writer angry?"},
        },
    }
    (place / "cases.json").write_text(json.dumps([case]), encoding="utf-8")
    words = ["--jevbench-cases=cases.json", "--jevbench-reference=luce_biased", "--jevbench-fail-on=never"]
    words += ["--jevbench-store=store.sqlite", "--jevbench-relation=option_clone,batch_solo", "-p", "no:randomly"]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words], cwd=place, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout
    return place


@pytest.fixture
def folder(made: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """That folder, as the working directory."""
    monkeypatch.chdir(made)
    return made


def violated(folder: Path) -> dict[str, str]:
    card = json.loads((folder / "jevbench-card.json").read_text(encoding="utf-8"))
    return next(test for test in card["tests"] if test["verdict"] == "violated")  # type: ignore[no-any-return]


def explained(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    capsys.readouterr()
    assert main(["explain", *words]) == 0
    out = capsys.readouterr().out
    assert all(columns(line) <= 80 for line in out.splitlines() if not line.startswith(("ask again", "own", "cases")))
    return out


def test_a_violation_of_own_cases(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    test = violated(folder)
    raw = f"{ODD}::{test['relation']}-{test['key']}"
    out = explained(capsys, raw, "--card", "jevbench-card.json", "--cases", "cases.json")
    assert f"case       {ODD}" in out
    assert "verdict    violated" in out
    assert "more lines: --full shows all" not in out or "Where is my parcel?" in out
    assert "against the base request" in out
    assert "expected  observed" in out
    assert f"deviation  {test['outcomes'][0]['deviation']:.4f}" in out  # type: ignore[index]
    assert "what to do" in out
    name = out.splitlines()[0]
    assert out == explained(capsys, f"FAILED {name} - because", "--card", "jevbench-card.json", "--cases", "cases.json")
    assert name in out.splitlines()[-1]  # the command that asks again


@pytest.mark.parametrize("words", [[], ["--cases", "cases.json"]], ids=["found by the card", "named"])
def test_the_cases_of_the_card_that_lies_here(
    words: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    test = violated(folder)
    out = explained(capsys, f"{ODD}::{test['relation']}-{test['key']}", *words)
    assert "verdict    violated" in out
    assert "against the base request" in out
    again = shlex.split(out.splitlines()[-1].removeprefix("ask again"))
    done = subprocess.run([sys.executable, "-m", *again], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout
    assert "1 violated" in done.stdout


def test_the_plan_of_cases_without_their_card(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    test = violated(folder)
    monkeypatch.chdir(tmp_path)
    cases = str(folder / "cases.json")
    out = explained(capsys, f"{ODD}::{test['relation']}-{test['key']}", "--cases", cases)
    assert "verdict" not in out
    assert shlex.split(out.splitlines()[-1])[-2:] == [f"--jevbench-cases={cases}", "--jevbench-url=URL"]


def test_without_its_cases_the_card_tells_what_it_has(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    test = violated(folder)
    (tmp_path / "jevbench-card.json").write_bytes((folder / "jevbench-card.json").read_bytes())
    monkeypatch.chdir(tmp_path)
    out = explained(capsys, f"{ODD}::{test['relation']}-{test['key']}")
    assert "verdict    violated" in out
    assert "the case and the requests are not shown" in " ".join(out.split())


def test_from_stored_answers(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    test = violated(folder)
    raw = f"{ODD}::{test['relation']}-{test['key']}"
    out = explained(capsys, raw, "--cases", "cases.json", "--store", "store.sqlite", "--full")
    assert f"deviation  {test['outcomes'][0]['deviation']:.4f}" in out  # type: ignore[index]
    assert "judged from stored answers" in out
    assert "base said" in out


def test_without_a_card_the_plan_of_the_suite(capsys: pytest.CaptureFixture[str]) -> None:
    suite = load_suite("jevbench-examples")
    test = next(test.id for test in suite.plan.tests if test.id.relation == "option_clone")
    out = explained(capsys, f"jevbench-examples::{test.case_id}::{test.relation}-{test.key}")
    assert "MEA, probability measure coherence" in out
    assert "verdict" not in out
    assert "--jevbench-url=URL" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["a::b-c"], "this name has no suite. Give --card CARD, --suite SUITE or --cases PATH"),
        (["jevbench-exampels::a::b-c"], "Did you mean jevbench-examples"),
        (["x", "--suite", "jevbench-examples"], 'there is no test "x" among the'),
        (["", "--suite", "jevbench-examples"], 'there is no test "" among the'),
        (["x", "--card", "none.json"], "none.json: there is no such file"),
        (["jevbench-examples::a::option_clone-q"], "Closest: "),
    ],
)
def test_unknown_names(
    words: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["explain", *words]) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "suite", "rest"),
    [
        ("jevbench-mini::c-1::key_rename-q", "jevbench-mini", "c-1::key_rename-q"),
        ("ERROR jevbench-mini::c-1::key_rename-q", "jevbench-mini", "c-1::key_rename-q"),
        ("____ jevbench-mini::c-1::key_rename-q", "jevbench-mini", "c-1::key_rename-q"),
        ("VIOLATED s::c::r-q - 0.3, allowed 0.05", "s", "c::r-q"),
        ("tests/test_x.py::TestY::test_z[c-1::key_rename-q]", "", "c-1::key_rename-q"),
        ("c-1::key_rename-q", "", "c-1::key_rename-q"),
        ("____ s::c::r-q   (new)", "s", "c::r-q"),
        ("____ s::c::r-q   (known from the baseline)", "s", "c::r-q"),
        ("  fixed  s::c::r-q", "s", "c::r-q"),
        ("`s::c::r-q`", "s", "c::r-q"),
        ("'s::c::r-q'", "s", "c::r-q"),
        ("ask again  pytest s::c::r-q --jevbench-suite=s --jevbench-url=URL", "s", "c::r-q"),
        ("$ pytest s::c::r-q", "s", "c::r-q"),
        ("pytest 'tests/test_x.py::test_z[c 1::r-q]' --jevbench-url=a", "", "c 1::r-q"),
        ("a - b::r-q", "", "a - b::r-q"),
    ],
)
def test_names_as_they_are_copied(line: str, suite: str, rest: str) -> None:
    assert named_test(line) == (suite, rest)
