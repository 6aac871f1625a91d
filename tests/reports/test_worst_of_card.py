"""The worst violations of a saved card are those of the run that wrote it, in the same words."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from pytest_jevbench.reports.worst_of_card import worst_of_card
from pytest_jevbench.scoring.card_reading import Card, read_card
from pytest_jevbench.scoring.compared_cards import compare_with
from tests.acceptance.small_project import PLAIN, Project, freeze_cases
from tests.reports.compared import BASELINE, WORSE, run_of


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("worst")
    return Project(folder / "project", freeze_cases(folder, 4), model=PLAIN)


@pytest.fixture(scope="module")
def card(project: Project) -> Card:
    """A card of four tests, c0 and c2 violated."""
    project.run("--jevbench-markdown=run.md", broken=["c0", "c2"])
    return read_card(project.folder / "jevbench-card.json")


def test_the_words_are_those_of_the_run(project: Project, card: Card) -> None:
    printed = (project.folder / "run.md").read_text(encoding="utf-8")
    told = worst_of_card(card)
    assert [one.test.case_id for one in told] == ["c0", "c2"]
    for one in told:
        assert one.new is None
        assert "\n".join(one.lines[:-1]) in printed  # the last line is how to ask again
        assert any(line.startswith("  + ") for line in one.lines)
    assert shlex.split(told[0].ask_again) == ["pytest", "small::c0::key_rename-q", f"--jevbench-suite={project.suite}"]


def test_beside_a_baseline_new_ones_alone(card: Card) -> None:
    value = json.loads(json.dumps(card.data))
    for test in value["tests"]:
        if test["case"] == "c0":
            test["verdict"] = "held"
            test["outcomes"][0] |= {"deviation": 0.0, "violated": False}
    told = worst_of_card(card, compare_with(card, Card.from_json(value), draws=10))
    assert [(one.test.case_id, one.new) for one in told] == [("c0", True)]
    assert worst_of_card(card, compare_with(card, card, draws=10)) == []


@pytest.mark.parametrize(
    ("identity", "option"),
    [
        ({"launch": "serve --port {port}"}, "'--jevbench-launch=serve --port {port}'"),
        ({"address": "http://h"}, "--jevbench-url=http://h"),
        ({"dialect": "reference", "asked": "luce"}, "--jevbench-reference=luce"),
    ],
)
def test_how_to_ask_again(card: Card, identity: dict[str, str], option: str) -> None:
    model = {**card.data["identity"]["model"], "launch": "", "address": "", **identity}
    changed = replace(card, data={**card.data, "identity": {**card.data["identity"], "model": model}})
    assert worst_of_card(changed)[0].ask_again.endswith(option)


def test_a_card_without_requests_has_nothing_to_tell() -> None:
    now = run_of(WORSE)
    assert worst_of_card(now, compare_with(now, run_of(BASELINE), draws=10)) == []


def test_questions_that_cannot_be_read_are_left_out(card: Card, tmp_path: Path) -> None:
    value = json.loads(json.dumps(card.data))
    for exchange in value["relations"][0]["worst"][0]["exchanges"]:
        exchange["request"] = {"questions": {"q": {"type": "riddle"}}}
    told = worst_of_card(Card.from_json(value))
    assert "  (the same request)" in told[0].lines
