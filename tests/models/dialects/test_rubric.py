"""The rubric - instructions, options, levels, and what describes them - reaches a model in every dialect."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from pytest_jevbench.models.dialect_names import ALL_DIALECTS, FORMS, RUNTIMES
from pytest_jevbench.models.dialects import dialect_of
from pytest_jevbench.models.exchange import Exchange
from pytest_jevbench.models.http_model import HttpModel
from pytest_jevbench.models.runtime_model import RuntimeModel
from pytest_jevbench.questions import Choice, Noul, Request, Score
from tests.models.dialects.test_right_answers import SPOKEN
from tests.servers.scripted import ScriptedServer, Step, reply

ASKED = {
    "noul": Noul("Is the lid broken, by what the letter says?"),
    "choice": Choice("Which part is meant?", {"lid": "The cover on top", "cup": "The vessel below it"}),
    "score": Score("How bad is it?", ("a scratch at most", "a crack that leaks")),
}
RUBRIC = {
    "noul": ("Is the lid broken, by what the letter says?",),
    "choice": ("Which part is meant?", "lid", "The cover on top", "cup", "The vessel below it"),
    "score": ("How bad is it?", "a scratch at most", "a crack that leaks"),
}


FORM: Step = reply({"event_id": "e1"})
STREAM = reply(b'event: complete\ndata: [{"noul": 0.5}]\n\n', content_type="text/event-stream")


class Runtime:
    """Both kinds of runtime at once: a form, and a factory of agents."""

    def __init__(self) -> None:
        self.given: list[Any] = []

    def decide(self, **given: Any) -> Any:
        self.given.append(given)
        return {"noul": 0.5}

    def __call__(self, tools: Any) -> Runtime:
        self.given.append(tools)
        return self

    def complete(self, text: str) -> Any:
        self.given.append(text)
        return {"function_calls": []}


def sent(dialect: str, request: Request, speak: Callable[..., HttpModel]) -> str:
    """What reached the model, as text."""
    if dialect in RUNTIMES:
        runtime = Runtime()
        RuntimeModel(runtime, dialect_of(dialect)).ask(request)
        return json.dumps(runtime.given)
    step = FORM if dialect in FORMS else SPOKEN[dialect]
    told: list[Exchange] = []
    with ScriptedServer([step], get=STREAM) as server:
        model = speak(dialect, server.url, retries=0)
        model.record = told.append
        model.ask(request)
    assert len(told) == 1
    return server.asked[0].body.decode()


@pytest.mark.parametrize("kind", ASKED)
@pytest.mark.parametrize("dialect", ALL_DIALECTS)
def test_the_rubric_reaches_the_model(speak: Callable[..., HttpModel], dialect: str, kind: str) -> None:
    text = sent(dialect, Request("The lid of my cup came with a crack.", {"q": ASKED[kind]}), speak)
    assert "The lid of my cup came with a crack." in text
    places = [text.find(part) for part in RUBRIC[kind]]
    assert -1 not in places
    if kind == "score":
        assert places == sorted(places)  # lowest first, as the question has them
