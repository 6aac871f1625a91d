"""The chat client against a scripted server."""

from __future__ import annotations

import pytest

from pytest_jevbench.chat.client import ChatAnswer, ChatModel
from pytest_jevbench.errors import InputError, Refused, Unreachable
from tests.servers.chat import completion, says
from tests.servers.scripted import ScriptedServer, break_body, gzipped, hang_up, reply

TALK = [{"role": "user", "content": "Hello"}]
KEY = "sk-test-12345678"


def ask(url: str, key: str | None = None, retries: int = 4) -> ChatAnswer:
    with ChatModel(url, "m", api_key=key, retries=retries, sleep=lambda _: None) as chat:
        return chat.complete(TALK, 0.5)


@pytest.mark.parametrize("end", ["", "/", "/v1", "/v1/", "/v1/chat/completions", "/v1/chat/completions/"])
def test_every_form_of_the_url_means_one_path(end: str) -> None:
    with ScriptedServer([says("Hi")]) as server:
        assert ask(server.url + end, KEY).content == "Hi"
    (asked,) = server.asked
    assert asked.path == "/v1/chat/completions"
    assert asked.headers["authorization"] == f"Bearer {KEY}"
    assert asked.json == {"model": "m", "messages": TALK, "temperature": 0.5}


def test_another_prefix_and_a_query_are_kept() -> None:
    with ScriptedServer([says("Hi")]) as server:
        ask(server.url + "/openai/chat/completions?api-version=3")
        ask(server.url + "/openai")
    assert [asked.path for asked in server.asked] == [
        "/openai/chat/completions?api-version=3",
        "/openai/v1/chat/completions",
    ]


@pytest.mark.parametrize(
    ("content", "text"),
    [("x", "x"), (None, None), ([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "ab"), (3, None)],
)
def test_contents(content: object, text: str | None) -> None:
    with ScriptedServer([says(content)]) as server:
        assert ask(server.url) == ChatAnswer(text)


def test_a_cut_answer_is_marked() -> None:
    with ScriptedServer([says("half a", "length")]) as server:
        assert ask(server.url) == ChatAnswer("half a", cut=True)


def test_what_may_pass_is_tried_again() -> None:
    script = [
        reply({"error": {"message": "slow down"}}, 429, retry_after="0"),
        reply(b"<html>busy</html>", 200, "text/html"),
        break_body(),
        reply({"error": {"code": 500}}),
        gzipped(completion("Hi")),
    ]
    with ScriptedServer(script) as server:
        assert ask(server.url).content == "Hi"
    assert len(server.asked) == 5


def test_a_refusal_is_final_and_shows_no_key() -> None:
    with (
        ScriptedServer([reply({"error": {"message": f"bad key {KEY}"}}, 401)]) as server,
        pytest.raises(Refused) as error,
    ):
        ask(server.url, KEY)
    assert len(server.asked) == 1
    assert "bad key ***" in str(error.value)


def test_a_server_that_only_hangs_up() -> None:
    with ScriptedServer([hang_up()]) as server, pytest.raises(Unreachable, match="after 3 attempts"):
        ask(server.url, retries=2)


def test_nothing_listens() -> None:
    with ScriptedServer([hang_up()]) as server:
        url = server.url
    with pytest.raises(Unreachable, match="nothing listens there"):
        ask(url)


def test_a_url_that_is_none() -> None:
    with pytest.raises(InputError, match="--url"):
        ask("localhost:80")
