"""Judging a test from answers, without pytest and without a model."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest

from pytest_jevbench.distributions import Distribution
from pytest_jevbench.plans.plan import PlannedTest, TestId
from pytest_jevbench.questions import Case, Choice, Noul, Request
from pytest_jevbench.relations.base import SourceCase
from pytest_jevbench.relations.registry import RELATIONS, get
from pytest_jevbench.rewrite_bank import RewriteBank
from pytest_jevbench.runs.answered import Answered, Answers, Unanswered
from pytest_jevbench.runs.judge import judge, requests_of, uniform_answers

CASE = Case(
    "c",
    "The pump failed.",
    {
        "failed": Noul("Did the pump fail?"),
        "late": Noul("Was the delivery late?"),
        "part": Choice("Which part?", {"pump": "The pump", "valve": "The valve", "motor": "The motor"}),
    },
)
BASE: dict[str, Distribution] = {
    "failed": {"false": 0.1, "true": 0.9},
    "late": {"false": 0.6, "true": 0.4},
    "part": {"pump": 0.6, "valve": 0.3, "motor": 0.1},
}


def planned(relation: str, key: str, *variants: int) -> PlannedTest:
    source = SourceCase(CASE, RewriteBank())
    trials = tuple(get(relation).build(source, key, variant, 0, 0) for variant in variants or (0,))
    return PlannedTest(TestId(relation, "c", key), trials)


def answers(distributions: Mapping[str, Distribution], **problems: str) -> Answers:
    return Answers(distributions, problems, {})


def keeping_base(request: Request) -> Answers:
    """A follow-up that repeats the base answers and gives every other question 0.5."""
    return answers({key: BASE.get(key, {"false": 0.5, "true": 0.5}) for key in request.questions})


def test_a_repeated_answer_is_held_with_deviation_zero() -> None:
    result = judge(planned("batch_solo", "part"), CASE, answers(BASE), keeping_base)
    assert (result.verdict, result.check) == ("held", "tv")
    assert [(o.deviation, o.flip, o.tolerance, o.tolerance_kind) for o in result.outcomes] == [
        (0.0, False, 0.05, "noise")
    ]


def test_a_moved_answer_is_violated_by_its_total_variation() -> None:
    moved = {"part": {"pump": 0.2, "valve": 0.7, "motor": 0.1}}
    result = judge(planned("batch_solo", "part"), CASE, answers(BASE), lambda _: answers(moved))
    assert result.verdict == "violated"
    assert result.outcomes[0].deviation == pytest.approx(0.4, abs=1e-12)
    assert result.outcomes[0].flip is True
    assert result.graded == pytest.approx(1 - 0.35 / 0.95)


@pytest.mark.parametrize(("gap", "verdict"), [(0.05, "held"), (0.05 + 5e-10, "held"), (0.0501, "violated")])
def test_the_tolerance_has_slack_for_float_noise_alone(gap: float, verdict: str) -> None:
    def follow_up(request: Request) -> Answers:
        probe = list(request.questions)[-1]
        return answers({**BASE, probe: {"false": 0.9 - gap, "true": 0.1 + gap}})

    assert judge(planned("negation_wrapper", "failed"), CASE, answers(BASE), follow_up).verdict == verdict


def test_variants_are_judged_together_and_the_worst_counts() -> None:
    test = planned("negation_wrapper", "failed", 0, 1, 2)
    values = iter([0.1, 0.3, 0.12])

    def follow_up(request: Request) -> Answers:
        probe, p = list(request.questions)[-1], next(values)
        return answers({**BASE, probe: {"false": 1 - p, "true": p}})

    result = judge(test, CASE, answers(BASE), follow_up)
    assert [o.violated for o in result.outcomes] == [False, True, False]
    assert result.verdict == "violated"
    assert result.graded == pytest.approx(1 - 0.15 / 0.95)


def test_an_answer_that_cannot_be_read_leaves_the_test_unjudged_only_where_the_law_needs_it() -> None:
    broken = answers({k: v for k, v in BASE.items() if k != "late"}, late="noul is 95, outside [0, 1]")
    result = judge(planned("batch_solo", "late"), CASE, broken, keeping_base)
    assert (result.verdict, result.reason) == ("unjudged", "invalid")
    assert result.message == "late: noul is 95, outside [0, 1]"
    assert judge(planned("batch_solo", "failed"), CASE, broken, keeping_base).verdict == "held"


@pytest.mark.parametrize("reason", ["refused", "unreachable", "over_budget"])
def test_a_request_without_answers_gives_its_reason(reason: str) -> None:
    nothing: Answered = Unanswered(reason, "in the server's words")  # type: ignore[arg-type]
    test = planned("batch_solo", "part")
    for result in (judge(test, CASE, nothing, keeping_base), judge(test, CASE, answers(BASE), lambda _: nothing)):
        assert (result.verdict, result.reason, result.message) == ("unjudged", reason, "in the server's words")
        assert result.graded is None


def test_a_deviation_that_is_not_finite_is_a_violation_with_graded_score_zero() -> None:
    result = judge(
        planned("batch_solo", "failed"),
        CASE,
        answers(BASE),
        lambda _: answers({"failed": {"true": math.nan, "false": 0.0}}),
    )
    assert (result.verdict, result.graded) == ("violated", 0.0)
    assert result.outcomes[0].deviation is None


def test_a_diagnostic_that_has_nothing_to_read_is_not_applicable() -> None:
    result = judge(planned("confidence_consistency", "failed"), CASE, answers(BASE), keeping_base)
    assert (result.verdict, result.outcomes) == ("not_applicable", ())


def test_requests_start_with_the_base_and_keep_the_state() -> None:
    requests = list(requests_of(planned("negation_wrapper", "failed", 0, 1), CASE))
    assert requests[0] == CASE.request()
    assert len(requests) == 3
    assert all(request.state == CASE.state for request in requests)


def test_the_uniform_model_keeps_every_relation_of_one_question_in_another_batch() -> None:
    uniform = uniform_answers(CASE.questions)
    for relation in RELATIONS.values():
        if relation.dimension == "BAT":
            test = planned(relation.name, "failed")
            assert judge(test, CASE, uniform, lambda r: uniform_answers(r.questions)).verdict == "held"
