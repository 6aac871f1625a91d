"""A function as a model."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from pytest_jevbench.errors import AnswerFormatError, InputError, ModelDown, ModelError, Refused
from pytest_jevbench.models.callable import CallableModel, named
from pytest_jevbench.models.protocol import Model
from pytest_jevbench.questions import Noul, Request
from tests.models.conftest import ONE_NOUL


def half(state: Any, questions: dict[str, Any]) -> Mapping[str, Any]:
    return {key: {"type": "noul", "noul": 0.5} for key in questions}


def nothing() -> dict[str, Any]:
    return {}


def test_the_function_is_given_plain_json(request_of_all_types: Request) -> None:
    seen: list[Any] = []

    def model(state: Any, questions: dict[str, Any]) -> dict[str, Any]:
        seen.append((state, questions))
        return {}

    CallableModel(model).ask(request_of_all_types)
    state, questions = seen[0]
    assert state == {"text": "The lid is cracked."}
    assert questions == {
        "n": {"type": "noul", "instructions": "Is it broken?"},
        "c": {"type": "choice", "instructions": "Which part?", "criteria": {"lid": "The cover", "cup": "The vessel"}},
        "s": {"type": "score", "instructions": "How bad?", "criteria": ["not", "somewhat", "very"]},
    }
    assert list(questions) == ["n", "c", "s"]
    assert {type(value) for value in (questions, *questions.values())} == {dict}


def test_what_the_function_changes_does_not_leak(request_of_all_types: Request) -> None:
    def vandal(state: Any, questions: dict[str, Any]) -> dict[str, Any]:
        state["text"] = "changed"
        questions["c"]["criteria"].clear()
        questions["s"]["criteria"].append("worst")
        questions.clear()
        return {}

    before = request_of_all_types.body()
    digest = Request(request_of_all_types.state, request_of_all_types.questions).digest
    CallableModel(vandal).ask(request_of_all_types)
    assert request_of_all_types.body() == before
    assert request_of_all_types.digest == digest


def test_numpy_numbers_become_numbers() -> None:
    reply = CallableModel(lambda state, questions: {"n": {"type": "noul", "noul": np.float32(0.5)}}).ask(ONE_NOUL)
    assert reply.answers == {"n": {"type": "noul", "noul": 0.5}}
    assert type(reply.answers["n"]["noul"]) is float
    assert reply.seconds >= 0


@pytest.mark.parametrize("returned", [None, [], 0.5, "text", [{"n": 1}]])
def test_what_is_no_mapping_is_a_format_error(returned: Any) -> None:
    with pytest.raises(AnswerFormatError, match=f"{type(returned).__name__}.*dict with one answer"):
        CallableModel(lambda state, questions: returned).ask(ONE_NOUL)


def test_a_whole_response_is_a_format_error_that_says_so() -> None:
    with pytest.raises(AnswerFormatError, match="whole response"):
        CallableModel(lambda state, questions: {"answers": half(state, questions), "model": "m"}).ask(ONE_NOUL)


def test_a_question_may_be_called_answers() -> None:
    request = Request("x", {"answers": Noul("Is it?")})
    assert CallableModel(half).ask(request).answers == {"answers": {"type": "noul", "noul": 0.5}}


def test_an_exception_becomes_a_model_error_with_type_message_and_place() -> None:
    def inner() -> None:
        raise LookupError("no such label")

    def model(state: Any, questions: dict[str, Any]) -> dict[str, Any]:
        inner()
        return {}

    with pytest.raises(ModelError) as caught:
        CallableModel(model).ask(ONE_NOUL)
    text = str(caught.value)
    assert "LookupError" in text
    assert "no such label" in text
    assert "test_callable.py:" in text
    assert "in inner" in text
    assert isinstance(caught.value.__cause__, LookupError)


def test_a_key_in_an_exception_is_masked() -> None:
    def model(state: Any, questions: dict[str, Any]) -> dict[str, Any]:
        raise ValueError("Incorrect API key provided: sk-test-123")

    with pytest.raises(ModelError) as caught:
        CallableModel(model).ask(ONE_NOUL)
    assert "sk-test-123" not in str(caught.value)


def test_our_own_errors_and_interrupts_pass_through() -> None:
    def refuses(state: Any, questions: dict[str, Any]) -> dict[str, Any]:
        raise Refused("too many questions", status=422)

    def interrupted(state: Any, questions: dict[str, Any]) -> dict[str, Any]:
        raise KeyboardInterrupt

    with pytest.raises(Refused, match=r"^too many questions$"):
        CallableModel(refuses).ask(ONE_NOUL)
    with pytest.raises(KeyboardInterrupt):
        CallableModel(interrupted).ask(ONE_NOUL)


def test_exceptions_in_a_row_mean_that_the_model_is_down() -> None:
    calls = []

    def broken(state: Any, questions: dict[str, Any]) -> dict[str, Any]:
        calls.append(1)
        raise MemoryError("out of memory")

    model = CallableModel(broken, down_after=3)
    raised = []
    for _ in range(5):
        with pytest.raises(ModelError) as caught:
            model.ask(ONE_NOUL)
        raised.append(type(caught.value))
    assert raised == [ModelError, ModelError, ModelDown, ModelDown, ModelDown]
    assert len(calls) == 3


async def answers_later(state: Any, questions: dict[str, Any]) -> Mapping[str, Any]:
    return half(state, questions)


class AsyncObject:
    async def __call__(self, state: Any, questions: dict[str, Any]) -> Mapping[str, Any]:
        return half(state, questions)


@pytest.mark.parametrize("function", [answers_later, functools.partial(answers_later), AsyncObject()])
def test_async_functions_are_refused_with_the_way_out(function: Any) -> None:
    with pytest.raises(InputError, match=r"async.*asyncio\.run"):
        CallableModel(function)


def test_an_awaitable_that_comes_back_is_a_format_error() -> None:
    with pytest.raises(AnswerFormatError, match=r"asyncio\.run"):
        CallableModel(lambda state, questions: answers_later(state, questions)).ask(ONE_NOUL)


@pytest.mark.parametrize(
    "function", [None, 5, "half", {}, nothing, lambda state: {}, lambda a, b, c: {}, lambda *, state: {}]
)
def test_what_cannot_be_called_so_is_refused_before_any_call(function: Any) -> None:
    with pytest.raises(InputError, match=r"state.*questions"):
        CallableModel(function)


@pytest.mark.parametrize(
    "function", [half, functools.partial(half), lambda *a: {}, lambda s, q, extra=1: {}, dict.fromkeys]
)
def test_whatever_takes_two_arguments_is_a_model(function: Any) -> None:
    assert isinstance(CallableModel(function), Model)


def test_a_name_makes_the_answers_worth_keeping() -> None:
    assert named(half, "v1").identity.name == "v1"
    assert named(half, "v1").identity.stable
    unnamed = CallableModel(half).identity
    assert (unnamed.dialect, unnamed.name, unnamed.stable) == ("callable", f"{__name__}.half", False)
    assert CallableModel(functools.partial(half)).identity.name == f"{__name__}.half"


@pytest.mark.parametrize("name", ["", "  ", None, 3])
def test_an_empty_name_is_refused(name: Any) -> None:
    with pytest.raises(InputError, match="name"):
        named(half, name)
