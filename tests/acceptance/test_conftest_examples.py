"""Every file of conftest_examples/ does what it says when it is copied to a root directory."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "conftest_examples"
Run = Callable[..., pytest.RunResult]
SUITE = ("--jevbench-suite=jevbench-examples", "--jevbench-store=off", "--jevbench-fail-on=never")


def use(pytester: pytest.Pytester, name: str) -> None:
    pytester.makeconftest((EXAMPLES / name).read_text(encoding="utf-8"))


def test_a_model_in_the_process(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    use(pytester, "in_process_model.py")
    assert run_jevbench(*SUITE).ret == 0
    card = json.loads((pytester.path / "jevbench-card.json").read_text(encoding="utf-8"))
    assert card["identity"]["model"]["dialect"] == "callable"
    assert card["counts"]["judged"] == 50


def test_scores_go_to_a_tracker(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    use(pytester, "scores_to_a_tracker.py")
    for _ in range(2):
        assert run_jevbench(*SUITE, "--jevbench-reference=uniform").ret == 0
    lines = (pytester.path / "tracker.jsonl").read_text(encoding="utf-8").splitlines()
    card = json.loads((pytester.path / "jevbench-card.json").read_text(encoding="utf-8"))
    expected = {"model": "uniform", "overall": card["scores"]["overall"]["score"], "reason": None}
    assert [json.loads(line) for line in lines] == [expected, expected]


def test_no_example_is_left_out() -> None:
    tested = {"in_process_model.py", "scores_to_a_tracker.py"}
    assert {path.name for path in EXAMPLES.glob("*.py")} == tested
