"""What contradicts itself is refused before anything is asked, and what cannot be used is told of."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

Run = Callable[..., pytest.RunResult]
MODEL = "--jevbench-reference=uniform"
SUITE = "--jevbench-suite=jevbench-examples"
GATE = "gate:\n  min: {overall: 0.99}\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ([SUITE, "--jevbench-suite", "jevbench-mini", MODEL], "--jevbench-suite is given 2 times"),
        ([SUITE, MODEL, "--jevbench-reference=luce"], "--jevbench-reference is given 2 times"),
        ([SUITE, "--jevbench-url=http://a", "--jevbench-url=http://b"], "Separate replicas by commas"),
        ([SUITE, MODEL, "--jevbench-offline", "--jevbench-refresh"], "offline asks nothing and refresh asks all again"),
    ],
)
def test_a_contradiction_is_a_usage_error(run_jevbench: Run, arguments: list[str], told: str) -> None:
    result = run_jevbench(*arguments)
    assert result.ret == 4
    assert told in result.stderr.str()


def test_the_command_line_still_goes_before_addopts(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\naddopts = --jevbench-reference=luce_biased\n")
    assert run_jevbench(SUITE, MODEL, MODEL, "--jevbench-relation=key_rename").ret == 0


def test_the_header_names_the_store_that_is_used(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    run_jevbench(SUITE, MODEL, "--jevbench-relation=key_rename")
    store = pytester.path / ".jevbench" / "answers.sqlite"
    with closing(sqlite3.connect(store)) as connection:
        connection.execute("PRAGMA user_version = 99")
        connection.commit()
    before = store.read_bytes()
    result = run_jevbench(SUITE, MODEL, "--jevbench-relation=key_rename")
    result.stdout.fnmatch_lines(["jevbench: answers in */answers.sqlite, as answers.sqlite cannot be used"])
    assert store.read_bytes() == before


@pytest.fixture
def mine(pytester: pytest.Pytester) -> Path:
    folder = pytester.mkdir("mine")
    case = {"state": "It rains.", "questions": {"wet": {"type": "noul", "instructions": "Is it wet outside?"}}}
    (folder / "rain.jsonl").write_text(json.dumps(case), encoding="utf-8")
    (folder / "jevbench.yaml").write_text(GATE, encoding="utf-8")
    return folder


def test_a_gate_beside_the_cases_decides_where_the_root_has_none(
    run_jevbench: Run, pytester: pytest.Pytester, mine: Path
) -> None:
    run = ("--jevbench-cases=mine/rain.jsonl", MODEL, "--jevbench-relation=key_rename")
    result = run_jevbench(*run)
    assert result.ret == 16  # the overall has no score
    result.stdout.fnmatch_lines(["jevbench: gate from mine/jevbench.yaml", "*jevbench: gate incomplete*"])
    (pytester.path / "jevbench.yaml").write_text(GATE, encoding="utf-8")
    both = run_jevbench(*run)
    assert both.ret == 4
    both.stderr.fnmatch_lines(["*mine/jevbench.yaml: there is a gate here and another one in jevbench.yaml. Keep one*"])
    assert run_jevbench(*run, "--jevbench-require=min_coverage=1.0").ret == 0


def test_a_folder_named_as_the_settings_file_is_told_of(run_jevbench: Run, mine: Path) -> None:
    (mine / "jevbench.yaml").unlink()
    (mine / "jevbench.yaml").mkdir()
    result = run_jevbench("--jevbench-cases=mine", MODEL)
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*mine/jevbench.yaml: this is a directory. Settings are a file of this name"])
