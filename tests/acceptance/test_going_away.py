"""A model that goes away in the middle of a run."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.acceptance.conftest import CALLABLE
from tests.servers.modelled import replicas
from tests.servers.scripted import ScriptedServer, Talk, reply, right

Run = Callable[..., pytest.RunResult]
SUITE = "--jevbench-suite=jevbench-examples"


def card(pytester: pytest.Pytester) -> Any:
    return json.loads((pytester.path / "jevbench-card.json").read_text(encoding="utf-8"))


def failing_after(count: int) -> Any:
    """Right answers, then for ever HTTP 500 without a wait."""
    return [*[right()] * count, reply({"detail": "broken"}, 500, retry_after="0")]


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serial", "n2"])
def test_the_run_stops_with_what_is_there(
    run_jevbench: Run, pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    with ScriptedServer(failing_after(15)) as server:  # a suite with more requests than two workers' patience
        url = f"--jevbench-url={server.url}"
        result = run_jevbench("--jevbench-suite=jevbench-mini", url, "--jevbench-retries=0", *workers)
    counts = (made := card(pytester))["counts"]
    assert result.ret == 16
    assert "the model is down" in result.stdout.str()
    assert counts["judged"] > 0
    assert counts["unjudged"]["lost"] > 0
    assert counts["judged"] + counts["unjudged"]["total"] == counts["planned"]
    names = {flag["name"] for flag in made["flags"]}
    assert {"incomplete", "stopped"} <= names


def test_the_same_command_goes_on_when_it_is_back(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    broken = [True]

    def step(talk: Talk) -> bool:
        if broken[0] and len(server.asked) > 15:
            return reply({"detail": "broken"}, 500, retry_after="0")(talk)
        answered.append(talk.asked.body)
        return right()(talk)

    answered: list[bytes] = []
    with ScriptedServer([step]) as server:
        command = (SUITE, f"--jevbench-url={server.url}", "--jevbench-retries=0")
        run_jevbench(*command)
        broken[0] = False
        result = run_jevbench(*command)
    assert result.ret == 1
    assert card(pytester)["counts"]["judged"] == 50
    assert len(answered) == 44  # 43 distinct requests, and the one that checks the model at the start
    assert len(set(answered)) == 43


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["ahead", "n2"])
def test_another_replica_takes_over(run_jevbench: Run, pytester: pytest.Pytester, workers: tuple[str, ...]) -> None:
    with replicas(1) as group, ScriptedServer(failing_after(3), get=reply({"models": [{"name": "m"}]})) as failing:
        good = group.servers[0]
        good._steps = [right()]
        good.get = failing.get
        urls = f"--jevbench-url={failing.url},{good.url}"
        result = run_jevbench(SUITE, urls, "--jevbench-retries=0", *workers)
    assert result.ret == 1
    assert card(pytester)["counts"]["judged"] == 50


def test_replicas_of_different_models_are_refused(run_jevbench: Run) -> None:
    with replicas(1, "luce") as one, replicas(1, "uniform") as other:
        result = run_jevbench(SUITE, f"--jevbench-url={one.urls},{other.urls}")
        assert not one.bodies
        assert not other.bodies
    assert result.ret == 17
    assert "different models" in result.stdout.str()


def test_a_replica_that_does_not_listen_is_named_before_anything_is_asked(run_jevbench: Run) -> None:
    with replicas(1) as group, ScriptedServer([right()]) as closed:
        gone = closed.url
        closed.stop()
        result = run_jevbench(SUITE, f"--jevbench-url={group.urls},{gone}", "--jevbench-model=luce_biased")
        assert not group.bodies
    assert result.ret == 17
    assert gone in result.stdout.str()


COUNTING = (
    CALLABLE
    + """
import threading
calls = []

def counted(state, questions):
    calls.append(threading.current_thread() is threading.main_thread())
    return uniform(state, questions)

def pytest_unconfigure(config):
    with open("calls", "a") as file:
        file.write(f"{len(calls)} {all(calls)}\\n")
"""
)


def test_a_single_function_is_called_on_the_main_thread_alone(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    pytester.makeconftest(COUNTING + "\n@pytest.fixture(scope='session')\ndef jevbench_model():\n    return counted\n")
    run_jevbench(SUITE)
    assert (pytester.path / "calls").read_text() == "43 True\n"


def test_a_list_of_functions_is_one_replica_each(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        COUNTING + "\n@pytest.fixture(scope='session')\ndef jevbench_model():\n    return [counted, counted]\n"
    )
    run_jevbench(SUITE)
    assert (pytester.path / "calls").read_text() == "43 False\n"
    assert card(pytester)["counts"]["judged"] == 50


def test_workers_are_for_one_replica_each(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        CALLABLE
        + """
from pytest_jevbench.models.callable import named

@pytest.fixture(scope="session")
def jevbench_model(jevbench_replica):
    with open("replicas", "a") as file:
        file.write(f"{jevbench_replica.index}/{jevbench_replica.count}\\n")
    return named(uniform, "v1")
"""
    )
    result = run_jevbench(SUITE, "-n", "3")
    assert result.ret == 1
    assert sorted((pytester.path / "replicas").read_text().split()) == ["0/3", "1/3", "2/3"]


def test_the_hook_is_asked_for_each_replica(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        CALLABLE
        + """
def pytest_jevbench_model(config, replica):
    with open("replicas", "a") as file:
        file.write(f"{replica.index}/{replica.count}\\n")
    return uniform
"""
    )
    assert run_jevbench(SUITE, "--jevbench-replicas=2").ret == 1
    assert (pytester.path / "replicas").read_text().split() == ["0/2", "1/2"]


def test_each_is_refused(run_jevbench: Run) -> None:
    result = run_jevbench(SUITE, "--jevbench-reference=uniform", "-n", "2", "--dist", "each")
    assert result.ret == 4
    assert "--dist=each" in result.stderr.str()
