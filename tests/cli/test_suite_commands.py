"""``pytest-jevbench suite ...`` as a person types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_jevbench.cli import main
from tests.suite_writing import MARKET, write_suite


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with a suite ``large`` to freeze and a manifest for ``small``; commands run in it."""
    cases = [{**MARKET, "id": f"{domain}-{i}", "domain": domain} for domain in ("stalls", "fairs") for i in range(2)]
    write_suite(tmp_path / "large", cases)
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "manifest.json").write_text('{"name": "small", "version": "1"}')
    monkeypatch.chdir(tmp_path)
    return tmp_path


def printed(capsys: pytest.CaptureFixture[str], *args: str) -> str:
    assert main(args) == 0
    return capsys.readouterr().out


def test_freezing_says_what_was_written(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = printed(capsys, "suite", "freeze", "large").splitlines()
    manifest = json.loads((place / "large" / "manifest.json").read_text())
    relations = manifest["plan"]["relations"]
    assert said[:5] == [
        "suite      large in large",
        "cases      4 of 2 domains, 12 questions",
        f"relations  {relations}, each with 4 tests",
        f"tests      {4 * relations}, with {4 * relations} trials",
        f"requests   {manifest['plan']['requests']} distinct",
    ]
    assert said[5] == f"wrote      tests.jsonl.gz  sha256 {manifest['files']['tests.jsonl.gz'][:12]}"
    assert said[6].startswith("           manifest.json   sha256 ")
    assert said[7].startswith(f"{50 - relations} relations without a case to apply to: instruction_paraphrase, ")


def test_the_short_form_is_the_same(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert printed(capsys, "freeze", "large") == printed(capsys, "suite", "freeze", "large")


def test_a_small_suite_is_drawn_again_as_it_was(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    printed(capsys, "freeze", "large")
    said = printed(capsys, "freeze", "small", "--base", "large", "--per-domain", "1")
    assert "each with 2 tests" in said
    assert said.splitlines()[-1].startswith("The suite refers to its base; the published tool loads it only")
    first = [(place / "small" / name).read_bytes() for name in ("manifest.json", "tests.jsonl.gz")]
    printed(capsys, "freeze", "small")
    assert [(place / "small" / name).read_bytes() for name in ("manifest.json", "tests.jsonl.gz")] == first
    said = printed(capsys, "freeze", "small", "--base", "large", "--standalone")
    assert "refers to its base" not in said
    assert "each with 4 tests" in said


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["nowhere"], "nowhere: there is no such directory"),
        (["large/cases.jsonl"], "large/cases.jsonl: this is a file. Give the directory"),
        (["large", "--draws", "0"], "--draws is 0. Give at least 1"),
        (["small", "--base", "large", "--per-domain", "0"], "--per-domain is 0"),
        (["small", "--base", "large", "--seed", "1"], "--base takes the tests of another suite"),
        (["large", "--standalone"], "--per-domain and --standalone need --base"),
        (["small", "--base", "lage"], 'the base suite "lage"'),
        (["small", "--base", "large"], "the suite has no frozen plan"),
    ],
)
def test_what_is_wrong_is_one_line(
    args: list[str], message: str, place: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["suite", "freeze", *args]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert message in said.err
    assert said.err.count("\n") == 1


@pytest.mark.parametrize("command", [["suite", "list"], ["suites"]])
def test_the_list_of_suites(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    lines = printed(capsys, *command).splitlines()
    assert lines[0].split() == ["suite", "version", "cases", "domains", "tests", "requests"]
    rows = {line.split()[0]: line.split()[1:] for line in lines if line and not line.startswith(" ")}
    assert rows["jevbench-examples"][1:] == ["1", "1", "50", "43"]
    assert rows["jevbench:jevbench-mini"] == ["1", "240", "12", "1200", "1248"]
    assert any("demonstration, not a" in line for line in lines)
    assert lines[-1].startswith("Run one with: pytest --jevbench-suite=")
    assert max(map(len, lines)) <= 80
