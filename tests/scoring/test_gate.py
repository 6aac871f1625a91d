"""The gate's decisions: figures against their limits, what never passes, and early decisions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pytest_jevbench.errors import Place
from pytest_jevbench.json_text import dumps, loads
from pytest_jevbench.scoring.deciding_digits import beside, is_above
from pytest_jevbench.scoring.gate import GateResult, evaluate_gate
from pytest_jevbench.scoring.gate_config import GateConfig, Limit, NonInferiority, gate_from_assignments
from pytest_jevbench.scoring.gate_results import ConditionResult
from pytest_jevbench.scoring.gate_run import NOT_RUN, GatedRun, Metric
from pytest_jevbench.scoring.intervals import Interval
from pytest_jevbench.scoring.pairs import Row
from tests.scoring.gated_runs import gated, one_relation, result, two_runs
from tests.scoring.noisy_runs import LOUD, QUIET, NoisyModel, published_plan

MINI = published_plan("jevbench-mini")


def config(*conditions: str) -> GateConfig:
    return gate_from_assignments(conditions, Place("options"))


def gate(run: GatedRun, *conditions: str, baseline: GatedRun | None = None) -> GateResult:
    return evaluate_gate(config(*conditions), run, baseline, draws=500)


def only(found: GateResult) -> ConditionResult:
    assert len(found.conditions) == 1
    return found.conditions[0]


# Figures and limits


def test_three_of_ten_violated_at_a_maximum_of_three_tenths_passes() -> None:
    found = gate(one_relation(3, 10), "max_violation_rate.option_clone=0.3")
    assert found.decision == "passed"
    assert found.exit_status == 0
    assert only(found).text == (
        "max_violation_rate option_clone: passed; 0.300 [0.108, 0.603], at most 0.300, 10 tests "
        "(descriptive, carries no error level)"
    )
    assert gate(one_relation(4, 10), "max_violation_rate.option_clone=0.3").decision == "failed"


def test_a_score_just_under_its_minimum_fails_with_the_digits_that_show_it() -> None:
    found = gate(one_relation(501, 10_000), "min.option_clone=0.95")
    assert found.decision == "failed"
    assert found.exit_status == 1
    line = only(found)
    assert line.value == pytest.approx(0.9499)
    assert (line.limit, line.n) == (0.95, 10_000)
    assert "0.9499 [0.945, 0.954], at least 0.9500" in line.text


@pytest.mark.parametrize("violated", range(11))
def test_every_share_of_ten_reaches_its_own_minimum(violated: int) -> None:
    limit = f"0.{10 - violated}" if violated else "1"
    assert gate(one_relation(violated, 10), f"min.option_clone={limit}").decision == "passed"
    most = f"0.{violated}" if violated < 10 else "1"
    assert gate(one_relation(violated, 10), f"max_violation_rate={most}").decision == "passed"


@pytest.mark.parametrize(
    ("value", "limit", "shown"),
    [
        (0.9499, 0.95, ("0.9499", "0.9500")),
        (0.94999999, 0.95, ("0.94999999", "0.95000000")),
        (0.3, 0.3, ("0.300", "0.300")),
        (1 - 0.9, 0.1, ("0.100", "0.100")),
        (0.5, 0.12345, ("0.50000", "0.12345")),
    ],
)
def test_the_digits_shown_tell_value_and_limit_apart(value: float, limit: float, shown: tuple[str, str]) -> None:
    assert beside(value, limit) == shown
    assert is_above(limit, value) == (float(shown[1]) > float(shown[0]))


def test_counts_of_violations() -> None:
    run = one_relation(3, 10)
    assert gate(run, "max_violations=3").decision == "passed"
    assert gate(run, "max_violations.MEA=2").decision == "failed"
    assert gate(run, "max_violations.MEA.partition=2").decision == "failed"
    assert gate(run, "max_violations.option_merge=2").decision == "incomplete"
    assert only(gate(run, "max_violations=2")).text.startswith("max_violations all: failed; 3, at most 2, 10 tests")


def test_dimensions_groups_and_graded_scores() -> None:
    run = one_relation(3, 10)  # a violation deviates by 0.5: graded 1 - 0.45/0.95
    assert only(gate(run, "min.MEA=0.7")).verdict == "passed"
    assert only(gate(run, "min.MEA.partition=0.71")).verdict == "failed"
    graded = only(gate(run, "min_graded.option_clone=0.85"))
    assert graded.value == pytest.approx(1 - 0.3 * 0.45 / 0.95)
    assert graded.verdict == "passed"
    assert "descriptive, carries no error level" in graded.text


def test_gold_figures() -> None:
    run = replace(one_relation(0, 10), accuracy=Metric(0.8, 40, Interval(0.65, 0.9)), ece=Metric(0.11, 40))
    assert gate(run, "min_accuracy=0.8").decision == "passed"
    found = gate(run, "max_ece=0.1")
    assert found.decision == "failed"
    assert "0.110, at most 0.100, 40 labelled answers" in only(found).text
    assert gate(one_relation(0, 10), "min_accuracy=0.8").decision == "incomplete"


def test_the_result_is_strict_json() -> None:
    before, now = one_relation(0, 30), one_relation(9, 30)
    found = gate(now, "min.option_clone=0.9", "no_significant_drop=0.05", "min_accuracy=0.5", baseline=before)
    value = loads(dumps(found.to_json()))
    assert value["decision"] == "incomplete"
    assert value["decided_early"] is None
    assert [c["verdict"] for c in value["conditions"]] == ["failed", "not_evaluated", "failed"]
    assert value["conditions"][0]["value"] == pytest.approx(0.7)
    assert value["conditions"][0]["interval"]["low"] < 0.7 < value["conditions"][0]["interval"]["high"]
    assert value["conditions"][0]["text"] == found.conditions[0].text


# What never passes


def test_half_of_the_answers_missing_is_neither_one_nor_a_half() -> None:
    results = [result("option_clone", f"c{i}", "held" if i < 5 else "unreachable") for i in range(10)]
    found = gate(gated(results), "min.option_clone=0.4", "min_coverage=0.95")
    assert found.decision == "incomplete"
    assert found.exit_status == 16
    minimum, coverage = found.conditions
    assert (minimum.value, minimum.verdict) == (None, "not_evaluated")
    assert (coverage.value, coverage.verdict) == (0.5, "failed")
    assert "incomplete: 5 of 10 planned tests not judged (unreachable 5)" in found.reasons


def test_no_test_judged() -> None:
    for results in ([], [result("option_clone", "c", "lost")]):
        found = gate(gated(results), "max_violations=0")
        assert found.decision == "incomplete"
        assert "no test was judged" in found.reasons


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"deselected": 2}, "a subset: 2 planned tests were deselected"),
        ({"elsewhere": 5}, "a part of a run: 5 planned tests are in other shards; merge the cards first"),
        ({"interrupted": "stopped by -x"}, "cut short: stopped by -x"),
        ({"unlisted": 3}, "incomplete: 3 planned tests have no result in the report"),
        ({"models": ("m1", "m2")}, 'this run was answered by 2 model versions: "m1", "m2"'),
        ({"decided_early": True}, "the run says that it was decided early, and its outcomes do not show it"),
    ],
)
def test_a_run_that_is_not_whole_never_passes(facts: dict[str, object], reason: str) -> None:
    found = gate(replace(one_relation(0, 10), **facts), "min.option_clone=0.5")  # type: ignore[arg-type]
    assert found.decision == "incomplete"
    assert found.exit_status == 16
    assert reason in found.reasons
    assert only(found).verdict == "incomplete"
    assert only(found).value == 1.0


def test_one_missing_answer_among_a_hundred_is_enough() -> None:
    results = [result("option_clone", f"c{i}", "held" if i else "refused") for i in range(100)]
    found = gate(gated(results), "min.option_clone=0.5", "max_violations=0")
    assert found.decision == "incomplete"
    assert [c.verdict for c in found.conditions] == ["incomplete", "incomplete"]


def test_violations_past_their_limit_fail_whatever_is_missing() -> None:
    results = [result("option_clone", f"c{i}", "violated" if i else "refused") for i in range(4)]
    assert [c.verdict for c in gate(gated(results), "max_violations=2").conditions] == ["failed"]


def test_tests_not_run_count_against_coverage_and_not_as_lost() -> None:
    run = one_relation(0, 9)
    run = replace(run, rows=(*run.rows, Row("option_clone", "c9", "q", "unjudged", None, NOT_RUN)), deselected=1)
    found = gate(run, "min_coverage=0.95")
    assert only(found).value == 0.9
    assert found.reasons[0] == "a subset: 1 planned tests were deselected"


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"suite": "other 1"}, 'the baseline is of another suite: "other 1", not "made-up 1"'),
        ({"digest": "abc"}, 'another suite: "made-up 1" of other content'),
        ({"settings": {"tolerance": 0.1}}, "the baseline has other settings: tolerance 0.1, not 0.05"),
        ({"settings": {"tolerance": 0.05, "repeats": 3}}, "the baseline has other settings: repeats 3, not null"),
        ({"models": ("a", "b")}, 'the baseline was answered by 2 model versions: "a", "b"'),
    ],
)
def test_a_baseline_of_something_else_decides_nothing(facts: dict[str, object], reason: str) -> None:
    run = one_relation(0, 10)
    found = gate(run, "max_drop.option_clone=1", baseline=replace(run, **facts))  # type: ignore[arg-type]
    assert found.decision == "incomplete"
    assert any(reason in said for said in found.reasons)
    assert only(found).verdict == "not_evaluated"


def test_suites_are_told_apart_by_the_files_that_both_name() -> None:
    run = one_relation(0, 10, suite="jevbench.jevbench-mini 1", files={"tests.jsonl.gz": "aa"})
    report = replace(run, suite="jevbench-mini 1", files={"tests.jsonl.gz": "aa", "jevbench-240/cases.jsonl": "bb"})
    assert gate(run, "max_drop.option_clone=0", baseline=report).decision == "passed"
    other = replace(report, files={"tests.jsonl.gz": "cc"})
    assert gate(run, "max_drop.option_clone=0", baseline=other).decision == "incomplete"


def test_an_incomplete_baseline_and_none_at_all() -> None:
    run = one_relation(0, 40)
    lacking = replace(run, rows=run.rows[1:])
    found = gate(run, "max_drop.option_clone=0", baseline=lacking)
    assert (found.decision, only(found).verdict) == ("incomplete", "incomplete")
    assert "the baseline lacks 1 of the 40 planned tests" in found.reasons
    unjudged = gated([result("option_clone", f"c{i}", "held" if i else "lost") for i in range(40)])
    assert "the baseline is incomplete: 1 of its tests not judged" in gate(
        run, "max_new_violations=0", baseline=unjudged
    ).reasons  # fmt: skip
    alone = gate(run, "no_significant_drop=0.05", "max_drop=0.1", "non_inferiority=0.1", "max_new_violations=0")
    assert alone.decision == "incomplete"
    assert [c.verdict for c in alone.conditions] == ["not_evaluated"] * 4
    assert alone.reasons == ("there is no baseline to compare with",)


def test_conditions_without_a_baseline_do_not_mind_a_foreign_one() -> None:
    run = one_relation(0, 10)
    assert gate(run, "min.option_clone=1", baseline=replace(run, suite="other")).decision == "passed"


# Against a baseline


def test_largest_drop_is_met_exactly() -> None:
    before, now = one_relation(1, 10), one_relation(3, 10)
    assert gate(now, "max_drop.option_clone=0.2", baseline=before).decision == "passed"
    found = gate(now, "max_drop.option_clone=0.19", baseline=before)
    assert found.decision == "failed"
    line = only(found)
    assert line.change == pytest.approx(-0.2)
    assert line.changed == 2
    assert line.text.startswith("max_drop option_clone: failed; 0.9000 to 0.7000 is a drop of 0.200 [")
    assert line.text.endswith("at most 0.190, 10 tests (descriptive, carries no error level)")


def test_new_violations_are_counted_not_netted() -> None:
    before = gated([result("option_clone", f"c{i}", "violated" if i < 3 else "held") for i in range(10)])
    now = gated([result("option_clone", f"c{i}", "violated" if i >= 7 else "held") for i in range(10)])
    assert gate(now, "max_drop.option_clone=0", baseline=before).decision == "passed"
    assert gate(now, "max_new_violations=2", baseline=before).decision == "failed"


def test_a_run_against_itself_passes_and_says_what_it_could_not_have_shown() -> None:
    run, _ = two_runs(QUIET.pair(MINI.layout, np.random.default_rng(0)))
    found = gate(run, "no_significant_drop=0.05", "non_inferiority=0.02", "max_drop=0", baseline=run)
    assert found.decision == "passed"
    assert found.reasons == ()
    drops = [c for c in found.conditions if c.name.startswith("no_significant_drop")]
    assert [c.name.split()[1] for c in drops] == ["overall", "REP", "BAT", "MEA", "LOG", "CHO"]
    assert all("with fewer than 5 changed cases p cannot reach 0.05" in c.text for c in drops)


def test_a_large_drop_in_one_dimension_is_found_there() -> None:
    columns = [i for i, d in enumerate(MINI.layout.dimensions) if d == "REP"]
    pairs = QUIET.pair(MINI.layout, np.random.default_rng(1), drop=0.3, columns=columns)
    before, now = two_runs(pairs)
    found = gate(now, "no_significant_drop=0.05", baseline=before)
    assert found.decision == "failed"
    verdicts = {c.name.split()[1]: c.verdict for c in found.conditions}
    assert verdicts["REP"] == "failed"
    assert (verdicts["BAT"], verdicts["CHO"]) == ("passed", "passed")
    line = next(c for c in found.conditions if c.name.endswith("REP"))
    assert line.value is not None
    assert line.p is not None
    assert line.p < line.value <= 0.05 == line.limit
    assert line.interval is not None
    assert line.interval.high < 0


def test_named_scores_form_their_own_family() -> None:
    before, now = one_relation(0, 10), one_relation(5, 10)
    line = only(gate(now, "no_significant_drop.scores=option_clone", baseline=before))
    assert line.value == line.p == pytest.approx(2.0**-5)
    assert line.verdict == "failed"
    missing = only(gate(now, "no_significant_drop.scores=batch_solo", baseline=before))
    assert missing.verdict == "not_evaluated"


def test_four_cases_can_never_fail_a_test_at_five_percent() -> None:
    results = [result("option_clone", f"c{i}", "held", key) for i in range(4) for key in "ab"]
    worse = [result(r.id.relation, r.id.case_id, "violated", r.id.key) for r in results]
    found = gate(gated(worse), "no_significant_drop=0.05", baseline=gated(results))
    assert found.decision == "failed"
    assert only(found).verdict == "too_few"
    assert "4 cases cannot give a p-value that fails" in only(found).text


def test_a_margin_under_what_the_cases_can_show() -> None:
    run = one_relation(0, 24)
    small = evaluate_gate(margin(0.10), run, run)
    assert small.decision == "failed"
    line = only(small)
    assert line.verdict == "too_few"
    assert "24 cases cannot show a margin under 0.1173" in line.text
    assert "about 62 cases are needed, assuming that 0.1 of the tests differ between two runs" in line.text
    assert evaluate_gate(margin(0.12), run, run).decision == "passed"


def margin(value: float, score: str = "option_clone") -> GateConfig:
    return GateConfig(non_inferiority=NonInferiority((Limit(score, value),)))


def test_graded_scores_are_tested_by_a_fixed_sample() -> None:
    before, now = two_runs(LOUD.pair(MINI.layout, np.random.default_rng(2), drop=0.2))
    lines = [gate(now, "no_significant_drop.graded=true", baseline=before).lines for _ in range(2)]
    assert lines[0] == lines[1]
    assert "no_significant_drop graded overall: failed" in lines[0][1]
    assert "sampled" in lines[0][1]


# Early decisions


def early(drop: float, seed: int, model: NoisyModel = QUIET) -> tuple[GatedRun, GatedRun]:
    pairs = model.pair(MINI.layout, np.random.default_rng(seed), drop=drop)
    return two_runs(pairs, MINI.domains, stop_when_decided=True)


def test_a_run_that_stopped_when_decided_has_failed() -> None:
    before, now = early(0.3, 3)
    whole = gate(now, "no_significant_drop=0.05", "min=0.1", baseline=before)
    assert whole.decided_early is not None
    asked = whole.decided_early.cases
    assert asked < 120
    cases = [c for turn in range(20) for c in MINI.layout.cases[turn::20]]
    kept = set(cases[:asked])
    cut = tuple(
        row if row.case_id in kept else row._replace(verdict="unjudged", graded=None, reason="lost") for row in now.rows
    )
    stopped = gate(replace(now, rows=cut, decided_early=True), "no_significant_drop=0.05", "min=0.1", baseline=before)
    assert stopped == whole
    assert stopped.decision == "failed"
    assert stopped.exit_status == 1
    assert [c.verdict for c in stopped.conditions] == ["failed"] + ["not_evaluated"] * 6
    assert stopped.reasons[0].startswith(f"decided early: {whole.decided_early.score} dropped; after {asked} of 240")


def test_a_run_to_its_end_is_tested_at_what_is_left_of_the_level() -> None:
    before, now = early(0.0, 4)
    found = gate(now, "no_significant_drop=0.05", baseline=before)
    assert found.decided_early is None
    assert [c.limit for c in found.conditions] == [pytest.approx(0.04)] * 6
    plain = gate(replace(now, stop_when_decided=False), "no_significant_drop=0.05", baseline=before)
    assert {c.limit for c in plain.conditions} == {0.05}
