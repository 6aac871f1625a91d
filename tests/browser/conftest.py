"""A browser, and pages of a real run: two models of sparrow-decider on two domains."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.cli import main
from pytest_jevbench.json_text import dumps
from pytest_jevbench.judges.demo import demo_fixture, demo_pairs
from pytest_jevbench.judges.document import JudgeSettings, calibration_document
from tests.browser.chromium import Page, chromium, find_chromium

MODELS = {"sparrow-decider": "sparrow-decider serve", "nano-robot": "sparrow-decider --model nano-robot serve"}
DOMAINS = ("logistics", "agent_logs")


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    """A headless Chromium. It is missed in CI; a user's machine may have none."""
    command = find_chromium()
    if command is None:
        if os.environ.get("CI"):
            pytest.fail("these tests need Chromium: apt-get install chromium")
        pytest.skip("no Chromium is installed")
    with chromium(command, tmp_path_factory.mktemp("chromium")) as page:
        yield page


@pytest.fixture(scope="session")
def real_cards(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The cards of a run of each model."""
    folder = tmp_path_factory.mktemp("runs")
    cards = {}
    for name, command in MODELS.items():
        cards[name] = folder / f"{name}.json"
        _pytest(
            folder,
            *("-q", "-p", "no:randomly", "--jevbench-suite=jevbench-mini"),
            *(f"--jevbench-domain={domain}" for domain in DOMAINS),
            *(f"--jevbench-launch={command} --port {{port}}", f"--jevbench-name={name}"),
            *(f"--jevbench-card={cards[name]}", f"--jevbench-html={folder / name}.html", "--jevbench-min-n=2"),
            *("--jevbench-fail-on=never", "--jevbench-store=off"),
        )
    return cards


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A labelled result of a real run, judges of the demonstration, and the card of a reference model as a judge."""
    folder = tmp_path_factory.mktemp("results")
    launch = "--jevbench-launch=sparrow-decider serve --port {port}"
    run = ("-q", "-p", "no:randomly", "--jevbench-fail-on=never")
    _pytest(folder, *run, "--jevbench-tasks=jevbench-examples", launch, "--jevbench-labelled=labelled.json")
    _pytest(folder, *run, "--jevbench-suite=jevbench-judges", launch, "--jevbench-card=judge-card.json")
    document = calibration_document(demo_fixture(), JudgeSettings(draws=200), demo_pairs())
    (folder / "judges.json").write_text(dumps(document), encoding="utf-8")
    return {name: folder / f"{name}.json" for name in ("labelled", "judges", "judge-card")}


@pytest.fixture(scope="session")
def everything(real_cards: dict[str, Path], results: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page with every section that there is."""
    path = tmp_path_factory.mktemp("everything") / "report.html"
    documents = [str(one) for one in (*real_cards.values(), *results.values())]
    baseline = ("--baseline", str(real_cards["sparrow-decider"]))
    assert main(["card", "report", *documents, "--html", str(path), *baseline]) == 0
    return path


@pytest.fixture(scope="session")
def real_data(real_cards: dict[str, Path]) -> dict[str, dict[str, Any]]:
    return {name: json.loads(path.read_text(encoding="utf-8")) for name, path in real_cards.items()}


@pytest.fixture(scope="session")
def two_models(real_cards: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of both, against the first as baseline."""
    path = tmp_path_factory.mktemp("page") / "report.html"
    cards = [str(card) for card in real_cards.values()]
    assert main(["card", "report", *cards, "--html", str(path), "--baseline", cards[0]]) == 0
    return path


def _pytest(folder: Path, *words: str) -> None:
    """A run in a process of its own, as on a person's machine."""
    environment = {name: value for name, value in os.environ.items() if name not in ("CI", "GITHUB_ACTIONS")}
    command = [sys.executable, "-m", "pytest", *words]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
