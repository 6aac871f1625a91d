"""``card report --accuracy``: coherence against accuracy as a person types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_jevbench.cli import main
from pytest_jevbench.reports.text import columns
from pytest_jevbench.scoring.card import card_text
from tests.reports.cards import card


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """``gold.json`` knows which of its answers are right, ``plain.json`` does not."""
    (tmp_path / "gold.json").write_text(card_text(card(gold=True, name="gold").data), encoding="utf-8")
    (tmp_path / "plain.json").write_text(card_text(card(name="plain").data), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def printed(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    capsys.readouterr()
    assert main(["card", "report", *words, "--accuracy"]) == 0
    return capsys.readouterr().out.splitlines()


def test_both_figures_of_each_card_and_of_the_model_that_reads_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Eight of ten questions are answered, six right; the card holds 70 % of its laws."""
    said = printed(capsys, "gold.json", "plain.json")
    rows = [line.replace("[", " ").replace(",", " ").replace("]", " ").split() for line in said[1:4]]
    assert (rows[0][:2], rows[0][4]) == (["gold", "70.0"], "60.0")
    assert rows[1][:2] == ["plain", "70.0"]
    assert rows[1][-1] == "-"
    assert rows[2] == ["uniform", "(reads", "nothing)", "100.0", "50.0"]
    assert all(columns(line) <= 80 for line in said)
    assert any("does not say which of its answers are right" in line for line in said)


def test_questions_families_and_laws(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """c0 to c4 break laws and are right; of c5 to c7, which break none, c5 alone is; c8 and c9 have no answer."""
    said = printed(capsys, "gold.json")
    table = {line[:38].strip(): line[38:].split() for line in said}
    assert table["every law about them kept"] == ["66.7", "3"]
    assert table["a law about them broken"] == ["0.0", "5"]
    assert table["shop"] == ["60.0", "0.0", "5"]
    assert table["bank"] == ["0.0", "66.7", "3"]
    assert any("No, the other way round" in line for line in said)
    assert said[-1] == "* 2 labelled questions are left out: no answer, or no judged law about them."


def test_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    gold, plain = json.loads("\n".join(printed(capsys, "gold.json", "plain.json", "--json")))
    assert (gold["name"], gold["accuracy"], gold["uniform"]) == ("gold", 0.6, [1.0, 0.5])
    assert gold["coherence"] == pytest.approx(0.7)
    within = gold["within"]
    assert (within["questions"], within["cases"], within["left_out"]) == (8, 8, 2)
    # By hand: incoherence 1, .8, .6, .4, .2, 0, 0, 0 against error 0 six times, then 1 and 1.
    assert within["by_question"]["value"] == pytest.approx(-0.645497, abs=1e-6)
    assert (plain["accuracy"], plain["within"]) == (None, None)


def test_a_correlation_of_two_families_has_no_interval(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [gold] = json.loads("\n".join(printed(capsys, "gold.json", "--json")))
    of = gold["within"]["by_family"]
    assert (of["value"], of["n"], of["interval"]) == (pytest.approx(-1.0), 2, None)
    assert of["interval_reason"] == "a rank correlation of two is 1 or -1, whatever they are"


def test_other_tolerances_and_draws_are_heeded(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    [gold] = json.loads("\n".join(printed(capsys, "gold.json", "--json", "--tolerance", "0.6")))
    assert gold["within"]["by_question"]["reason"] == "every question is equally coherent"
    [gold] = json.loads("\n".join(printed(capsys, "gold.json", "--json", "--bootstrap", "0")))
    of = gold["within"]["by_question"]
    assert (of["interval"], of["interval_reason"]) == (None, "no bootstrap draws were asked for")


@pytest.mark.parametrize("words", [["--minimized"], ["--level", "question"], ["--metric", "graded"]])
def test_options_of_other_tables_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    assert main(["card", "report", "gold.json", "--accuracy", *words]) == 2
    assert capsys.readouterr().err.startswith(f"pytest-jevbench: --accuracy and {words[0]} print different tables")


def test_the_plane_of_several_cards(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["card", "report", "gold.json", "plain.json", "--scatter", "plane.svg"]) == 0
    svg = (folder / "plane.svg").read_text(encoding="utf-8")
    assert "gold" in svg
    assert "uniform" in svg
