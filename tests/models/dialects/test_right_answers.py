"""What each dialect sends to a server that is strict about it, and reads from right answers."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from pytest_jevbench.answers import read_answers
from pytest_jevbench.models.checking import check_model
from pytest_jevbench.models.dialects import DIALECT_NAMES
from pytest_jevbench.models.http_model import HttpModel
from pytest_jevbench.models.protocol import Usage
from tests.models.dialects.conftest import ASKED
from tests.servers import dialects
from tests.servers.scripted import ScriptedServer, Step, reply, right

SPOKEN: dict[str, Step] = {
    "systemone": right(),
    "list": dialects.list_form(),
    "decisions": dialects.decisions(),
    "openai-decisions": dialects.openai_decisions(),
    "openai": dialects.chat(),
}
THIRD = 1 / 3


def test_every_dialect_has_a_server_here() -> None:
    assert tuple(SPOKEN) == DIALECT_NAMES


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
def test_right_answers_are_read(speak: Callable[..., HttpModel], dialect: str) -> None:
    with ScriptedServer([SPOKEN[dialect]]) as server:
        model = speak(dialect, server.url)
        read = read_answers(ASKED.questions, model.ask(ASKED).answers)
        assert check_model(model).ok
    assert read["00"].distribution == {"false": 0.75, "true": 0.25}
    assert read["welcher Teil"].distribution == pytest.approx({"lid": THIRD, "cup": THIRD, "10": THIRD})
    assert read["s"].distribution == pytest.approx({"0": THIRD, "1": THIRD, "2": THIRD})
    assert list(read["welcher Teil"].distribution or ()) == ["lid", "cup", "10"]
    assert not [note for one in read.values() for note, _ in one.notes if note not in ("no_confidence",)]


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
def test_one_request_a_batch(speak: Callable[..., HttpModel], dialect: str) -> None:
    with ScriptedServer([SPOKEN[dialect]]) as server:
        speak(dialect, server.url).ask(ASKED)
    assert len(server.asked) == 1


@pytest.mark.parametrize(
    ("dialect", "tail"),
    [
        ("list", "/decide"),
        ("decisions", "/v1/decisions"),
        ("openai-decisions", "/v1/decisions"),
        ("openai", "/v1/chat/completions"),
    ],
)
def test_where_it_is_asked(speak: Callable[..., HttpModel], dialect: str, tail: str) -> None:
    def address(url: str) -> str:
        return speak(dialect, url).address

    assert address("http://h") == address("http://h/") == f"http://h{tail}"
    assert address(f"https://h/api{tail}/?v=2") == f"https://h/api{tail}?v=2"
    if tail.startswith("/v1"):
        assert address("http://h/v1/") == f"http://h{tail}"
        assert address("https://h/openai/v1") == f"https://h/openai{tail}"


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
def test_the_single_listed_name_is_used(speak: Callable[..., HttpModel], dialect: str) -> None:
    with ScriptedServer([SPOKEN[dialect]], get=reply({"data": [{"id": "only"}]})) as server:
        model = speak(dialect, server.url, model=None)
        model.ask(ASKED)
    assert [asked.path for asked in server.got] == ["/v1/models"]
    assert server.asked[0].json["model"] == "only"
    assert (model.identity.dialect, model.identity.name) == (dialect, "only")


def test_the_list_form_keeps_ids_and_order(speak: Callable[..., HttpModel]) -> None:
    with ScriptedServer([dialects.list_form(model="m-2", usage={"input_tokens": 7, "output_tokens": 3})]) as server:
        reply = speak("list", server.url).ask(ASKED)
    assert server.asked[0].json == {
        "model": "m",
        "state": {"text": "Der Deckel hat einen Sprung."},
        "questions": [
            {"id": "00", "type": "noul", "instructions": "Is it broken?"},
            {
                "id": "welcher Teil",
                "type": "choice",
                "instructions": "Which part?",
                "criteria": {"lid": "The cover", "cup": "The vessel", "10": "None of them"},
            },
            {"id": "s", "type": "score", "instructions": "How bad?", "criteria": ["not", "somewhat", "very"]},
        ],
    }
    assert (reply.model, reply.usage) == ("m-2", Usage(7, 3))


def test_openai_decisions_sends_a_list_and_the_state_as_text(speak: Callable[..., HttpModel]) -> None:
    with ScriptedServer([dialects.openai_decisions(model="d-1")]) as server:
        assert speak("openai-decisions", server.url).ask(ASKED).model == "d-1"
    assert server.asked[0].json == {
        "model": "m",
        "input": '{"text":"Der Deckel hat einen Sprung."}',
        "questions": [
            {"type": "predicate", "name": "00", "instructions": "Is it broken?"},
            {
                "type": "choice",
                "name": "welcher Teil",
                "instructions": "Which part?",
                "choices": [
                    {"value": "lid", "description": "The cover"},
                    {"value": "cup", "description": "The vessel"},
                    {"value": "10", "description": "None of them"},
                ],
            },
            {
                "type": "score",
                "name": "s",
                "instructions": "How bad?",
                "levels": [{"label": "not"}, {"label": "somewhat"}, {"label": "very"}],
            },
        ],
    }


def test_the_chat_request_holds_the_whole_request_and_its_schema(speak: Callable[..., HttpModel]) -> None:
    with ScriptedServer([dialects.chat()]) as server:
        reply = speak("openai", server.url).ask(ASKED)
    body = server.asked[0].json
    assert list(body) == ["model", "messages", "response_format", "temperature"]
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert body["messages"][1]["content"] == ASKED.body_text()
    number = {"type": "number"}

    def an_object(**properties: object) -> dict[str, object]:
        names = list(properties)
        return {"type": "object", "properties": properties, "required": names, "additionalProperties": False}

    options = {
        "00": an_object(noul=number),
        "welcher Teil": an_object(probabilities=an_object(lid=number, cup=number, **{"10": number})),
        "s": an_object(probabilities=an_object(**{"0": number, "1": number, "2": number})),
    }
    schema = body["response_format"]["json_schema"]["schema"]
    assert json.dumps(schema) == json.dumps(an_object(answers=an_object(**options)))  # with the order
    assert (reply.model, reply.usage) == ("chat-1", Usage(100, 20))
