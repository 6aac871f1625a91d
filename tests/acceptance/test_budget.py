"""A budget over a whole run: what is not covered is not sent, and what is too dear ends the run."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from pytest_jevbench.models.ledger import Ledger
from tests.servers.modelled import replicas
from tests.servers.scripted import ScriptedServer, Step, Talk, answers_for, hang_up, reply, right

Run = Callable[..., pytest.RunResult]
SUITE = "--jevbench-suite=jevbench-examples"
PRICES = ("--jevbench-price-in=1", "--jevbench-price-out=2")


def card(pytester: pytest.Pytester) -> Any:
    return json.loads((pytester.path / "jevbench-card.json").read_text(encoding="utf-8"))


def spent(pytester: pytest.Pytester) -> Any:
    return Ledger(pytester.path / ".jevbench" / "ledger.jsonl").spent()


def using(input_tokens: int, output_tokens: int) -> Step:
    """Right answers that say how many tokens they took."""

    def step(talk: Talk) -> bool:
        usage = {"input_tokens": input_tokens, "output_tokens": output_tokens}
        return reply({"answers": answers_for(talk.asked.json), "usage": usage})(talk)

    return step


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["ahead", "n2"])
def test_no_more_requests_than_allowed_whoever_asks(
    run_jevbench: Run, pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    with replicas(2) as group:
        result = run_jevbench(SUITE, f"--jevbench-url={group.urls}", "--jevbench-max-requests=20", *workers)
    unjudged = card(pytester)["counts"]["unjudged"]
    assert sum(group.bodies.values()) == 20
    assert spent(pytester).requests == 20
    assert unjudged["total"] == unjudged["over_budget"] > 0
    assert result.ret == 16


def test_every_attempt_counts_and_answers_from_the_store_do_not(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    script = [right(), hang_up(), *[right()] * 200]
    with ScriptedServer(script) as server:
        url = f"--jevbench-url={server.url}"
        first = run_jevbench(SUITE, url, "--jevbench-model=m", "--jevbench-max-requests=500")
        assert spent(pytester).requests == len(server.asked) == 44  # 43 distinct requests, one of them sent twice
        second = run_jevbench(SUITE, url, "--jevbench-model=m", "--jevbench-max-requests=500")
        assert spent(pytester).requests == len(server.asked) == 45  # the one that checks the model at the start
    assert first.ret == second.ret == 1


def test_dollars_are_settled_by_the_tokens_that_the_server_tells(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    with ScriptedServer([using(100, 10)]) as server:
        run_jevbench(SUITE, f"--jevbench-url={server.url}", "--jevbench-max-usd=5", *PRICES)
    assert spent(pytester).known == 43 * (100 * 1 + 10 * 2) / Decimal(10**6)
    assert spent(pytester).unknown == 0
    assert card(pytester)["counts"]["judged"] == 50


def test_unknown_costs_stay_charged_at_their_worst(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    with ScriptedServer([right()]) as server:  # says nothing of tokens
        run_jevbench(SUITE, f"--jevbench-url={server.url}", "--jevbench-max-usd=0.05", *PRICES)
        asked = len(server.asked)
    money = spent(pytester)
    assert 0 < asked < 43
    assert money.known == 0
    assert money.unknown == asked
    assert money.charged <= Decimal("0.05")
    assert card(pytester)["counts"]["unjudged"]["over_budget"] > 0


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["ahead", "n2"])
def test_a_request_dearer_than_its_worst_case_is_entered_and_stops_the_run(
    run_jevbench: Run, pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    with ScriptedServer([*[using(100, 10)] * 5, using(10**6, 10)]) as server:
        url = f"--jevbench-url={server.url}"
        result = run_jevbench(SUITE, url, "--jevbench-max-usd=100", *PRICES, *workers)
        asked = len(server.asked)
    assert result.ret == 16
    assert asked <= 7  # two workers may each have one on its way
    assert spent(pytester).known >= 1
    made = card(pytester)
    assert "a price or the bound on its tokens is wrong" in str(made["flags"])
    assert made["counts"]["judged"] < 50
    assert {"price_in": 1.0, "price_out": 2.0}.items() <= made["run"]["details"].items()


def test_the_answer_that_was_too_dear_is_kept(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    with ScriptedServer([using(10**6, 10)]) as server:
        run_jevbench(SUITE, f"--jevbench-url={server.url}", "--jevbench-max-usd=100", *PRICES)
        assert len(server.asked) == 1
    result = run_jevbench(SUITE, f"--jevbench-url={server.url}", "--jevbench-offline")
    assert result.ret == 16
    assert card(pytester)["run"]["hits"] == 1


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("--jevbench-max-usd=5",), "--jevbench-price-in"),
        (("--jevbench-max-usd=five",), "an amount in dollars"),
        (("--jevbench-max-usd=-1",), "an amount in dollars"),
        (("--jevbench-max-usd=nan",), "an amount in dollars"),
        (("--jevbench-max-requests=2.5",), "a whole number"),
        (("--jevbench-max-requests=9", "--tx", "socket=127.0.0.1:1", "--dist=load"), "one ledger"),
    ],
)
def test_a_budget_that_cannot_be_kept_is_refused_before_anything_is_asked(
    run_jevbench: Run, args: tuple[str, ...], words: str
) -> None:
    with ScriptedServer([right()]) as server:
        result = run_jevbench(SUITE, f"--jevbench-url={server.url}", *args)
    assert result.ret == 4
    assert words in result.stderr.str()
    assert server.asked == []


def test_requests_are_paced_over_all_workers(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    with replicas(2) as group:
        options = ("--jevbench-min-interval=0.02", "--jevbench-relation=batch_solo,batch_size_sweep,batch_content")
        run_jevbench(SUITE, f"--jevbench-url={group.urls}", *options, "-n", "2")
    count = sum(group.bodies.values())
    assert count > 2
    assert card(pytester)["run"]["seconds"] >= 0.02 * (count - 1)
