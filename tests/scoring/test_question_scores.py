"""Outcomes by question, counted by hand."""

from __future__ import annotations

from pytest_jevbench.runs.results import Outcome, TestId, TestResult
from pytest_jevbench.scoring.question_scores import score_questions
from pytest_jevbench.scoring.relation_scores import ScoreSettings


def outcome(deviation: float | None, flip: bool | None, *targets: str) -> Outcome:
    return Outcome(targets, deviation, 0.05, "noise", flip)


def result(relation: str, case: str, key: str, *outcomes: Outcome) -> TestResult:
    verdict = "violated" if any(o.violated for o in outcomes) else "held"
    return TestResult(TestId(relation, case, key), "tv", verdict, outcomes)


RESULTS = [
    result("key_rename", "c1", "a", outcome(0.0, False, "a")),
    result("verbosity", "c1", "a", outcome(0.2, True, "a"), outcome(0.3, False, "a")),
    result("verbosity", "c2", "a", outcome(0.4, False, "a")),
    result("frechet_and_upper", "c1", "a", outcome(0.1, None, "a", "b")),
    result("batch_order", "c1", "a", outcome(0.0, False, "a"), outcome(None, True, "c")),
    TestResult(TestId("key_rename", "c1", "d"), "tv", "unjudged", reason="refused"),
]


def test_outcomes_count_for_the_questions_they_compare() -> None:
    scores = {score.key: score for score in score_questions(RESULTS, ScoreSettings())}
    assert set(scores) == {"a", "b", "c"}
    a = scores["a"]
    assert (a.cases, a.measured, a.violated, a.decisions, a.flips) == (2, 6, 4, 5, 1)
    assert a.violation_rate == 4 / 6
    assert a.flip_rate == 1 / 5
    assert scores["b"].flip_rate is None
    assert (scores["c"].measured, scores["c"].flips) == (1, 1)


def test_the_laws_name_the_test_that_breaks_them_most() -> None:
    [a] = [score for score in score_questions(RESULTS, ScoreSettings()) if score.key == "a"]
    assert [(law.relation, law.violated, law.measured, law.flips) for law in a.laws] == [
        ("verbosity", 3, 3, 1),
        ("frechet_and_upper", 1, 1, 0),
    ]
    assert (a.laws[0].worst.case_id, a.laws[0].deviation) == ("c2", 0.4)
    [c] = [score for score in score_questions(RESULTS, ScoreSettings()) if score.key == "c"]
    assert c.laws[0].deviation is None


def test_the_question_that_turns_most_decisions_comes_first() -> None:
    assert [score.key for score in score_questions(RESULTS, ScoreSettings())] == ["c", "a", "b"]


def test_another_tolerance_counts_again() -> None:
    [a] = [score for score in score_questions(RESULTS, ScoreSettings(tolerance=0.35)) if score.key == "a"]
    assert (a.violated, [law.relation for law in a.laws]) == (1, ["verbosity"])
