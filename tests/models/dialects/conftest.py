"""What the tests of dialects share."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from pytest_jevbench.answers import ReadAnswer, read_answers
from pytest_jevbench.models.dialects import dialect_of
from pytest_jevbench.models.http_model import HttpModel
from pytest_jevbench.models.protocol import Reply
from pytest_jevbench.questions import Choice, Noul, Request, Score
from tests.models.conftest import Connect
from tests.servers.scripted import ScriptedServer, Step, reply

ASKED = Request(
    {"text": "Der Deckel hat einen Sprung."},
    {
        "00": Noul("Is it broken?"),
        "welcher Teil": Choice("Which part?", {"lid": "The cover", "cup": "The vessel", "10": "None of them"}),
        "s": Score("How bad?", ("not", "somewhat", "very")),
    },
)
"""A question of each type under ids that a dictionary, a number or a sorted order would spoil."""

Ask = Callable[..., Reply]
Read = Callable[[str, Any], dict[str, ReadAnswer]]


@pytest.fixture
def speak(connect: Connect) -> Callable[..., HttpModel]:
    """A model at a URL in a dialect, whose waits are written down instead of waited for."""

    def speak(dialect: str, url: str, options: Any = None, **more: Any) -> HttpModel:
        return connect(url, dialect=dialect_of(dialect, options), **more)

    return speak


@pytest.fixture
def ask(speak: Callable[..., HttpModel]) -> Ask:
    """The reply of a server that takes one step, in a dialect; ``retries`` is 0."""

    def ask(dialect: str, step: Step, request: Request = ASKED) -> Reply:
        with ScriptedServer([step]) as server:
            return speak(dialect, server.url, retries=0).ask(request)

    return ask


@pytest.fixture
def read(ask: Ask) -> Read:
    """What is read of a body, given as JSON text or as a value, by question."""

    def read(dialect: str, body: Any) -> dict[str, ReadAnswer]:
        text = body if isinstance(body, str) else json.dumps(body)
        return read_answers(ASKED.questions, ask(dialect, reply(text)).answers)

    return read
