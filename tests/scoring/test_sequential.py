"""The sequential rule: its order, its wealth against hand figures, its decision one case at a time."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_jevbench.scoring.pairs import Layout, PairedRuns, Row, pair_rows
from pytest_jevbench.scoring.sequential import (
    RATES,
    EarlyRule,
    Watch,
    drop_wealth,
    drops_of_case,
    early_rule,
    order_cases,
    watch_all,
)
from pytest_jevbench.scoring.weights import OVERALL
from tests.scoring.gated_runs import two_runs
from tests.scoring.noisy_runs import GROUPS, QUIET, published_plan

PLAN = published_plan("jevbench-240")


def test_domains_take_turns_in_the_suites_order() -> None:
    order = order_cases(PLAN.layout.cases, PLAN.domains)
    assert sorted(order) == sorted(PLAN.layout.cases)
    first = [PLAN.domains[case] for case in order[:12]]
    assert len(set(first)) == 12
    assert [PLAN.domains[case] for case in order[12:24]] == first
    assert order[0] == PLAN.layout.cases[0]
    assert order_cases(["a", "b", "c"], {}) == ("a", "b", "c")
    assert order_cases([], {}) == ()


@given(st.lists(st.floats(-3, 3), min_size=1, max_size=8))
def test_wealth_is_a_mean_of_products(drops: list[float]) -> None:
    expected = [
        math.log(np.mean([math.prod(1 + math.tanh(r * x) for x in drops[:n]) or 1e-300 for r in RATES]))
        for n in range(1, len(drops) + 1)
    ]
    assert drop_wealth(np.array(drops)).tolist() == pytest.approx(expected, rel=1e-6, abs=1e-6)


@given(st.lists(st.floats(0.01, 2), min_size=1, max_size=6))
def test_wealth_is_one_on_average_over_all_signs(magnitudes: list[float]) -> None:
    """The null, whole: over the 2^n sign patterns the expected wealth is exactly 1 after every case."""
    n = len(magnitudes)
    signs = np.array([[1 if k >> i & 1 else -1 for i in range(n)] for k in range(2**n)])
    wealth = np.exp([drop_wealth(row * np.array(magnitudes)) for row in signs])
    assert wealth.mean(axis=0) == pytest.approx(np.ones(n), rel=1e-9)


def rule_of(margin: float | None, cases: int = 30) -> EarlyRule:
    """One relation on cases of three domains."""
    names = tuple(f"c{i}" for i in range(cases))
    layout = Layout(
        names, ("option_clone",), ("MEA.partition",), np.ones((cases, 1), dtype=np.int64), np.array([cases])
    )
    domains = {name: f"d{i % 3}" for i, name in enumerate(names)}
    if margin is None:
        return early_rule(layout, domains, level=0.05, scores=("option_clone",))
    return early_rule(layout, domains, margins={"option_clone": margin})


def steps(rule: EarlyRule, violated: list[int]) -> list[Watch]:
    watch, seen = Watch.start(rule), []
    for new in violated:
        watch = watch.after([new / 30], 1)
        seen.append(watch)
    return seen


def test_a_run_of_new_violations_is_decided_when_the_wealth_passes_one_hundred() -> None:
    watches = steps(rule_of(None), [1] * 12)
    first = next(i for i, watch in enumerate(watches) if watch.decided)
    by_hand = [np.mean([(1 + math.tanh(r)) ** n for r in RATES]) for n in range(1, 13)]
    assert first == next(i for i, wealth in enumerate(by_hand) if wealth >= 100)
    decided = watches[first].decided
    assert decided is not None
    assert (decided.score, decided.margin, decided.cases, decided.planned) == ("option_clone", None, first + 1, 30)
    assert decided.wealth == pytest.approx(by_hand[first])
    assert decided.needed == pytest.approx(100)
    assert watches[-1].decided == decided  # further cases change nothing
    assert "option_clone dropped; after 7 of 30 cases (7 tests)" in decided.text


def test_improvements_never_decide_a_regression() -> None:
    assert steps(rule_of(None), [-1] * 30)[-1].decided is None


def test_a_margin_is_looked_at_after_whole_rounds_of_the_domains() -> None:
    rule = rule_of(0.1)
    assert rule.round_ends == frozenset(range(3, 31, 3))
    watches = steps(rule, [1] * 30)
    decided = watches[-1].decided
    assert decided is not None
    assert decided.cases % 3 == 0
    assert decided.margin == 0.1
    bets = np.array([0.1, 0.3, 0.9]) / 1.1
    assert decided.wealth == pytest.approx(np.mean((1 + bets * 0.9) ** decided.cases))
    assert "dropped by more than the margin 0.1" in decided.text


def test_domains_of_unequal_size_bet_in_proportion_and_stop_looking_with_the_smallest() -> None:
    names = tuple("aaaabb")
    cases = tuple(f"{name}{i}" for i, name in enumerate(names))
    layout = Layout(cases, ("option_clone",), ("MEA.partition",), np.ones((6, 1), dtype=np.int64), np.array([6]))
    rule = early_rule(layout, {case: case[0] for case in cases}, margins={"option_clone": 0.1})
    assert rule.order == ("a0", "b4", "a1", "b5", "a2", "a3")
    assert rule.sizes == (1.0, 0.5, 1.0, 0.5, 1.0, 1.0)
    assert rule.round_ends == {2, 4}


def test_the_level_is_spent_once() -> None:
    rule = early_rule(PLAN.layout, PLAN.domains, level=0.05, margins={OVERALL: 0.05, "REP": 0.1})
    regression = [bet.share for bet in rule.bets if bet.margin is None]
    assert regression == pytest.approx([0.005] + [0.001] * 5)
    assert [bet.share for bet in rule.bets if bet.margin is not None] == pytest.approx([0.005, 0.005])
    dimensions = early_rule(PLAN.layout, PLAN.domains, level=0.05, scores=("REP", "BAT"))
    assert [bet.share for bet in dimensions.bets] == pytest.approx([0.005, 0.005])
    alone = early_rule(PLAN.layout, PLAN.domains, level=0.05, scores=(OVERALL,))
    assert [bet.share for bet in alone.bets] == pytest.approx([0.01])


def test_one_case_after_another_gives_what_all_at_once_give() -> None:
    pairs = QUIET.pair(PLAN.layout, np.random.default_rng(6), drop=0.05)
    before, now = two_runs(pairs)
    rule = early_rule(PLAN.layout, PLAN.domains, level=0.05, margins={OVERALL: 0.02})
    known = {row.id: row for row in before.rows}
    by_case: dict[str, list[Row]] = {}
    for row in now.rows:
        by_case.setdefault(row.case_id, []).append(row)
    watch = Watch.start(rule)
    while watch.decided is None and watch.next_case is not None:
        watch = watch.after(*drops_of_case(rule, known, by_case[watch.next_case]))
    together = watch_all(rule, pair_rows(before.rows, now.rows, GROUPS))
    assert watch.decided is not None
    assert together.decided is not None
    assert watch.decided.wealth == pytest.approx(together.decided.wealth)
    assert (watch.seen, watch.tests) == (together.seen, together.tests)


def test_unjudged_tests_add_nothing() -> None:
    rule = rule_of(None)
    known = {
        row.id: row for row in (Row("option_clone", "c0", "q", "held"), Row("option_clone", "c1", "q", "unjudged"))
    }
    for row in (Row("option_clone", "c0", "q", "unjudged"), Row("option_clone", "c1", "q", "violated")):
        assert drops_of_case(rule, known, [row]) == ((0.0,), 0)
    violated = Row("option_clone", "c0", "q", "violated")
    assert drops_of_case(rule, known, [violated]) == ((1 / 30,), 1)


def test_equal_runs_are_never_decided() -> None:
    layout = PLAN.layout
    same = PairedRuns(layout, np.zeros_like(layout.tests), np.zeros_like(layout.tests))
    rule = early_rule(layout, PLAN.domains, level=0.05, margins={OVERALL: 0.01})
    watch = watch_all(rule, same)
    assert watch.decided is None
    assert watch.seen == 240
