"""``estimate()`` tells what a run then takes."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench import InputError, ModelError, estimate, evaluate, from_callable, reference, systemone
from pytest_jevbench.cli import main
from tests.servers.modelled import replicas
from tests.servers.scripted import ScriptedServer
from tests.suite_writing import MARKET
from tests.uniform_model import UNIFORM

SUITE = "jevbench-examples"


def test_it_tells_the_requests_that_a_run_then_asks() -> None:
    with replicas(1) as one:
        told = estimate(SUITE, relations=["option_clone", "key_rename"])
        assert not one.bodies
        run = evaluate(systemone(one.urls), SUITE, relations=["option_clone", "key_rename"]).data["run"]
    assert told.requests == told.to_ask == run["requests"] == len(one.bodies)


def test_it_is_what_the_command_tells(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    options = ["--store=off", "--seconds=0.5", "--price-in=0.5", "--price-out=1.5", "--per-replica=2", "--replicas=3"]
    assert main(["estimate", SUITE, *options, "--json"]) == 0
    told = estimate(SUITE, seconds=0.5, price_in=0.5, price_out=Decimal("1.5"), per_replica=2, replicas=3)
    assert told.to_json() == json.loads(capsys.readouterr().out)
    assert main(["estimate", SUITE, *options]) == 0
    assert str(told) == capsys.readouterr().out.rstrip("\n")
    assert "requests" in told._repr_html_()


def test_a_model_is_timed_and_a_store_looked_into(tmp_path: Path) -> None:
    with replicas(1) as one:
        timed = estimate(SUITE, model=systemone(one.urls))
        assert 0 < sum(one.bodies.values()) < 10
    assert timed.seconds is not None
    assert "measured" in str(timed)
    store = tmp_path / "answers.sqlite"
    assert estimate(SUITE, store=store).stored == 0
    assert not store.exists()
    asked: list[Any] = []
    scope: dict[str, Any] = {}
    exec(UNIFORM, scope)

    def model(state: Any, questions: dict[str, Any]) -> Any:
        asked.append(state)
        return scope["uniform"](state, questions)

    mine = {"cases": [{**MARKET, "questions": {"open": MARKET["questions"]["open"]}}], "dimensions": "REP"}
    evaluate(from_callable(model, "v1"), store=store, **mine)
    known = estimate(store=store, **mine)
    assert known.stored == known.requests == len(asked)
    assert known.to_ask == 1  # whether it is still the same model
    assert estimate(store=store, model=from_callable(model, "v2"), **mine).stored == 0


def test_what_is_wrong_is_told() -> None:
    wrong: list[dict[str, Any]] = [
        {"price_in": 1},
        {"price_in": -1, "price_out": 1},
        {"seconds": float("inf")},
        {"replicas": 0},
        {"model": "luce"},
        {"relations": "nothing"},
        {"seed": 1},
    ]
    for arguments in wrong:
        with pytest.raises(InputError):
            estimate(SUITE, **arguments)
    with ScriptedServer([]) as server:
        url = server.url
    with pytest.raises(ModelError):
        estimate(SUITE, model=systemone(url, retries=0))
    assert estimate(SUITE, model=reference("luce")).seconds is not None
