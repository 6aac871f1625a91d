"""Runs of the suites of judged answers: what they print, gate and leave for the audit of biases."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Run = Callable[..., pytest.RunResult]
SUITE = ("--jevbench-suite=jevbench-judges", "--jevbench-store=off")
UNIFORM = (*SUITE, "--jevbench-reference=uniform")


def test_a_uniform_judge_has_no_bias_and_decides_nothing(run_jevbench: Run) -> None:
    result = run_jevbench(*UNIFORM)
    assert result.ret == 0
    result.stdout.fnmatch_lines(["judge bias, in no score above * 100.0 *420*", "*60 with a tie in one or both"])
    assert "overall" not in result.stdout.str()


def test_a_rubric_runs_by_its_name_and_marks_select_judges(run_jevbench: Run) -> None:
    chosen = (*UNIFORM, "--jevbench-domain=sql_equivalence")
    assert run_jevbench(*chosen, "-m", "jevbench_judge").ret == 0
    result = run_jevbench(*chosen, "--jevbench-relation=judge_swapped_order")
    result.assert_outcomes(passed=6)
