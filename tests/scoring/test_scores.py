"""Scores of small taxonomies, worked out by hand; properties of any."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_jevbench.runs.results import TestResult
from pytest_jevbench.scoring.relation_scores import ScoreSettings
from pytest_jevbench.scoring.scores import Scores, score
from tests.scoring.by_hand import FIVE, held_and_violated, judged, unjudged

SETTINGS = ScoreSettings(bootstrap=50)


def scored(
    results: list[TestResult], groups: dict[str, str] = FIVE, settings: ScoreSettings = SETTINGS, **more: int
) -> Scores:
    planned = Counter(result.id.relation for result in results) + Counter(more)
    return score(results, planned, groups, settings)


def five(**violated: int) -> list[TestResult]:
    """Ten tests of each of the five relations, so many of them violated."""
    return [r for name in FIVE for r in held_and_violated(name, 10 - violated.get(name, 0), violated.get(name, 0))]


def test_overall_is_the_mean_of_the_five_dimensions() -> None:
    found = scored(five(key_rename=1, batch_solo=2, option_clone=3, count_upper=4, pairwise_iia=5))
    assert [d.score for d in found.dimensions] == pytest.approx([0.9, 0.8, 0.7, 0.6, 0.5])
    assert found.overall.score == pytest.approx(0.7)
    assert found.overall.graded == pytest.approx(0.85)  # each violated test is half as bad as can be
    assert (found.overall.relations, found.overall.tests, found.cases) == (5, 50, 10)


def test_groups_have_no_weight_in_a_dimension() -> None:
    groups = {"a": "REP.invariance", "b": "REP.invariance", "c": "REP.invariance", "d": "REP.type"}
    results = [*held_and_violated("d", 0, 10), *(r for name in "abc" for r in held_and_violated(name, 10, 0))]
    found = scored(results, groups)
    by_name = {mean.name: mean.score for mean in (*found.groups, *found.dimensions)}
    assert (by_name["REP.invariance"], by_name["REP.type"], by_name["REP"]) == (1.0, 0.0, 0.75)
    assert by_name["REP.binding"] is None


def test_without_one_dimension_there_is_no_overall_and_it_says_which() -> None:
    found = scored([r for r in five() if r.id.relation != "count_upper"])
    assert (found.overall.score, found.overall.graded, found.overall.interval) == (None, None, None)
    assert found.overall.reason == "LOG has no score: no test of LOG is planned"


def test_two_lost_of_24_leave_group_dimension_and_overall_unreported() -> None:
    results = [r for name in FIVE for r in held_and_violated(name, 24, 0)]
    one_lost = [*results[1:], unjudged("key_rename", "x")]
    two_lost = [*results[2:], unjudged("key_rename", "x"), unjudged("key_rename", "y", "invalid")]
    assert scored(one_lost).overall.score == 1.0
    found = scored(two_lost)
    unreported = [m.name for m in (found.overall, *found.dimensions, *found.groups) if m.score is None and m.reason]
    assert set(unreported) >= {"overall", "REP", "REP.invariance"}
    assert found.mean("MEA") is not None
    assert found.mean("MEA").score == 1.0  # type: ignore[union-attr]
    assert "key_rename is incomplete (22 of 24 planned tests judged" in found.overall.reason


def test_a_relation_with_too_few_tests_leaves_the_means_and_is_listed() -> None:
    groups = {**FIVE, "de_morgan": "REP.invariance"}
    found = scored([*five(key_rename=5), *held_and_violated("de_morgan", 4, 0)], groups)
    assert found.mean("REP").score == 0.5  # type: ignore[union-attr]
    row = found.relation("de_morgan")
    assert row is not None
    assert (row.status, row.score, row.violation_rate) == ("below_min_n", None, 0.0)


def test_a_dimension_of_small_relations_alone_is_a_gap_not_a_zero() -> None:
    small = [*(r for r in five() if r.id.relation != "pairwise_iia"), *held_and_violated("pairwise_iia", 4, 0)]
    found = scored(small)
    assert found.mean("CHO").score is None  # type: ignore[union-attr]
    assert found.overall.score is None
    assert scored(small, settings=replace(SETTINGS, min_n=4)).overall.score == 1.0


def test_deselected_tests_are_planned_and_leave_no_score() -> None:
    found = scored([r for r in five() if r.id.relation != "option_clone"], option_clone=10)
    row = found.relation("option_clone")
    assert row is not None
    assert (row.status, row.not_run) == ("not_run", 10)
    assert found.overall.reason == "MEA has no score: no test of MEA was run"


def test_diagnostics_are_listed_and_in_no_score() -> None:
    groups = {**FIVE, "routing_stability": "DIAG.fields"}
    found = scored([*five(), *held_and_violated("routing_stability", 0, 10)], groups)
    assert found.overall.score == 1.0
    assert [row.name for row in found.diagnostics] == ["routing_stability"]
    assert "routing_stability" not in [row.name for row in found.relations]


def test_results_of_unknown_relations_are_counted_and_left_out() -> None:
    found = scored([*five(), *held_and_violated("removed_since", 0, 3)])
    assert found.unknown == {"removed_since": 3}
    assert found.overall.score == 1.0


def test_nothing_judged_scores_nothing() -> None:
    found = scored([])
    assert (found.overall.score, found.cases, found.relations) == (None, 0, ())
    none = scored([unjudged(name, f"c{i}") for name in FIVE for i in range(6)])
    assert none.overall.score is None
    assert all(row.status == "incomplete" for row in none.relations)


def test_domains_are_scored_on_their_own_cases() -> None:
    results = [r for name in FIVE for r in held_and_violated(name, 5, 0, case="good")]
    results += [r for name in FIVE for r in held_and_violated(name, 0, 5, case="bad")]
    domains = {r.id.case_id: r.id.case_id.rstrip("0123456789") for r in results}
    found = score(results, Counter(r.id.relation for r in results), FIVE, SETTINGS, domains=domains)
    assert [(d.name, d.overall.score, d.cases, d.tests, d.violated) for d in found.domains] == [
        ("good", 1.0, 5, 25, 0),
        ("bad", 0.0, 5, 25, 25),
    ]
    assert found.overall.score == 0.5


def test_a_domain_is_incomplete_on_its_own_planned_tests() -> None:
    results = [r for name in FIVE for r in held_and_violated(name, 10, 0)]
    domains = {f"c{i}": "a" if i < 5 else "b" for i in range(10)}
    planned = {"a": dict.fromkeys(FIVE, 6), "b": dict.fromkeys(FIVE, 5)}
    found = score(results, {}, FIVE, SETTINGS, domains=domains, planned_in_domains=planned)
    assert [d.overall.score for d in found.domains] == [None, 1.0]


def test_intervals_stand_where_scores_do() -> None:
    found = scored(five(key_rename=3, batch_solo=3))
    assert found.overall.interval is not None
    assert found.overall.interval.low <= 0.88 <= found.overall.interval.high
    assert found.mean("LOG").interval.degenerate  # type: ignore[union-attr]
    without = scored(five(), settings=replace(SETTINGS, bootstrap=0))
    assert (without.overall.score, without.overall.interval) == (1.0, None)
    assert without.overall.interval_reason == "no bootstrap draws were asked for"
    one_case = scored([judged(name, "only", 0.0) for name in FIVE], settings=replace(SETTINGS, min_n=1))
    assert one_case.overall.interval is None
    assert "one case" in one_case.overall.interval_reason


deviations = st.lists(st.floats(0, 1), min_size=5, max_size=8)


@given(st.fixed_dictionaries(dict.fromkeys(FIVE, deviations)), st.randoms(use_true_random=False))
def test_scores_are_the_plain_means_in_whatever_order(found: dict[str, list[float]], random: object) -> None:
    results = [judged(name, f"c{i}", d) for name, values in found.items() for i, d in enumerate(values)]
    settings = replace(SETTINGS, bootstrap=0)
    expected = [sum(d <= 0.05 + 1e-9 for d in values) / len(values) for values in (found[name] for name in FIVE)]
    whole = scored(results, settings=settings)
    assert [row.score for row in whole.relations] == pytest.approx(expected)
    assert whole.overall.score == pytest.approx(sum(expected) / 5)
    assert whole.overall.graded is not None
    assert whole.overall.score <= whole.overall.graded + 1e-12 <= 1 + 2e-12
    random.shuffle(results)  # type: ignore[attr-defined]
    again = scored(results, settings=settings)
    assert [row.score for row in again.relations] == [row.score for row in whole.relations]
    assert again.overall.graded == pytest.approx(whole.overall.graded)
