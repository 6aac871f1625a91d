"""Suite folders inside the test tree are collected where they lie."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.suite_writing import EXAMPLES

Run = Callable[..., pytest.RunResult]
MODEL = "--jevbench-reference=luce_biased"
PLANNED = 50


@pytest.fixture
def folder(pytester: pytest.Pytester) -> Path:
    pytester.makepyfile(test_own="def test_own(): pass")
    path = pytester.path / "laws" / "mine"
    shutil.copytree(EXAMPLES, path)
    (path / "test_beside.py").write_text("def test_beside(): pass\n")
    other = pytester.path / "web"
    other.mkdir()
    (other / "manifest.json").write_text('{"name": "a web app", "plan": "free"}')
    return path


def card(pytester: pytest.Pytester, name: str = "jevbench-card.laws.mine.json") -> Any:
    return json.loads((pytester.path / name).read_text(encoding="utf-8"))


def test_a_folder_is_run_as_if_it_were_named(run_jevbench: Run, pytester: pytest.Pytester, folder: Path) -> None:
    result = run_jevbench(MODEL, "--jevbench-store=off")
    made = card(pytester)
    assert result.ret == 1
    assert made["counts"]["planned"] == made["counts"]["judged"] == PLANNED
    assert result.parseoutcomes() == {"passed": 2 + made["counts"]["held"], "violated": made["counts"]["violated"]}
    assert made["run"]["details"] == {"suite_folder": "laws/mine/manifest.json"}
    shared = run_jevbench(MODEL, "--jevbench-store=off", "-n2")
    assert shared.parseoutcomes() == result.parseoutcomes()
    assert {**card(pytester), "run": None} == {**made, "run": None}

    # Named on the command line too it is not run twice, and the card is the same.
    named = run_jevbench("--jevbench-suite=./laws/mine", MODEL, ".")
    assert named.parseoutcomes() == result.parseoutcomes()
    assert {**card(pytester, "jevbench-card.json"), "run": None} == {**made, "run": None}

    off = run_jevbench(MODEL, "-o", "jevbench_collect_suites=false")
    assert (off.ret, off.parseoutcomes()) == (0, {"passed": 2})


def test_node_ids_and_the_last_failed(run_jevbench: Run, pytester: pytest.Pytester, folder: Path) -> None:
    case = "laws/mine/manifest.json::leak-at-weavers-court"
    result = run_jevbench(f"{case}::noul_as_score-rent_held_back", MODEL)
    assert (result.ret, result.parseoutcomes()) == (1, {"violated": 1})
    assert run_jevbench("--lf", MODEL).parseoutcomes()["violated"] == 1
    assert run_jevbench(case, MODEL, "-m", "jevbench_rep", "--jevbench-fail-on=never").ret == 0


def test_without_a_model_it_is_left_alone(run_jevbench: Run, pytester: pytest.Pytester, folder: Path) -> None:
    result = run_jevbench()
    assert (result.ret, result.parseoutcomes()) == (0, {"passed": 2})
    result.stdout.fnmatch_lines(["jevbench: the suite in laws/mine was left alone: nothing names a model to ask"])
    pytester.makeini("[pytest]\njevbench_reference = uniform\njevbench_fail_on = never\n")
    assert run_jevbench().ret == 0
    assert card(pytester)["counts"]["judged"] == PLANNED


def test_a_damaged_suite_is_one_collection_error(run_jevbench: Run, folder: Path) -> None:
    (folder / "cases.jsonl").write_text("{}\n")
    result = run_jevbench(MODEL)
    assert (result.ret, result.parseoutcomes()) == (2, {"errors": 1})
    result.stdout.fnmatch_lines(["laws/mine: *cases.jsonl*"])
    (folder / "manifest.json").write_text("")
    result = run_jevbench(MODEL)
    assert (result.ret, result.parseoutcomes()) == (2, {"errors": 1})
    result.stdout.fnmatch_lines(["laws/mine: *manifest.json: not JSON: it is empty*"])
