"""A demo form asked over Gradio's HTTP API: a real local app, and streams as other apps send them."""

from __future__ import annotations

import json
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pytest_jevbench.answers import read_answers
from pytest_jevbench.errors import AnswerFormatError, InputError, Refused, Unreachable
from pytest_jevbench.models.dialects import dialect_of
from pytest_jevbench.models.dialects.gradio_space import stream_outcome
from pytest_jevbench.models.exchange import Exchange
from pytest_jevbench.models.http_model import HttpModel
from pytest_jevbench.models.troubles import Trouble
from pytest_jevbench.questions import Choice, Noul, Request, Score
from tests.models.dialects.conftest import ASKED
from tests.servers.gradio_app import running_form
from tests.servers.scripted import ScriptedServer, reply

Speak = Callable[..., HttpModel]
TEAM = Choice("Which team?", {"a": "first", "b": "second"})


@pytest.fixture(scope="module")
def form() -> Iterator[str]:
    with running_form() as url:
        yield url


def given(url: str) -> Any:
    """What the form was given last, by the app itself."""
    call = urllib.request.Request(f"{url}/gradio_api/call/given", b'{"data": []}', {"content-type": "application/json"})
    with urllib.request.urlopen(call, timeout=10) as started:
        event = json.load(started)["event_id"]
    with urllib.request.urlopen(f"{url}/gradio_api/call/given/{event}", timeout=10) as stream:
        return json.loads(stream.read().decode().partition("data: ")[2])[0]


def says(answer: Any, question: Noul | Choice | Score = TEAM) -> Request:
    return Request(f"SAY{json.dumps(answer)}", {"q": question})


@pytest.mark.parametrize("api_name", ["predict", "text", "label"])
def test_a_batch_is_asked_question_by_question(speak: Speak, form: str, api_name: str) -> None:
    """The app answers as JSON, as JSON in a text box, or by a label with confidences."""
    reply = speak("gradio_space", form, {"api_name": api_name}, retries=0).ask(ASKED)
    read = {key: one.distribution for key, one in read_answers(ASKED.questions, reply.answers).items()}
    third = pytest.approx(1 / 3)
    assert read == {
        "00": {"false": 0.75, "true": 0.25},
        "welcher Teil": {"lid": third, "cup": third, "10": third},
        "s": {"0": third, "1": third, "2": third},
    }
    assert reply.model is None


def test_the_form_gets_bare_options_and_the_rubric_in_the_instructions(speak: Speak, form: str) -> None:
    model = speak("gradio_space", form)
    model.ask(Request({"text": "ü"}, {"q": ASKED.questions["welcher Teil"]}))
    assert given(form) == [
        '{"text":"ü"}',
        "choice",
        "Which part?\n\nThe options:\nlid: The cover\ncup: The vessel\n10: None of them",
        "lid, cup, 10",
    ]
    model.ask(Request("a state", {"q": ASKED.questions["s"]}))
    assert given(form) == [
        "a state",
        "score",
        "How bad?\n\nThe levels, lowest first:\n0: not\n1: somewhat\n2: very",
        "0, 1, 2",
    ]
    model.ask(Request("a state", {"q": ASKED.questions["00"]}))
    assert given(form) == ["a state", "noul", "Is it broken?", ""]


def test_another_form(speak: Speak, form: str) -> None:
    options = {"api_name": "/short", "inputs": ["instructions", "state"]}
    model = speak("gradio_space", form, options, retries=0)
    assert model.ask(Request("s", {"q": Noul("Is it?")})).answers == {"q": {"type": "noul", "noul": 0.25}}
    assert given(form) == ["s", "noul", "Is it?", ""]
    assert json.loads(model.identity.details["form"])["api_name"] == "short"


@pytest.mark.parametrize(
    ("labels", "label"),
    [(("a,b", "c"), "a,b"), (("a", " c"), " c"), (("a\nb", "c"), "a\\nb")],
    ids=["the delimiter", "spaces", "a line break"],
)
def test_a_label_that_would_not_arrive_is_refused(speak: Speak, labels: tuple[str, ...], label: str) -> None:
    question = Choice("Which?", dict.fromkeys(labels, "text"))
    with ScriptedServer([reply(b"")]) as server, pytest.raises(Refused, match="would not arrive") as refused:
        speak("gradio_space", server.url).ask(Request("s", {"q": question}))
    assert label in str(refused.value)
    assert refused.value.attempts == 0
    assert server.asked == []


def test_a_label_with_the_usual_delimiter_goes_where_the_form_has_another(speak: Speak, form: str) -> None:
    question = Choice("Which?", {"a, b": "text", "c": "text"})
    speak("gradio_space", form, {"delimiter": ";"}).ask(Request("s", {"q": question}))
    assert given(form)[3] == "a, b; c"


def test_a_limit_of_use_is_told_by_its_words(speak: Speak, form: str) -> None:
    with pytest.raises(Unreachable, match="the app limits its use: You have exceeded your GPU quota") as error:
        speak("gradio_space", form, retries=0).ask(Request("LIMIT", {"q": TEAM}))
    assert error.value.status == 429


