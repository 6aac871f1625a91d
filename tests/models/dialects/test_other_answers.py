"""What servers of the list form and of the two decisions forms may get wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from pytest_jevbench.errors import AnswerFormatError, Refused, Unreachable
from pytest_jevbench.models.http_model import HttpModel
from tests.models.dialects.conftest import ASKED, Ask, Read
from tests.servers.scripted import ScriptedServer, reply

PART = {"lid": 0.5, "cup": 0.3, "10": 0.2}
LEVELS = {"0": 0.1, "1": 0.2, "2": 0.7}
NATIVE: dict[str, dict[str, Any]] = {
    "00": {"type": "noul", "noul": 0.25},
    "welcher Teil": {"type": "choice", "probabilities": PART},
    "s": {"type": "score", "probabilities": LEVELS},
}
LISTED: list[dict[str, Any]] = [{"id": key, **answer} for key, answer in NATIVE.items()]


def entries(values: dict[str, float]) -> list[dict[str, Any]]:
    return [{"value": value, "probability": p} for value, p in values.items()]


TYPED: list[dict[str, Any]] = [
    {"type": "predicate", "name": "00", "probability": 0.25},
    {"type": "choice", "name": "welcher Teil", "choice": "lid", "probabilities": entries(PART), "confidence": 0.2},
    {
        "type": "score",
        "name": "s",
        "score": 1.6,
        "probabilities": [{"value": int(i), "label": "x", "probability": p} for i, p in LEVELS.items()],
    },
]


def assert_right(found: Any) -> None:
    assert found["00"].distribution == {"false": 0.75, "true": 0.25}
    assert found["welcher Teil"].distribution == pytest.approx(PART)
    assert found["s"].distribution == pytest.approx(LEVELS)


def without(answer: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in answer.items() if name not in names}


@pytest.mark.parametrize(
    "body",
    [
        {"answers": LISTED},
        {"answers": LISTED[::-1]},
        LISTED,
        {"answers": [without(answer, "id") for answer in LISTED]},
        {"answers": NATIVE},
        {"answers": [*LISTED, {"id": "more", "noul": 2}, {"noul": 3}, None]},
        {"answers": LISTED, "error": None},
    ],
    ids=["ids", "any order", "bare list", "no ids", "an object", "more than asked", "empty error"],
)
def test_list_answers_that_are_plain(read: Read, body: Any) -> None:
    assert_right(read("list", body))


@pytest.mark.parametrize(
    "body",
    [
        {"answers": TYPED},
        {"answers": TYPED[::-1]},
        {"answers": [{**answer, "name": None} for answer in TYPED]},
        {"answers": TYPED, "usage": {"input_tokens": 5, "output_tokens": 0, "total_tokens": 5}},
    ],
    ids=["names", "any order", "no names", "usage"],
)
def test_openai_decisions_answers_that_are_plain(read: Read, body: Any) -> None:
    assert_right(read("openai-decisions", body))


@pytest.mark.parametrize("dialect", ["list", "decisions", "openai-decisions"])
@pytest.mark.parametrize("body", [{}, None, "yes", 7, {"answers": None}, {"answers": "yes"}, {"answer": []}])
def test_what_is_no_response(ask: Ask, dialect: str, body: Any) -> None:
    with pytest.raises(AnswerFormatError, match='"answers"'):
        ask(dialect, reply(json.dumps(body)))


@pytest.mark.parametrize(("dialect", "answers"), [("list", LISTED), ("openai-decisions", TYPED)])
@pytest.mark.parametrize("count", [0, 2, 4])
def test_too_few_or_too_many_without_names(ask: Ask, dialect: str, answers: list[Any], count: int) -> None:
    nameless = [without(answer, "id", "name") for answer in [*answers, answers[0]]][:count]
    with pytest.raises(AnswerFormatError, match=f"{count} answers without (id|name) to 3 questions"):
        ask(dialect, reply({"answers": nameless}))


@pytest.mark.parametrize("dialect", ["list", "decisions", "openai-decisions"])
@pytest.mark.parametrize(
    "body",
    [{"error": {"message": "slow down"}}, {"error": "slow down", "answers": []}, {"error": {"detail": "slow down"}}],
)
def test_an_error_in_a_200_is_tried_again(speak: Callable[..., HttpModel], dialect: str, body: Any) -> None:
    with ScriptedServer([reply(body)]) as server, pytest.raises(Unreachable, match="with an error: slow down"):
        speak(dialect, server.url, retries=2).ask(ASKED)
    assert len(server.asked) == 3


@pytest.mark.parametrize("dialect", ["list", "decisions", "openai-decisions"])
def test_a_refused_request(ask: Ask, dialect: str) -> None:
    with pytest.raises(Refused, match="at most 2 questions"):
        ask(dialect, reply({"detail": "at most 2 questions"}, 422))


@pytest.mark.parametrize(
    ("dialect", "answers"), [("list", LISTED), ("openai-decisions", TYPED)], ids=["list", "openai-decisions"]
)
def test_one_key_claimed_twice_is_invalid_for_it(read: Read, dialect: str, answers: list[Any]) -> None:
    found = read(dialect, {"answers": [*answers, answers[0]]})
    assert 'key "00" stands twice' in found["00"].problem
    assert found["s"].distribution is not None


@pytest.mark.parametrize("dialect", ["list", "decisions", "systemone"])
def test_a_question_that_stands_twice_in_an_object_is_invalid_for_it(read: Read, dialect: str) -> None:
    text = json.dumps({"answers": NATIVE}).replace('{"00": {', '{"00": {"noul": 0.9}, "00": {')
    found = read(dialect, text)
    assert 'key "00" stands twice' in found["00"].problem
    assert found["s"].distribution is not None


@pytest.mark.parametrize("dialect", ["list", "decisions"])
def test_answers_without_probabilities_state_no_distribution(read: Read, dialect: str) -> None:
    bare = {
        "00": {"type": "noul", "noul": 0.25},
        "welcher Teil": {"type": "choice", "choice": "lid", "confidence": 0.9},
        "s": {"type": "score", "score": 1.6},
    }
    found = read(dialect, {"answers": bare})
    assert found["00"].distribution is not None
    assert [found[key].distribution for key in ("welcher Teil", "s")] == [None, None]
    assert '"probabilities" is null' in found["s"].problem


@pytest.mark.parametrize(
    ("place", "answer", "problem"),
    [
        (0, {"type": "refusal", "name": "00"}, "refused to answer this question"),
        (1, {"type": "refusal", "name": "welcher Teil", "refusal": "No."}, 'refused to answer this question: "No."'),
        (0, {"type": "predicate", "name": "00"}, 'no "noul" field'),
        (0, {"type": "predicate", "name": "00", "probability": "0.3"}, "not a number"),
        (0, {"type": "predicate", "name": "00", "probability": 30}, "outside"),
        (0, {"type": "predicate", "name": "00", "probability": None}, "is null"),
        (1, {"type": "choice", "name": "welcher Teil", "choice": "lid"}, '"probabilities" is null'),
        (1, {"type": "choice", "name": "welcher Teil", "probabilities": []}, "no probability for option"),
        (1, {"type": "choice", "name": "welcher Teil", "probabilities": entries({"lid": 1.0})}, 'option "cup"'),
        (1, {"type": "choice", "name": "welcher Teil", "probabilities": [0.5, 0.3, 0.2]}, "not an object"),
        (1, {"type": "choice", "name": "welcher Teil", "probabilities": [{"value": True}]}, "not an object"),
        (1, {"type": "choice", "name": "welcher Teil", "probabilities": [{"value": "lid"}, None]}, "not an object"),
        (
            1,
            {"type": "choice", "name": "welcher Teil", "probabilities": [*entries(PART), *entries({"cup": 0.1})]},
            'option "cup" stands twice',
        ),
        (
            1,
            {"type": "choice", "name": "welcher Teil", "probabilities": [{"value": option} for option in PART]},
            "is null, not a number",
        ),
        (2, {"type": "score", "name": "s", "probabilities": entries({"0": 0.5, "1": 0.5})}, 'level "2"'),
    ],
)
def test_one_openai_decisions_answer_out_of_the_format(
    read: Read, place: int, answer: dict[str, Any], problem: str
) -> None:
    found = read("openai-decisions", {"answers": [*TYPED[:place], answer, *TYPED[place + 1 :]]})
    keys = list(ASKED.questions)
    assert problem in found[keys[place]].problem
    assert found[keys[place]].distribution is None
    assert all(found[key].distribution is not None for key in keys if key != keys[place])


def test_nan_and_doubled_keys_inside_an_array(read: Read) -> None:
    text = json.dumps({"answers": TYPED})
    assert "not a finite number" in read("openai-decisions", text.replace("0.25", "NaN"))["00"].problem
    doubled = text.replace('{"value": "cup", ', '{"value": "cup", "value": "cup", ')
    assert 'option "cup" stands twice' in read("openai-decisions", doubled)["welcher Teil"].problem
