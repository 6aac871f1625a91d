"""However a suite is run, each distinct request is asked once, and the card is the same."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest

from pytest_jevbench.cli import main
from pytest_jevbench.runs.judge import requests_of
from pytest_jevbench.runs.planning import plan_run
from pytest_jevbench.runs.selection import Filters
from pytest_jevbench.suite_loading import load_suite
from tests.servers.modelled import Replicas, replicas

Run = Callable[..., pytest.RunResult]
RUN = plan_run(load_suite("jevbench-mini"), Filters(domains=("it_incidents", "customer_support")))
SUITE = ("--jevbench-suite=jevbench-mini", "--jevbench-domain=it_incidents,customer_support")
REQUESTS = len({r.digest for test in RUN.tests for r in requests_of(test, RUN.cases[test.id.case_id])})
TESTS = len(RUN.tests)


def card(pytester: pytest.Pytester, name: str) -> Any:
    return json.loads((pytester.path / name).read_text(encoding="utf-8"))


def same(one: Any, other: Any) -> bool:
    """Whether two cards are equal apart from times and what asking came to."""
    return {**one, "run": None} == {**other, "run": None}


@pytest.fixture(scope="module")
def serial(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The card of a run of one process that asks one server, without a store."""
    folder = tmp_path_factory.mktemp("serial")
    with replicas(1) as one:
        command = ["-p", "no:randomly", *SUITE, f"--jevbench-url={one.urls}", "--jevbench-store=off"]
        ran = subprocess.run([sys.executable, "-m", "pytest", *command], cwd=folder, check=False, capture_output=True)
    assert ran.returncode == 1
    assert sorted(one.bodies.values()) == [1] * REQUESTS
    made = json.loads((folder / "jevbench-card.json").read_text(encoding="utf-8"))
    made["identity"]["model"].pop("address")
    return made


def check(group: Replicas, made: Any, serial: Any, most: int = 1) -> None:
    made["identity"]["model"].pop("address")
    # every replica is asked the first request, which shows that they are of one model
    assert sorted(group.bodies.values()) == [1] * (REQUESTS - 1) + [len(group.servers)]
    assert group.most <= most
    assert same(made, serial)


@pytest.mark.parametrize(
    ("count", "args"),
    [
        (3, ()),
        (2, ("-n", "2")),
        (2, ("-n", "auto")),
        (2, ("-n", "4")),
        (2, ("-n", "3", "--dist", "load")),
        (2, ("--jevbench-per-replica=3",)),
    ],
    ids=["ahead", "n2", "auto", "n4", "load", "batching"],
)
def test_replicas_and_workers(
    run_jevbench: Run, pytester: pytest.Pytester, serial: Any, count: int, args: tuple[str, ...]
) -> None:
    with replicas(count) as group:
        result = run_jevbench(*SUITE, f"--jevbench-url={group.urls}", *args)
    assert result.ret == 1
    assert all(server.asked for server in group.servers)
    check(group, card(pytester, "jevbench-card.json"), serial, 3 if "per-replica" in str(args) else 1)


def test_merged_shards(run_jevbench: Run, pytester: pytest.Pytester, serial: Any, capsys: Any) -> None:
    cards = []
    with replicas(1) as group:
        for shard in ("1/3", "2/3", "3/3"):
            cards.append(f"shard{shard[0]}.json")
            result = run_jevbench(
                *SUITE,
                f"--jevbench-url={group.urls}",
                f"--jevbench-shard={shard}",
                f"--jevbench-card={cards[-1]}",
                f"--jevbench-store=machine{shard[0]}.sqlite",
            )
            assert result.ret == 0
            assert card(pytester, cards[-1])["counts"]["planned"] == TESTS
    assert main(["card", "merge", *cards[::-1], "-o", "merged.json"]) == 0
    assert f"{TESTS} of {TESTS}" in capsys.readouterr().out
    merged = card(pytester, "merged.json")
    assert merged["run"]["details"] == {"merged": 3, "tests": SUITE[0]}  # what a report asks a test again with
    check(group, merged, serial)


def test_an_interrupted_run_that_is_resumed_and_then_replayed(
    run_jevbench: Run, pytester: pytest.Pytester, serial: Any
) -> None:
    with replicas(2) as group:
        command = (*SUITE, f"--jevbench-url={group.urls}")
        first = run_jevbench(*command, "-x")
        begun = sum(group.bodies.values())
        assert first.ret == 1
        assert card(pytester, "jevbench-card.json")["counts"]["unjudged"]["lost"] > 0
        assert 0 < begun < REQUESTS
        run_jevbench(*command)
        # the request that checks the model at the start is asked afresh in each run, of both replicas
        assert sum(group.bodies.values()) == REQUESTS + 3
        resumed = card(pytester, "jevbench-card.json")
    offline = run_jevbench(*command, "--jevbench-offline")
    assert offline.ret == 1
    replayed = card(pytester, "jevbench-card.json")
    assert replayed["run"]["requests"] == 0
    for made in (resumed, replayed):
        made["identity"]["model"].pop("address")
        assert same(made, serial)
