"""``evaluate()`` and the plugin give one card, whoever is asked and however."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench import Card, ModelSpec, evaluate, from_callable, reference, systemone
from tests.servers.modelled import replicas
from tests.suite_writing import MARKET
from tests.uniform_model import UNIFORM

DOMAINS = ["it_incidents", "customer_support"]
PART = ["--jevbench-suite=jevbench-mini", f"--jevbench-domain={','.join(DOMAINS)}"]

NAMED = (
    UNIFORM
    + """
from pytest_jevbench.models.callable import named

def unsure(state, questions):
    answers = uniform(state, questions)
    for key in questions:
        if "__" in key:  # a follow-up's own question stays unanswered, so that some tests are not judged
            answers.pop(key)
    return answers
"""
)


def plugin_card(folder: Path, *args: str, conftest: str = "") -> dict[str, Any]:
    """The card of a session of pytest in a process of its own."""
    (folder / "conftest.py").write_text(conftest, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:randomly", "-p", "no:hypothesispytest", *args]
    subprocess.run([*command, "--jevbench-store=off"], cwd=folder, check=False, capture_output=True, text=True)
    card: dict[str, Any] = json.loads((folder / "jevbench-card.json").read_text(encoding="utf-8"))
    return card


def apart_from_times(card: Mapping[str, Any]) -> dict[str, Any]:
    """A card without its times, the port of a server that it started, and what stood on the command line."""
    run = {name: value for name, value in card["run"].items() if name not in ("started", "seconds", "model_seconds")}
    run["details"] = {name: value for name, value in run["details"].items() if name != "tests"}
    identity = {**card["identity"], "model": {**card["identity"]["model"], "address": ""}}
    return {**card, "run": run, "identity": identity}


def test_a_reference_model(tmp_path: Path) -> None:
    card = evaluate(reference("luce_biased"), "jevbench-mini", domains=DOMAINS, min_n=2)
    other = plugin_card(tmp_path, *PART, "--jevbench-reference=luce_biased", "--jevbench-min-n=2")
    assert apart_from_times(card.to_dict()) == apart_from_times(other)
    assert card.complete
    assert card.overall.score is not None


def test_servers(tmp_path: Path) -> None:
    with replicas(2) as group:
        card = evaluate(systemone(group.urls), "jevbench-mini", domains=DOMAINS, bootstrap=50, tolerance=0.1)
        assert sorted(group.bodies.values()) == [1] * (len(group.bodies) - 1) + [2]  # both are asked the first one
        assert all(server.asked for server in group.servers)
    with replicas(1) as one:
        other = plugin_card(
            tmp_path, *PART, f"--jevbench-url={one.urls}", "--jevbench-bootstrap=50", "--jevbench-tolerance=0.1"
        )
    other["run"]["requests"] += 1
    assert apart_from_times(card.to_dict()) == apart_from_times(other)


def test_a_launched_server(tmp_path: Path) -> None:
    command = f'"{sys.executable}" -m pytest_jevbench serve random --port {{port}}'
    one = evaluate(ModelSpec(launch=command), "jevbench-examples")
    other = plugin_card(tmp_path, "--jevbench-suite=jevbench-examples", f"--jevbench-launch={command}")
    assert apart_from_times(one.to_dict()) == apart_from_times(other)


def test_a_function_some_of_whose_answers_cannot_be_read(tmp_path: Path) -> None:
    scope: dict[str, Any] = {}
    exec(NAMED, scope)  # the same text is the conftest's
    card = evaluate(from_callable(scope["unsure"], "v1"), "jevbench-examples", name="mine")
    fixture = "import pytest\n@pytest.fixture(scope='session')\ndef jevbench_model():\n    return named(unsure, 'v1')\n"
    other = plugin_card(
        tmp_path, "--jevbench-suite=jevbench-examples", "--jevbench-name=mine", conftest=NAMED + fixture
    )
    assert apart_from_times(card.to_dict()) == apart_from_times(other)
    counts = card.data["counts"]
    assert counts["unjudged"]["invalid"] > 0
    assert not card.complete


def test_cases_of_ones_own(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(MARKET, ensure_ascii=False) + "\n", encoding="utf-8")
    how: dict[str, Any] = {"dimensions": ["REP", "MEA"], "relations": "inclusion_exclusion", "case_ids": "market"}
    how |= {"seed": 7, "draws": 2, "min_n": 1}
    card = evaluate(reference("random"), cases=path, **how)
    assert card == evaluate(reference("random"), cases=[MARKET], **how)
    other = plugin_card(
        tmp_path,
        f"--jevbench-cases={path}",
        "--jevbench-reference=random",
        "--jevbench-seed=7",
        "--jevbench-draws=2",
        "--jevbench-min-n=1",
        "--jevbench-dimension=REP,MEA",
        "--jevbench-relation=inclusion_exclusion",
        "--jevbench-case=market",
    )
    assert apart_from_times(card.to_dict()) == apart_from_times(other)


def test_a_card_is_the_same_after_a_trip_to_a_file(tmp_path: Path) -> None:
    card = evaluate(reference("luce"), "jevbench-examples")
    loaded = Card.load(card.save(tmp_path / "new" / "card.json"))
    assert loaded.to_dict() == card.to_dict()
    assert loaded == card == Card.from_dict(card.to_dict())
    assert loaded.violations == card.violations
    assert str(loaded) == str(card)


@pytest.fixture
def counted() -> Callable[[Any, dict[str, Any]], dict[str, Any]]:
    scope: dict[str, Any] = {}
    exec(UNIFORM, scope)
    uniform: Callable[[Any, dict[str, Any]], dict[str, Any]] = scope["uniform"]
    return uniform


def test_a_store_answers_the_second_time(tmp_path: Path, counted: Any) -> None:
    asked = []

    def model(state: Any, questions: dict[str, Any]) -> Any:
        asked.append(questions)
        return counted(state, questions)

    store = tmp_path / "answers.sqlite"
    first = evaluate(from_callable(model, "v1"), "jevbench-examples", store=store)
    number = len(asked)
    second = evaluate(from_callable(model, "v1"), "jevbench-examples", store=store)
    assert len(asked) == number + 1  # one request shows that it is the same model
    offline = evaluate(from_callable(model, "v1"), "jevbench-examples", store=store, offline=True)
    assert len(asked) == number + 1
    assert first == second == offline
    evaluate(from_callable(model, "v1"), "jevbench-examples", store=store, refresh=True)
    assert len(asked) >= 2 * number + 1