def test_a_call_that_fails_is_tried_again_where_a_run_tries_again(speak: Speak, form: str) -> None:
    with pytest.raises(Unreachable, match="3 attempts; the last: the app's call failed: inner trouble") as error:
        speak("gradio_space", form, retries=2).ask(Request("BOOM", {"q": TEAM}))
    assert error.value.status == 500


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        ({"probabilities": {"a": 1.0}}, 'no probability for option "b"'),
        ({"probabilities": {"a": True, "b": 0}}, "not a number"),
        ({"probabilities": [0.5, 0.5]}, "not an object"),
        ({"choice": "a"}, '"probabilities" is null'),
        ([0.5, 0.5], "not an object"),
        (None, "not an object"),
    ],
    ids=str,
)
def test_answers_that_state_no_distribution(speak: Speak, form: str, answer: Any, problem: str) -> None:
    answers = speak("gradio_space", form, retries=0).ask(says(answer)).answers
    assert problem in read_answers({"q": TEAM}, answers)["q"].problem


def test_a_yes_no_question_answered_by_two_probabilities(speak: Speak, form: str) -> None:
    model = speak("gradio_space", form, {"api_name": "label"}, retries=0)
    assert model.ask(says({"probabilities": {"no": 0.3, "yes": 0.7}}, Noul("Is it?"))).answers == {
        "q": {"type": "noul", "noul": 0.7}
    }
    apart = model.ask(says({"probabilities": {"no": 0.7, "yes": 0.7}}, Noul("Is it?"))).answers
    assert 'no "noul" field' in read_answers({"q": Noul("Is it?")}, apart)["q"].problem


def test_an_endpoint_that_is_not_there(speak: Speak, form: str) -> None:
    with pytest.raises(Unreachable, match="HTTP 500"):
        speak("gradio_space", form, {"api_name": "nothing"}, retries=0).ask(Request("s", {"q": TEAM}))


def test_every_exchange_is_told_word_for_word(speak: Speak, form: str) -> None:
    told: list[Exchange] = []
    model = speak("gradio_space", form, retries=0)
    model.record = told.append
    model.ask(Request("s", {"q": TEAM}))
    assert json.loads(told[0].sent)[0]["data"][3] == "a, b"
    assert "event: complete" in json.loads(told[0].received)["streams"]["q"]
    assert told[0].status == 200


@pytest.mark.parametrize(
    ("stream", "outcome"),
    [
        ('event: heartbeat\ndata: null\n\nevent: complete\ndata: ["x"]\n\n', ["x"]),
        ('event: generating\ndata: ["half"]\n\nevent: complete\ndata: ["x", 2]\n\n', ["x", 2]),
        ("event: complete\r\ndata: [1,\r\ndata: 2]\r\n\r\n", [1, 2]),
        ("event: error\ndata: null\n\n", ("again", 500, "the app's call failed")),
        ('event: error\ndata: "404: Not Found"\n\n', ("again", 500, "the app's call failed")),
        ('event: error\ndata: {"error": "Too many requests"}\n\n', ("again", 429, "the app limits its use")),
        ('event: error\ndata: "Queue is full! Please try again."\n\n', ("again", 429, "the app limits its use")),
        ("", ("again", 200, "the app's event stream ended without a result")),
        ("event: generating\ndata: [1]\n\n", ("again", 200, "the app's event stream ended without a result")),
        ("event: complete\ndata: []\n\n", ("format", 200, "the app's call ended without an output")),
        ("event: complete\ndata: null\n\n", ("format", 200, "the app's call ended without an output")),
        ("event: complete\ndata: [1\n\n", ("format", 200, "the app's event complete is not JSON")),
    ],
)
def test_what_a_stream_says(stream: str, outcome: Any) -> None:
    found = stream_outcome(stream)
    if isinstance(outcome, list):
        assert found == outcome
    else:
        assert isinstance(found, Trouble)
        assert (found.kind, found.status) == outcome[:2]
        assert found.message.startswith(outcome[2])


@pytest.mark.parametrize(
    "body", [{}, {"event_id": None}, {"event_id": "../../x"}, {"event_id": "a b"}, {"event_id": ""}, ["x"]], ids=str
)
def test_a_call_without_a_number_is_not_followed(speak: Speak, body: Any) -> None:
    with ScriptedServer([reply(body)]) as server, pytest.raises(AnswerFormatError, match="started no call"):
        speak("gradio_space", server.url, retries=0).ask(Request("s", {"q": TEAM}))
    assert server.got == []


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"api": "x"}, "one of api_name"),
        ({"api_name": "a/b"}, "the name of an API endpoint"),
        ({"inputs": ["state"]}, "the form's fields in order"),
        ({"inputs": "state"}, "the form's fields in order"),
        ({"delimiter": " "}, "the text between two options"),
        ({"prefix": "gradio_api"}, "a path such as"),
    ],
    ids=str,
)
def test_a_form_that_cannot_be(options: Any, wanted: str) -> None:
    with pytest.raises(InputError, match=wanted):
        dialect_of("gradio_space", options)
