"""One request that shows whether a model can be tested."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_jevbench.models.callable import CallableModel
from pytest_jevbench.models.checking import CHECK_REQUEST, check_model
from pytest_jevbench.models.reference import REFERENCE_NAMES, reference_model
from tests.models.conftest import Connect
from tests.servers.scripted import ScriptedServer, answers_for, reply


@pytest.mark.parametrize("name", REFERENCE_NAMES)
def test_a_good_model(name: str) -> None:
    check = check_model(reference_model(name))
    assert check.ok
    assert [(question.key, question.type) for question in check.questions] == [
        ("refund_wanted", "noul"),
        ("team", "choice"),
        ("urgency", "score"),
    ]


def answering(**changes: Any) -> CallableModel:
    """A model whose answers are right but for the changes; None takes an answer away."""

    def model(state: Any, questions: dict[str, Any]) -> dict[str, Any]:
        answers = {**answers_for({"questions": questions}), **changes}
        return {key: value for key, value in answers.items() if value is not None}

    return CallableModel(model)


@pytest.mark.parametrize(
    ("key", "given", "problem"),
    [
        ("refund_wanted", {"type": "noul", "noul": "95%"}, "95%"),
        ("refund_wanted", {"type": "noul", "noul": True}, "true"),
        ("refund_wanted", {"type": "noul"}, "noul"),
        ("team", {"type": "choice", "choice": "sales"}, "probabilities"),
        ("team", {"type": "choice", "probabilities": {"returns": 1.0}}, "delivery"),
        ("urgency", {"type": "score", "probabilities": {"1": 0.5, "2": 0.5, "3": 0}}, "0"),
        ("urgency", None, "no answer under this key"),
    ],
)
def test_a_bad_answer_is_told_by_its_question_with_what_to_send(key: str, given: Any, problem: str) -> None:
    check = check_model(answering(**{key: given}))
    assert not check.ok
    bad = [question for question in check.questions if question.distribution is None]
    assert [question.key for question in bad] == [key]
    assert problem in bad[0].problem
    assert bad[0].advice.startswith(f'Send {{"type": "{bad[0].type}"')


def test_an_oddity_is_a_remark_and_no_problem() -> None:
    check = check_model(answering(team={"probabilities": {"returns": 0.5, "delivery": 0.5, "sales": 0.0, "x": 0.1}}))
    assert check.ok
    assert any("not asked for" in remark for remark in check.questions[1].remarks)


def test_a_noul_needs_no_confidence() -> None:
    assert check_model(answering()).questions[0].remarks == ()


def test_no_reply_at_all_is_the_models_own_words(connect: Connect) -> None:
    with ScriptedServer([reply({"detail": "Unknown model"}, 404)]) as server:
        check = check_model(connect(server.url))
    assert (check.ok, check.reply, check.questions) == (False, None, ())
    assert "Unknown model" in check.problem


def test_an_exception_of_a_function_is_a_problem() -> None:
    def broken(state: Any, questions: dict[str, Any]) -> dict[str, Any]:
        raise KeyError("weights")

    check = check_model(CallableModel(broken))
    assert not check.ok
    assert "KeyError" in check.problem


def test_the_request_holds_one_question_of_each_type() -> None:
    assert [question.type for question in CHECK_REQUEST.questions.values()] == ["noul", "choice", "score"]
