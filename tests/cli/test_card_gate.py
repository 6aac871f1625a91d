"""Gating a saved card: the run's own lines, decision and exit status."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_jevbench.cli import main
from pytest_jevbench.scoring.card import write_card
from pytest_jevbench.scoring.card_reading import Card
from tests.reports.compared import BASELINE, WORSE, gated, run_of
from tests.scoring.by_hand import held_and_violated


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with a baseline and a worse card."""
    monkeypatch.chdir(tmp_path)
    save("baseline.json", run_of(BASELINE))
    save("card.json", run_of(WORSE))
    return tmp_path


def save(name: str, card: Card) -> None:
    write_card(name, dict(card.data))


@pytest.mark.parametrize("command", [["gate"], ["card", "gate"]])
@pytest.mark.parametrize(
    ("conditions", "status"),
    [
        (("min.overall=0.8",), 0),
        (("min.overall=0.85",), 1),
        (("min.overall=0.8", "max_new_violations=5"), 1),
        (("min.overall=0.8", "max_new_violations=6"), 0),
        (("min_accuracy=0.5",), 16),  # there are no labelled answers
    ],
)
def test_lines_decision_and_status_are_those_of_the_gate(
    command: list[str], conditions: tuple[str, ...], status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = gated(run_of(WORSE), *conditions, baseline=run_of(BASELINE))
    asked = [f"--require={condition}" for condition in conditions]
    assert main([*command, "card.json", "--baseline", "baseline.json", *asked]) == status == expected.exit_status
    printed = capsys.readouterr().out
    assert " ".join(printed.split()) == " ".join(" ".join(expected.lines).split())
    assert max(map(len, printed.splitlines())) <= 80
    assert main([*command, "card.json", "--baseline", "baseline.json", "--json", *asked]) == status
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(expected.to_json()))


def test_a_baseline_alone_asks_for_no_significant_drop(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gate", "card.json", "--baseline", "baseline.json"]) == 0
    assert "no_significant_drop overall: passed" in capsys.readouterr().out


def test_conditions_come_from_a_file_or_from_jevbench_yaml(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "gate.yaml").write_text("min: 0.85\n", encoding="utf-8")
    (here / "jevbench.yaml").write_text("gate:\n  min: 0.8\n", encoding="utf-8")
    assert main(["gate", "card.json"]) == 0
    assert "at least 0.800" in capsys.readouterr().out
    assert main(["gate", "card.json", "--gate", "gate.yaml"]) == 1
    assert "at least 0.850" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["card.json"], "there is no gate to decide"),
        (["card.json", "--require=max_drop.overall=0.1"], "a condition of the gate compares with a baseline"),
        (["card.json", "--require=min.overal=0.1"], "Did you mean overall"),
        (["card.json", "--require=min=0.1", "--gate=gate.yaml"], "Keep them in one place"),
        (["card.json", "--gate=gate.yaml"], "gate.yaml: there is no such file"),
        (["no.json", "--require=min=0.1"], "no.json: there is no such file"),
    ],
)
def test_wrong_use_is_told_in_one_line(words: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["gate", *words]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("violated", "tests", "condition", "status", "said"),
    [
        (501, 10_000, "min.option_clone=0.95", 1, "0.9499 [0.945, 0.954], at least 0.9500"),
        (500, 10_000, "min.option_clone=0.95", 0, "0.950 [0.946, 0.954], at least 0.950"),
        (3, 10, "max_violation_rate.option_clone=0.3", 0, "0.300 [0.108, 0.603], at most 0.300"),
    ],
)
def test_a_score_beside_its_limit_has_the_digits_that_decide(
    violated: int, tests: int, condition: str, status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from tests.reports.cards import card

    save("large.json", card(held_and_violated("option_clone", tests - violated, violated)))
    assert main(["gate", "large.json", f"--require={condition}"]) == status
    assert said in " ".join(capsys.readouterr().out.split())


def test_the_summary_for_a_job_on_request(here: Path) -> None:
    words = ["gate", "card.json", "--baseline", "baseline.json", "--require=max_new_violations=5"]
    assert main([*words, "--markdown", "summary.md"]) == 1
    text = (here / "summary.md").read_text(encoding="utf-8")
    assert text.startswith("## ❌ Coherence gate failed: m on made-up\n")
    assert "card compare baseline.json card.json" in text
