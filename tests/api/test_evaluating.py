"""Where and how ``evaluate()`` can be called, and how it ends."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench import (
    EvaluationInterrupted,
    InputError,
    ModelError,
    check,
    evaluate,
    from_callable,
    reference,
    systemone,
)
from pytest_jevbench.errors import AnswerFormatError, Refused, Unreachable
from pytest_jevbench.models.callable import CallableModel
from tests.servers.modelled import replicas
from tests.servers.scripted import ScriptedServer, reply
from tests.suite_writing import MARKET
from tests.uniform_model import UNIFORM

SCOPE: dict[str, Any] = {}
exec(UNIFORM, SCOPE)
uniform = SCOPE["uniform"]
SUITE = "jevbench-examples"


def test_pytest_is_not_imported_and_nothing_is_written(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom pytest_jevbench import *\n"
        "card = evaluate(reference('luce'), 'jevbench-examples')\n"
        "radar(card); str(card); card._repr_html_(); card._repr_markdown_(); compare(card, card)\n"
        "check(reference('luce'))\n"
        "assert not {'pytest', '_pytest', 'tqdm', 'IPython', 'jinja2'} & set(sys.modules)\n"
    )
    ran = subprocess.run([sys.executable, "-W", "error", "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "", "")
    assert list(tmp_path.iterdir()) == []


def test_naming_the_package_imports_nothing() -> None:
    code = "import sys, pytest_jevbench; print(sorted(m for m in sys.modules if m.startswith('pytest_jevbench')))"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "['pytest_jevbench']"


def test_every_public_name_is_there() -> None:
    import pytest_jevbench

    assert all(getattr(pytest_jevbench, name) is not None for name in pytest_jevbench.__all__)
    assert set(pytest_jevbench.__all__) <= set(dir(pytest_jevbench))
    with pytest.raises(AttributeError, match="no attribute 'evalate'"):
        pytest_jevbench.evalate  # noqa: B018


# Threads and loops ---------------------------------------------------------------------------------------------------


def test_one_function_is_called_in_the_thread_that_evaluates() -> None:
    threads = set()

    def model(state: Any, questions: dict[str, Any]) -> Any:
        threads.add(threading.get_ident())
        return uniform(state, questions)

    evaluate(model, SUITE)
    assert threads == {threading.get_ident()}


def test_a_list_of_functions_is_called_side_by_side_each_once_at_a_time() -> None:
    together, most = threading.Barrier(2, timeout=20), 2
    busy = [threading.Lock(), threading.Lock()]

    def replica(number: int) -> Any:
        calls = 0

        def model(state: Any, questions: dict[str, Any]) -> Any:
            nonlocal calls
            assert busy[number].acquire(blocking=False)
            try:
                calls += 1
                if calls == most:  # proves that both are in a call at once
                    together.wait()
                return uniform(state, questions)
            finally:
                busy[number].release()

        return model

    card = evaluate([replica(0), replica(1)], SUITE)
    assert card.complete
    assert not together.broken


def test_inside_a_running_event_loop_and_in_a_thread_of_it() -> None:
    async def both() -> tuple[Any, Any]:
        with replicas(2) as group:
            there = await asyncio.to_thread(evaluate, systemone(group.urls), SUITE)
            here = evaluate(systemone(group.urls), SUITE)
        return here, there

    here, there = asyncio.run(both())
    assert here == there
    assert here.complete


# How it ends ---------------------------------------------------------------------------------------------------------


def test_ctrl_c_gives_the_card_so_far(tmp_path: Path) -> None:
    calls = 0

    def model(state: Any, questions: dict[str, Any]) -> Any:
        nonlocal calls
        calls += 1
        if calls == 12:
            raise KeyboardInterrupt
        return uniform(state, questions)

    store = tmp_path / "answers.sqlite"
    with pytest.raises(KeyboardInterrupt) as caught:
        evaluate(from_callable(model, "v1"), SUITE, store=store)
    assert isinstance(caught.value, EvaluationInterrupted)
    card = caught.value.card
    counts = card.data["counts"]
    assert counts["judged"] > 0
    assert counts["unjudged"]["lost"] == counts["planned"] - counts["judged"] > 0
    assert {"incomplete", "stopped"} <= {flag["name"] for flag in card.data["flags"]}
    assert not card.complete
    assert str(counts["judged"]) in str(caught.value)

    before = calls
    again = evaluate(from_callable(model, "v1"), SUITE, store=store)
    assert again.complete
    assert again == evaluate(from_callable(uniform, "v1"), SUITE)
    assert calls - before == again.data["run"]["requests"]
    assert again.data["run"]["hits"] >= 11 - 1


def test_ctrl_c_leaves_no_thread_behind() -> None:
    seen = 0

    def interrupt(result: Any) -> None:
        nonlocal seen
        seen += 1
        if seen == 5:
            signal.raise_signal(signal.SIGINT)

    with replicas(2) as group, pytest.raises(EvaluationInterrupted) as caught:
        evaluate(systemone(group.urls), SUITE, progress=interrupt)
    assert caught.value.card.data["counts"]["judged"] == 5
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("jevbench-ask")]


def test_a_model_that_goes_away_is_told_of_in_the_card() -> None:
    calls = 0

    def model(state: Any, questions: dict[str, Any]) -> Any:
        nonlocal calls
        calls += 1
        if calls > 8:
            raise OSError("the card fell off the bus")
        return uniform(state, questions)

    card = evaluate(CallableModel(model, "v1", down_after=2), SUITE)
    assert any("fell off the bus" in error["message"] for error in card.data["errors"])
    assert card.data["counts"]["unjudged"]["lost"] > 0
    assert not card.complete
    assert calls == 10


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (404, {"error": "no such model"}, Refused),
        (200, {"answers": {}}, AnswerFormatError),
        (200, [], AnswerFormatError),
    ],
)
def test_a_model_that_cannot_be_tested_ends_it_before_the_second_request(status: int, body: Any, error: Any) -> None:
    with ScriptedServer([reply(body, status)], get=reply({"models": [{"name": "m"}]})) as server:
        with pytest.raises(error, match=r"first request|question|answers"):
            evaluate(systemone(server.url), SUITE)
        assert len(server.asked) == 1


def test_nobody_listens() -> None:
    with ScriptedServer([]) as server:
        url = server.url
    with pytest.raises(Unreachable) as caught:
        evaluate(systemone(url, retries=0), SUITE)
    assert isinstance(caught.value, ModelError)


def test_a_models_own_objects_stay_open() -> None:
    closed = []

    class Mine(CallableModel):
        def close(self) -> None:
            closed.append(self)

    model = Mine(uniform, "mine")
    evaluate(model, SUITE)
    assert check(model).ok
    assert closed == []


def test_progress_may_be_a_function() -> None:
    seen: list[str] = []
    card = evaluate(uniform, SUITE, progress=lambda result: seen.append(result.verdict))
    assert (seen.count("held"), seen.count("violated")) == (
        card.data["counts"]["held"],
        card.data["counts"]["violated"],
    )


# Bad input -----------------------------------------------------------------------------------------------------------


def test_what_a_caller_can_get_wrong_is_told_before_anything_is_asked(tmp_path: Path) -> None:
    asked = []

    def model(state: Any, questions: dict[str, Any]) -> Any:
        asked.append(state)
        return uniform(state, questions)

    async def later(state: Any, questions: dict[str, Any]) -> Any:
        return {}

    wrong: list[tuple[dict[str, Any], str]] = [
        ({"suite": "jevbench-mimi"}, "jevbench-mini"),
        ({}, "neither a suite nor cases"),
        ({"suite": SUITE, "cases": [MARKET]}, "both a suite and cases"),
        ({"suite": SUITE, "relations": "option_clones"}, "option_clone"),
        ({"suite": SUITE, "dimensions": "rep"}, "REP"),
        ({"suite": SUITE, "groups": []}, "groups: found []"),
        ({"suite": SUITE, "domains": "mars"}, "domain: there is no"),
        ({"suite": SUITE, "case_ids": "nobody"}, "case: there is no"),
        ({"suite": SUITE, "tolerance": 1}, "tolerance: found 1"),
        ({"suite": SUITE, "tolerance": float("nan")}, "tolerance: found nan"),
        ({"suite": SUITE, "min_n": 0}, "min_n: found 0"),
        ({"suite": SUITE, "bootstrap": -1}, "bootstrap: found -1"),
        ({"suite": SUITE, "bootstrap": True}, "bootstrap: found true"),
        ({"suite": SUITE, "seed": 3}, "seed says how tests are made"),
        ({"suite": SUITE, "audited_only": True}, "audited_only says how tests are made"),
        ({"suite": SUITE, "replicas": 3}, "replicas: found 3, and the model comes as 1"),
        ({"suite": SUITE, "offline": True}, "store="),
        ({"suite": SUITE, "store": tmp_path}, "this is no file"),
        ({"suite": SUITE, "store": "a", "offline": True, "refresh": True}, "Give one of both"),
        ({"cases": [{"state": "s"}]}, "cases[0]"),
        ({"cases": [MARKET, {**MARKET, "id": "b", "questions": {"q": {"type": "nul"}}}]}, "cases[1], questions"),
        ({"cases": [MARKET, "text"]}, "cases[1]"),
        ({"cases": [{**MARKET, "state": {1, 2}}]}, "cases[0]: it is no JSON"),
        ({"cases": []}, "no case"),
        ({"cases": "nowhere.jsonl"}, "nowhere.jsonl"),
        ({"model": "uniform", "suite": SUITE}, "a URL"),
        ({"model": "http://", "suite": SUITE}, "http"),
        ({"model": [], "suite": SUITE}, "empty"),
        ({"model": 3, "suite": SUITE}, "found 3"),
        ({"model": later, "suite": SUITE}, "async"),
        ({"model": CallableModel, "suite": SUITE}, "class"),
    ]
    for arguments, told in wrong:
        with pytest.raises(InputError) as caught:
            evaluate(**{"model": model, **arguments})
        assert told in str(caught.value), (arguments, str(caught.value))
    assert asked == []


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda: systemone("127.0.0.1:8000/v1"), "http"),
        (lambda: systemone("http://a", api_key_env="NOT_SET_HERE"), "NOT_SET_HERE"),
        (lambda: reference("lucy"), "luce"),
        (lambda: from_callable([]), "empty"),
        (lambda: from_callable(uniform, " "), "a name"),
    ],
)
def test_a_model_that_is_none(call: Any, told: str) -> None:
    with pytest.raises(InputError, match=told):
        call()
