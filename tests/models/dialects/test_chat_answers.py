"""Every wrong answer a chat model may give: read where it is plain what it means, else refused with the reason."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from pytest_jevbench.errors import AnswerFormatError, Refused, Unreachable
from pytest_jevbench.models.http_model import HttpModel
from tests.models.dialects.conftest import ASKED, Ask, Read
from tests.servers.chat import completion, says
from tests.servers.dialects import chat
from tests.servers.scripted import ScriptedServer, reply

PART = {"lid": 0.5, "cup": 0.3, "10": 0.2}
LEVELS = {"0": 0.1, "1": 0.2, "2": 0.7}
RIGHT = {"00": {"noul": 0.25}, "welcher Teil": {"probabilities": PART}, "s": {"probabilities": LEVELS}}
TEXT = json.dumps({"answers": RIGHT})


def answers(**changed: Any) -> dict[str, Any]:
    """Right answers but for some questions; ``part`` stands for the Choice, ``noul`` for the Noul."""
    keys = {"noul": "00", "part": "welcher Teil"}
    return {**RIGHT, **{keys.get(name, name): value for name, value in changed.items()}}


def with_content(content: Any) -> dict[str, Any]:
    return completion(content)


def message(**fields: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"role": "assistant", **fields}, "finish_reason": "stop"}]}


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(TEXT, id="plain"),
        pytest.param(f"\n  {TEXT}\n", id="blanks"),
        pytest.param(f"```json\n{TEXT}\n```", id="fence"),
        pytest.param(f"```\n{TEXT}\n```", id="fence without language"),
        pytest.param(f"<think>The lid is {{broken}}.</think>\n{TEXT}", id="reasoning"),
        pytest.param(f"The lid is {{broken}}, so yes.</think>\n{TEXT}", id="reasoning half marked"),
        pytest.param(
            f"<|channel|>analysis<|message|>{{}}<|end|><|start|>assistant<|channel|>final<|message|>{TEXT}<|return|>",
            id="channels",
        ),
        pytest.param(f"Here are the probabilities:\n\n{TEXT}\n\nTell me if you need more.", id="words around"),
        pytest.param([{"type": "text", "text": TEXT[:20]}, {"type": "text", "text": TEXT[20:]}], id="parts"),
    ],
)
def test_what_is_plain_is_read(read: Read, content: Any) -> None:
    found = read("openai", with_content(content))
    assert found["00"].distribution == {"false": 0.75, "true": 0.25}
    assert found["welcher Teil"].distribution == pytest.approx(PART)
    assert found["s"].distribution == pytest.approx(LEVELS)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (with_content(None), "the answer has no content"),
        (with_content(""), "the answer has no content"),
        (with_content("  \n"), "the answer has no content"),
        (with_content(7), "the answer has no content"),
        (with_content([]), "the answer has no content"),
        (with_content("I cannot say."), "there is no JSON object in the answer"),
        (with_content("[0.25]"), "there is no JSON object in the answer"),
        (with_content(TEXT[:-1]), "not .* exactly one whole JSON object"),
        (with_content(TEXT[: len(TEXT) // 2]), "not .* exactly one whole JSON object"),
        (with_content('```json\n{"answers": {"00": {"noul": 0.25}'), "not .* exactly one whole JSON object"),
        (with_content(f"{TEXT}\n{TEXT}"), "not .* exactly one whole JSON object"),
        (with_content(f"First {{}}, and then: {TEXT}"), "not .* exactly one whole JSON object"),
        (with_content(TEXT.replace(":", "=")), "not .* exactly one whole JSON object"),
        (with_content(TEXT.replace('"', "'")), "not .* exactly one whole JSON object"),
        (with_content(f"<think>Let me see. {TEXT}"), "ends within its reasoning"),
        (with_content("<think>Nothing follows.</think>"), "there is no JSON object"),
        (with_content(json.dumps(RIGHT)), 'no "answers" object'),
        (with_content(json.dumps({"answers": [RIGHT]})), 'no "answers" object'),
        (with_content(json.dumps({"answers": None})), 'no "answers" object'),
        (with_content(TEXT[:-1] + ', "answers": {}}'), 'key "answers" stands twice'),
        (completion(TEXT, finish="length"), "cut at the limit of tokens .*max_completion_tokens"),
        (completion(None, finish="length"), "cut at the limit of tokens"),
        (message(content=None, tool_calls=[{"function": {"name": "decide"}}]), "called a tool instead of answering"),
        (message(content="", function_call={"name": "decide"}), "called a tool instead of answering"),
        (message(), "the answer has no content"),
        ({"choices": []}, '"choices" are empty'),
        ({"choices": None}, "without a choice that has a message"),
        ({"choices": [None]}, "without a choice that has a message"),
        ({"choices": [{"text": TEXT}]}, "without a choice that has a message"),
        ({"answers": RIGHT}, "without a choice that has a message"),
        ({}, "without a choice that has a message"),
        ([], "without a choice that has a message"),
        (None, "without a choice that has a message"),
    ],
)
def test_what_cannot_be_read_is_told(ask: Ask, body: Any, reason: str) -> None:
    with pytest.raises(AnswerFormatError, match=reason):
        ask("openai", reply(json.dumps(body)))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (message(content=None, refusal="I must not judge people."), "refused to answer: I must not judge people"),
        (message(content=TEXT, refusal="No."), "refused to answer: No"),
        (message(content=[{"type": "refusal", "refusal": "Not that."}]), "refused to answer: Not that"),
        (completion(None, finish="content_filter"), "content filter"),
        (completion(TEXT[:10], finish="content_filter"), "content filter"),
    ],
)
def test_a_refusal_is_told_and_not_asked_again(speak: Callable[..., HttpModel], body: Any, reason: str) -> None:
    with ScriptedServer([reply(body)]) as server, pytest.raises(Refused, match=reason) as caught:
        speak("openai", server.url, model=None).ask(ASKED)
    assert len(server.asked) == 1
    assert "model name" not in str(caught.value)  # nothing is wrong with it


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "slow down", "code": 429}},
        {"error": {"message": "slow down"}, "choices": []},
        {"choices": [{"error": {"message": "slow down", "code": 502}, "finish_reason": "error"}]},
        {"choices": [{"message": {"content": None}, "error": {"message": "slow down"}, "finish_reason": "error"}]},
    ],
)
def test_an_error_in_a_200_is_tried_again(speak: Callable[..., HttpModel], body: Any) -> None:
    with ScriptedServer([reply(body), chat()]) as server:
        assert speak("openai", server.url).ask(ASKED).attempts == 2
    with ScriptedServer([reply(body)]) as server, pytest.raises(Unreachable, match="with an error: slow down"):
        speak("openai", server.url, retries=1).ask(ASKED)


@pytest.mark.parametrize(
    ("changed", "question", "problem"),
    [
        ({"noul": {"noul": "0.25"}}, "00", 'is "0.25", not a number'),
        ({"noul": {"noul": "25%"}}, "00", "not a number"),
        ({"noul": {"noul": 25}}, "00", "outside"),
        ({"noul": {"noul": 1.001}}, "00", "outside"),
        ({"noul": {"noul": -0.2}}, "00", "outside"),
        ({"noul": {"noul": True}}, "00", "is true, not a number"),
        ({"noul": {"noul": None}}, "00", "is null, not a number"),
        ({"noul": {}}, "00", 'no "noul" field'),
        ({"noul": {"probability": 0.3}}, "00", 'no "noul" field'),
        ({"noul": 0.3}, "00", "not an object"),
        ({"noul": None}, "00", "not an object"),
        ({"noul": [0.3]}, "00", "not an object"),
        ({"noul": {"refusal": "I will not."}}, "00", "refused to answer this question: .I will not"),
        ({"part": {"probabilities": {"lid": 0.5, "cup": 0.5}}}, "welcher Teil", 'no probability for option "10"'),
        ({"part": {"probabilities": {}}}, "welcher Teil", "no probability for option"),
        ({"part": {"probabilities": {"Lid": 0.5, "Cup": 0.3, "10": 0.2}}}, "welcher Teil", 'option "lid"'),
        ({"part": {"probabilities": dict.fromkeys(PART, 0)}}, "welcher Teil", "all probabilities are 0"),
        ({"part": {"probabilities": {**PART, "lid": 50}}}, "welcher Teil", "outside"),
        ({"part": {"probabilities": {**PART, "lid": "high"}}}, "welcher Teil", "not a number"),
        ({"part": {"probabilities": list(PART.values())}}, "welcher Teil", "not an object"),
        ({"part": {"choice": "lid"}}, "welcher Teil", '"probabilities" is null'),
        ({"part": PART}, "welcher Teil", '"probabilities" is null'),
        ({"s": {"probabilities": {"0": 0.1, "1": 0.9}}}, "s", 'no probability for level "2"'),
        ({"s": {"probabilities": {"0": 0.1, "somewhat": 0.2, "2": 0.7}}}, "s", "mixed"),
        ({"s": {"score": 1.6}}, "s", '"probabilities" is null'),
    ],
)
def test_one_answer_out_of_the_format_leaves_the_others(
    read: Read, changed: dict[str, Any], question: str, problem: str
) -> None:
    found = read("openai", with_content(json.dumps({"answers": answers(**changed)})))
    assert found[question].distribution is None
    assert re.search(problem, found[question].problem), found[question].problem
    assert all(found[key].distribution is not None for key in ASKED.questions if key != question)


@pytest.mark.parametrize("value", ["NaN", "Infinity", "-Infinity", "1e400"])
def test_a_number_that_is_none(read: Read, value: str) -> None:
    found = read("openai", with_content(TEXT.replace("0.25", value)))
    assert "not a finite number" in found["00"].problem
    assert found["s"].distribution is not None


@pytest.mark.parametrize(
    ("text", "question", "key"),
    [
        (TEXT.replace('{"noul": 0.25}', '{"noul": 0.25, "noul": 0.75}'), "00", "noul"),
        (TEXT.replace('{"lid": 0.5', '{"lid": 0.1, "lid": 0.5'), "welcher Teil", "lid"),
        (TEXT.replace('{"00": {"noul": 0.25}', '{"00": {"noul": 0.9}, "00": {"noul": 0.25}'), "00", "00"),
    ],
)
def test_a_key_that_stands_twice(read: Read, text: str, question: str, key: str) -> None:
    assert text != TEXT
    found = read("openai", with_content(text))
    assert f'"{key}" stands twice in the answer' in found[question].problem
    assert found["s"].distribution is not None


def test_an_answer_that_is_missing_or_under_another_key(read: Read) -> None:
    wrong = {"0": RIGHT["00"], "Welcher Teil": RIGHT["welcher Teil"], "s": RIGHT["s"]}
    found = read("openai", with_content(json.dumps({"answers": wrong})))
    assert {found[key].problem for key in ("00", "welcher Teil")} == {"no answer under this key"}
    assert found["s"].distribution is not None


def test_what_is_there_beside_is_left_out_and_counted(read: Read) -> None:
    extra = answers(part={"probabilities": {**PART, "handle": 0.4}, "why": "It says so"}, more={"noul": 1})
    found = read("openai", with_content(json.dumps({"answers": extra, "reasoning": "Because."})))
    assert found["welcher Teil"].distribution == pytest.approx(PART)
    assert ("extra_options", '"handle"') in found["welcher Teil"].notes
    assert set(found) == set(ASKED.questions)


@pytest.mark.parametrize(
    ("given", "expected", "note"),
    [
        ((0.33, 0.33, 0.33), (1 / 3, 1 / 3, 1 / 3), "rounded_sum"),
        ((0.5, 0.5, 0.18), (0.5 / 1.18, 0.5 / 1.18, 0.18 / 1.18), "unnormalised"),
        ((0.2, 0.1, 0.1), (0.5, 0.25, 0.25), "unnormalised"),
    ],
)
def test_sums_are_read_as_those_of_any_model(
    read: Read, given: tuple[float, ...], expected: tuple[float, ...], note: str
) -> None:
    part = {"probabilities": dict(zip(PART, given, strict=True))}
    found = read("openai", with_content(json.dumps({"answers": answers(part=part)})))["welcher Teil"]
    assert tuple((found.distribution or {}).values()) == pytest.approx(expected)
    assert note in [name for name, _ in found.notes]


@pytest.mark.parametrize("status", [400, 401, 404, 422])
def test_a_refused_request_shows_the_servers_words(ask: Ask, status: int) -> None:
    body = {"error": {"message": "temperature is not supported with this model", "type": "invalid_request_error"}}
    with pytest.raises(Refused, match="temperature is not supported"):
        ask("openai", reply(body, status))


def test_a_key_is_not_shown_although_the_model_repeats_it(speak: Callable[..., HttpModel]) -> None:
    with ScriptedServer([says("My key is sk-test-123.")]) as server, pytest.raises(AnswerFormatError) as caught:
        speak("openai", server.url, api_key="sk-test-123").ask(ASKED)
    assert server.asked[0].headers["authorization"] == "Bearer sk-test-123"
    assert "My key is ***." in str(caught.value)
