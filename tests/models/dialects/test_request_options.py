"""Further fields of a request to a chat model: how they are given, sent and recorded."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.models.dialects import dialect_of
from pytest_jevbench.models.dialects.chat_options import longest_output, request_options
from pytest_jevbench.models.http_model import HttpModel
from tests.models.dialects.conftest import ASKED
from tests.servers.chat import says
from tests.servers.dialects import chat
from tests.servers.scripted import ScriptedServer, Step, reply

PLACE = Place(field="--request-options")


def sent(speak: Callable[..., HttpModel], options: Any, step: Step) -> Any:
    with ScriptedServer([step]) as server:
        speak("openai", server.url, options).ask(ASKED)
    return server.asked[0].json


def test_fields_are_added_replaced_and_taken_out(speak: Callable[..., HttpModel]) -> None:
    options = {"temperature": 0.7, "reasoning": {"effort": "low"}, "seed": 7}
    body = sent(speak, options, chat())
    assert {name: body[name] for name in options} == options
    assert "temperature" not in sent(speak, {"temperature": None}, chat())
    assert sent(speak, None, chat())["temperature"] == 0


def test_the_schema_can_be_replaced_or_taken_out(speak: Callable[..., HttpModel]) -> None:
    step = says('{"answers": {}}')
    assert sent(speak, {"response_format": {"type": "json_object"}}, step)["response_format"] == {"type": "json_object"}
    assert "response_format" not in sent(speak, {"response_format": None}, step)


@pytest.mark.parametrize(
    ("options", "recorded"),
    [
        ({}, {"temperature": 0}),
        ({"seed": 7, "temperature": None}, {"seed": 7}),
        ({"response_format": None}, {"response_format": None, "temperature": 0}),
        ({"b": {"d": 1, "c": 2}, "a": 3}, {"a": 3, "b": {"c": 2, "d": 1}, "temperature": 0}),
    ],
)
def test_what_is_sent_is_recorded_in_one_order(options: dict[str, Any], recorded: dict[str, Any]) -> None:
    details = dialect_of("openai", options).details
    assert details["request_options"] == json.dumps(recorded, separators=(",", ":"))
    assert details["probs_source"] == "verbalised"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON"),
        ("temperature=0", "not JSON"),
        ("[1]", r"found \[1\]. Give a JSON object"),
        ("null", "found null. Give a JSON object"),
        ('{"temperature": NaN}', "not JSON"),
        ('{"seed": 1, "seed": 2}', "stands twice"),
        ('{"model": "x"}', "'model' cannot be set here. Name it as the model"),
        ('{"messages": []}', "'messages' cannot be set here"),
        ('{"stream": true}', "'stream' cannot be set here"),
        ('{"n": 3}', "'n' cannot be set here"),
        ('{"user": "\\ud800"}', "lone surrogate"),
        ('{"user": "sk-live-abc123def456"}', "something like a key.*JEVBENCH_API_KEY"),
        ('{"a": [{"b": "Bearer abc123def456"}]}', "something like a key"),
    ],
)
def test_what_cannot_be_sent_is_refused(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        request_options(text, PLACE)
    assert str(caught.value).startswith("--request-options: ")
    assert "abc123" not in str(caught.value)


def test_other_dialects_have_no_further_fields() -> None:
    with pytest.raises(InputError, match=r'found \["seed"\], and the dialect list has no further fields'):
        dialect_of("list", {"seed": 1})


def test_a_name_that_is_no_dialect() -> None:
    with pytest.raises(InputError, match="Give one of systemone, list, decisions, openai-decisions, openai"):
        dialect_of("openrouter")


@pytest.mark.parametrize(
    ("options", "limit"),
    [
        ({}, None),
        ({"max_tokens": 500}, 500),
        ({"max_completion_tokens": 900}, 900),
        ({"max_tokens": 500, "max_completion_tokens": 900}, 900),
        ({"max_tokens": None}, None),
        ({"max_tokens": True}, None),
        ({"max_tokens": 0}, None),
        ({"max_tokens": "500"}, None),
    ],
)
def test_the_limit_of_an_answer(options: dict[str, Any], limit: int | None) -> None:
    assert longest_output(options) == limit


def test_an_unknown_field_is_refused_with_the_servers_words(speak: Callable[..., HttpModel]) -> None:
    body = {"error": {"message": "Unsupported value: 'temperature'", "param": "temperature"}}
    with ScriptedServer([reply(body, 400)]) as server, pytest.raises(Exception, match="Unsupported value"):
        speak("openai", server.url).ask(ASKED)
    assert len(server.asked) == 1
