"""Pairing two runs: which tests count, and what is known, new and fixed."""

from __future__ import annotations

import numpy as np
import pytest

from pytest_jevbench.errors import JevbenchError
from pytest_jevbench.runs.results import Outcome, TestId, TestResult
from pytest_jevbench.scoring.pairs import Row, find_changes, pair_rows, planned_layout, rows_of

GROUPS = {"option_clone": "MEA.partition", "batch_solo": "BAT.isolation", "confidence_consistency": "DIAG.fields"}


def row(relation: str, case: str, verdict: str, key: str = "q", graded: float | None = None) -> Row:
    return Row(relation, case, key, verdict, graded)  # type: ignore[arg-type]


def test_counts_are_of_tests_judged_in_both_runs() -> None:
    before = [
        row("batch_solo", "b", "held"),
        row("option_clone", "a", "violated"),
        row("option_clone", "a", "unjudged", "r"),
        row("option_clone", "b", "held"),
    ]
    now = [
        row("option_clone", "a", "violated"),
        row("option_clone", "a", "violated", "r"),
        row("option_clone", "b", "unjudged"),
        row("batch_solo", "b", "violated"),
        row("option_clone", "c", "held"),
    ]
    pairs = pair_rows(before, now, GROUPS)
    assert pairs.layout.cases == ("a", "b", "c")
    assert pairs.layout.relations == ("option_clone", "batch_solo")  # the taxonomy's order, not the rows'
    assert pairs.layout.dimensions == ("MEA", "BAT")
    assert pairs.layout.tests.tolist() == [[1, 0], [0, 1], [0, 0]]
    assert pairs.layout.planned.tolist() == [4, 1]
    assert pairs.baseline.tolist() == [[1, 0], [0, 0], [0, 0]]
    assert pairs.now.tolist() == [[1, 0], [0, 1], [0, 0]]
    assert pairs.is_counted
    assert pairs.layout.cases_with([0]) == 1


def test_graded_runs_hold_what_is_lost() -> None:
    before = [row("option_clone", "a", "held", graded=1.0), row("option_clone", "a", "violated", "r", 0.75)]
    now = [row("option_clone", "a", "violated", graded=0.5), row("option_clone", "a", "violated", "r", 0.25)]
    pairs = pair_rows(before, now, GROUPS, graded=True)
    assert not pairs.is_counted
    assert pairs.baseline.tolist() == [[0.25]]
    assert pairs.now.tolist() == [[1.25]]


def test_diagnostics_have_no_column_and_their_violations_are_told() -> None:
    before = [row("confidence_consistency", "a", "held"), row("option_clone", "a", "held")]
    now = [row("confidence_consistency", "a", "violated"), row("option_clone", "a", "held")]
    assert pair_rows(before, now, GROUPS).layout.relations == ("option_clone",)
    assert find_changes(before, now).new == (TestId("confidence_consistency", "a", "q"),)


def test_known_new_fixed_and_unpaired() -> None:
    before = [row("option_clone", case, verdict) for case, verdict in
              {"a": "violated", "b": "held", "c": "violated", "d": "unjudged", "f": "violated"}.items()]  # fmt: skip
    now = [row("option_clone", case, verdict) for case, verdict in
           {"a": "violated", "b": "violated", "c": "held", "d": "violated", "e": "violated", "f": "unjudged"}.items()
           ]  # fmt: skip
    changes = find_changes(before, now)
    assert [test.case_id for test in changes.known] == ["a"]
    assert [test.case_id for test in changes.new] == ["b", "d", "e"]
    assert [test.case_id for test in changes.fixed] == ["c"]
    assert [test.case_id for test in changes.unpaired] == ["d", "e"]


def test_a_test_twice_and_a_relation_of_no_group_are_refused() -> None:
    once = [row("option_clone", "a", "held")]
    with pytest.raises(JevbenchError, match="option_clone:a:q stands twice"):
        pair_rows(once, once * 2, GROUPS)
    with pytest.raises(JevbenchError, match="'made_up' belongs to no group"):
        pair_rows([], [row("made_up", "a", "held")], GROUPS)


def test_rows_of_results_judge_anew_and_name_why_not() -> None:
    past = Outcome(("q",), 0.06, 0.05, "noise", None)
    results = [
        TestResult(TestId("option_clone", "a", "q"), "tv", "violated", (past,)),
        TestResult(TestId("option_clone", "b", "q"), "tv", "unjudged", reason="refused"),
    ]
    violated, refused = rows_of(results)
    assert (violated.verdict, refused.verdict, refused.reason) == ("violated", "unjudged", "refused")
    assert violated.graded == pytest.approx(1 - 0.01 / 0.95)
    assert refused.graded is None


def test_a_plans_layout_counts_every_test() -> None:
    layout = planned_layout([TestId("batch_solo", "a", "q"), TestId("batch_solo", "a", "r")], GROUPS)
    assert np.array_equal(layout.tests, [[2]])
    assert np.array_equal(layout.planned, [2])
