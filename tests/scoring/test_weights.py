"""The weights of every score, by hand and against the published layout."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from pytest_jevbench.scoring.pairs import Layout, PairedRuns
from pytest_jevbench.scoring.weights import (
    OVERALL,
    Scored,
    ScoredFrom,
    Undefined,
    exact_drops,
    mean_drops,
    score_names,
    weigh,
)
from tests.scoring.noisy_runs import LOUD, published_plan

RELATIONS = ("key_rename", "option_rename", "batch_solo", "option_clone", "count_upper", "pairwise_iia")
GROUPS = ("REP.invariance", "REP.equivariance", "BAT.isolation", "MEA.partition", "LOG.bounds", "CHO.conditioning")


def layout(tests: list[list[int]], planned: list[int] | None = None) -> Layout:
    counts = np.array(tests)
    return Layout(
        tuple(f"c{i}" for i in range(len(tests))), RELATIONS, GROUPS, counts,
        counts.sum(axis=0) if planned is None else np.array(planned),
    )  # fmt: skip


def test_weights_by_hand() -> None:
    plan = layout([[3, 5, 5, 5, 5, 5], [2, 5, 0, 5, 5, 5]])
    overall = weigh(plan, OVERALL)
    assert isinstance(overall, Scored)
    assert overall.weights == (
        Fraction(1, 50), Fraction(1, 100), Fraction(1, 25), Fraction(1, 50), Fraction(1, 50), Fraction(1, 50),
    )  # fmt: skip
    rep = weigh(plan, "REP")
    assert isinstance(rep, Scored)
    assert rep.columns == (0, 1)
    assert rep.weights == (Fraction(1, 10), Fraction(1, 20))
    assert weigh(plan, "REP.equivariance") == Scored("REP.equivariance", (1,), (Fraction(1, 10),), ((1,),))


def test_a_score_is_one_minus_the_weighted_violations() -> None:
    plan = published_plan("jevbench-240").layout
    pairs = LOUD.pair(plan, np.random.default_rng(1))
    overall = weigh(plan, OVERALL)
    assert isinstance(overall, Scored)
    relation_scores = 1 - pairs.now.sum(axis=0) / 240
    by_dimension = [relation_scores[[d == e for e in plan.dimensions]].mean() for d in dict.fromkeys(plan.dimensions)]
    units, unit = exact_drops(PairedRuns(plan, np.zeros_like(pairs.now), pairs.now), overall)
    assert float(1 - unit * int(units.sum())) == pytest.approx(np.mean(by_dimension), abs=1e-12)


def test_counted_drops_are_whole_and_sum_to_the_difference() -> None:
    plan = published_plan("jevbench-mini").layout
    pairs = LOUD.pair(plan, np.random.default_rng(2), drop=0.1)
    for name in (OVERALL, "MEA", "LOG.bounds", "batch_order"):
        score = weigh(plan, name)
        assert isinstance(score, Scored)
        units, unit = exact_drops(pairs, score)
        floats = PairedRuns(plan, pairs.baseline.astype(np.float64), pairs.now.astype(np.float64))
        assert np.issubdtype(units.dtype, np.integer)
        assert units * float(unit) == pytest.approx(mean_drops(floats, score), abs=1e-15)


def test_few_tests_are_not_scored_and_leave_the_mean() -> None:
    plan = layout([[4, 9, 9, 9, 9, 9]])
    rep = weigh(plan, "REP")
    assert isinstance(rep, Scored)
    assert rep.columns == (1,)
    few = weigh(plan, "key_rename")
    assert isinstance(few, Undefined)
    assert few.reason == "key_rename has at most 4 tests a relation, scored from 5 on"
    assert isinstance(weigh(plan, "key_rename", ScoredFrom(min_n=4)), Scored)


def test_an_incomplete_relation_takes_its_means_with_it() -> None:
    plan = layout([[9, 9, 9, 9, 9, 9]], planned=[9, 10, 9, 9, 9, 9])
    for name in ("option_rename", "REP.equivariance", "REP", OVERALL):
        found = weigh(plan, name)
        assert isinstance(found, Undefined)
        assert found.reason == "option_rename is incomplete: 9 of 10 planned tests judged"
    assert isinstance(weigh(plan, "REP.invariance"), Scored)


def test_the_overall_needs_five_dimensions() -> None:
    plan = Layout(("c",), RELATIONS[:5], GROUPS[:5], np.full((1, 5), 9), np.full(5, 9))
    assert weigh(plan, OVERALL) == Undefined(OVERALL, "no test of CHO is planned")
    assert score_names(plan)[:5] == (OVERALL, "REP", "BAT", "MEA", "LOG")
