"""Comparing two runs: changes of scores with interval and p-value, and what is undefined."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binomtest

from pytest_jevbench.scoring.compare import FAMILY, ScoreChange, compare, compare_pairs
from pytest_jevbench.scoring.intervals import Interval
from pytest_jevbench.scoring.pairs import Layout, PairedRuns, Row
from pytest_jevbench.scoring.swap_test import holm
from pytest_jevbench.scoring.weights import OVERALL, ScoredFrom, Undefined
from tests.scoring.noisy_runs import GROUPS, LOUD, published_plan


def changed(scores: object) -> ScoreChange:
    assert isinstance(scores, ScoreChange)
    return scores


def test_every_score_of_the_published_layout() -> None:
    layout = published_plan("jevbench-240").layout
    pairs = LOUD.pair(layout, np.random.default_rng(0), drop=0.05)
    scores = compare_pairs(pairs, draws=2000)
    assert len(scores) == 1 + 5 + 11 + 50
    for name, score in scores.items():
        row = changed(score)
        assert row.change == pytest.approx(row.now - row.before, abs=1e-12), name
        assert isinstance(row.interval, Interval)
        assert row.interval.low <= row.change <= row.interval.high
        assert row.test.method == "exact"
        assert (row.adjusted_p is None) == (name not in FAMILY)
        assert (row.mcnemar is None) == (name not in layout.relations)
    assert [changed(scores[name]).adjusted_p for name in FAMILY] == pytest.approx(
        holm([changed(scores[name]).test.p for name in FAMILY])
    )


def test_mcnemar_of_one_relation_is_its_permutation_test() -> None:
    layout = published_plan("jevbench-mini").layout
    scores = compare_pairs(LOUD.pair(layout, np.random.default_rng(0), drop=0.1), draws=200)
    row = changed(scores["batch_order"])
    assert row.mcnemar is not None
    expected = binomtest(row.mcnemar.new, row.mcnemar.new + row.mcnemar.fixed, alternative="greater").pvalue
    assert row.mcnemar.p == pytest.approx(expected)
    assert row.test.p == pytest.approx(expected)
    assert row.test.changed == row.mcnemar.new + row.mcnemar.fixed


def test_no_mcnemar_where_a_case_has_two_tests_of_the_relation() -> None:
    layout = Layout(("a", "b", "c"), ("option_clone",), ("MEA.partition",), np.full((3, 1), 2), np.array([6]))
    pairs = PairedRuns(layout, np.array([[0], [1], [0]]), np.array([[2], [1], [1]]))
    row = changed(compare_pairs(pairs, draws=100)["option_clone"])
    assert row.mcnemar is None
    assert row.test.p == 0.25  # two changed cases, both worse
    assert (row.before, row.now) == pytest.approx((5 / 6, 2 / 6))


def test_rows_with_graded_scores_are_compared_by_a_sample() -> None:
    before = [Row("option_clone", f"c{i}", "q", "held", 1.0) for i in range(12)]
    now = [Row("option_clone", f"c{i}", "q", "violated", 0.9 - i / 100) for i in range(12)]
    binary = changed(compare(before, now, GROUPS, draws=100).scores["option_clone"])
    graded = changed(compare(before, now, GROUPS, draws=100, graded=True).scores["option_clone"])
    assert (binary.change, binary.test.method) == (-1.0, "exact")
    assert graded.test.method == "sampled"
    assert graded.change == pytest.approx(-0.155)
    assert graded.test.p == pytest.approx(2.0**-12, abs=1e-4)
    assert graded.mcnemar is None


def test_undefined_scores_say_why() -> None:
    rows = [Row("option_clone", f"c{i}", "q", "held") for i in range(4)]
    scores = compare(rows, rows, GROUPS).scores
    assert scores[OVERALL] == Undefined(OVERALL, "no test of REP is planned")
    assert scores["MEA"] == Undefined("MEA", "MEA has at most 4 tests a relation, scored from 5 on")
    enough = compare(rows, rows, GROUPS, scored_from=ScoredFrom(min_n=4)).scores["MEA"]
    assert changed(enough).change == 0.0
    assert changed(enough).test.p == 1.0
    assert changed(enough).interval == Interval(0.0, 0.0, degenerate=True)


def test_no_rows_at_all() -> None:
    comparison = compare([], [], GROUPS)
    assert comparison.scores == {OVERALL: Undefined(OVERALL, "no test of REP is planned")}
