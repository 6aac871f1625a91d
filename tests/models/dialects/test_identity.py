"""Models that are asked in other ways are other models: none is given another's stored answers."""

from __future__ import annotations

import shlex
import sys
from decimal import Decimal
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.errors import InputError, OverBudget
from pytest_jevbench.models.dialects import dialect_of
from pytest_jevbench.models.dialects.chat_prompt import SYSTEM
from pytest_jevbench.models.dialects.openai import openai
from pytest_jevbench.models.identity_key import details_of, model_key
from pytest_jevbench.models.ledger import Ledger
from pytest_jevbench.models.metering import Meter
from pytest_jevbench.models.money import Prices
from pytest_jevbench.models.opening import ModelSpec, expected_identity, open_replicas
from tests.models.dialects.conftest import ASKED
from tests.servers.dialects import chat
from tests.servers.scripted import ScriptedServer

A_DOLLAR = Prices(Decimal(10**6), Decimal(10**6))

SPECS = [
    ModelSpec(urls=("http://h",), model="m"),
    ModelSpec(urls=("http://h",), model="m", dialect="list"),
    ModelSpec(urls=("http://h",), model="m", dialect="decisions"),
    ModelSpec(urls=("http://h",), model="m", dialect="openai-decisions"),
    ModelSpec(urls=("http://h",), model="m", dialect="openai"),
    ModelSpec(urls=("http://h",), model="m", dialect="openai", request_options={"temperature": 1}),
    ModelSpec(urls=("http://h",), model="m", dialect="openai", request_options={"temperature": None}),
    ModelSpec(urls=("http://h",), model="m", dialect="openai", request_options={"response_format": None}),
]


def test_dialect_and_options_tell_models_apart() -> None:
    keys = [model_key(expected_identity(spec), "m-1") for spec in SPECS]
    for one, other in combinations(keys, 2):
        assert one.digest != other.digest
        assert one.base != other.base


def test_the_order_of_options_does_not() -> None:
    one, other = (
        ModelSpec(urls=("http://h",), model="m", dialect="openai", request_options=options)
        for options in ({"seed": 1, "top_p": 0.5}, {"top_p": 0.5, "seed": 1})
    )
    assert expected_identity(one) == expected_identity(other)


def test_another_wording_of_the_prompt_is_another_model() -> None:
    identities = [openai(system=system).identity("m") for system in (SYSTEM, f"{SYSTEM} Judge mildly.")]
    assert identities[0] == openai().identity("m")
    assert model_key(identities[0], None).digest != model_key(identities[1], None).digest


def test_the_details_are_found_again_in_the_parts_of_a_key() -> None:
    for spec in SPECS:
        identity = expected_identity(spec)
        assert details_of(model_key(identity, "m-1").parts) == identity.details


def test_an_open_model_is_who_the_options_say() -> None:
    for spec in SPECS:
        with open_replicas(spec) as replicas:
            assert replicas[0].identity == expected_identity(spec)


@pytest.mark.parametrize("named", [{"reference": "uniform"}, {"command": "true"}])
def test_a_dialect_is_of_a_server(named: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="the dialect openai is a way to ask a server"):
        ModelSpec(**named, dialect="openai").check()


SERVER = """
import json, sys
from http.server import BaseHTTPRequestHandler, HTTPServer

class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        names = asked["response_format"]["json_schema"]["schema"]["properties"]["answers"]["properties"]
        content = json.dumps({"answers": {name: {"noul": 0.5} for name in names}})
        body = json.dumps({"choices": [{"message": {"content": content}}]}).encode()
        self.send_response(200 if self.path == "/v1/chat/completions" else 404)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


def test_a_launched_chat_server_is_waited_for_in_its_dialect(tmp_path: Path) -> None:
    program = tmp_path / "chat.py"
    program.write_text(SERVER, encoding="utf-8")
    command = f"{shlex.join([sys.executable, str(program)])} {{port}}"
    with open_replicas(ModelSpec(launch=command, model="m", dialect="openai")) as replicas:
        assert replicas[0].identity.launch == command
        assert replicas[0].ask(type(ASKED)("x", {"00": ASKED.questions["00"]})).answers == {
            "00": {"type": "noul", "noul": 0.5}
        }


def test_a_budget_reserves_what_the_chat_request_can_cost(tmp_path: Path) -> None:
    """At a dollar a token: no more tokens are read than bytes are sent, none are written past the limit sent."""
    options = {"max_tokens": 1_000}
    sent = len(dialect_of("openai", options).write(ASKED, "m").encode())
    with ScriptedServer([chat()]) as server:
        spec = ModelSpec(urls=(server.url,), model="m", dialect="openai", request_options=options)
        small = Ledger(tmp_path / "small.jsonl", max_usd=sent + 999)
        with open_replicas(spec, meter=Meter(ledger=small, prices=A_DOLLAR)) as replicas, pytest.raises(OverBudget):
            replicas[0].ask(ASKED)
        assert server.asked == []
        enough = Ledger(tmp_path / "enough.jsonl", max_usd=sent + 1_000 + 5_000)
        with open_replicas(spec, meter=Meter(ledger=enough, prices=A_DOLLAR)) as replicas:
            replicas[0].ask(ASKED)
    assert enough.spent().known == 120  # what the server told: 100 tokens read, 20 written
