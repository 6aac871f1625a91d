"""``card report --html``: what is written, and what is refused before anything is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_jevbench.cli import main
from pytest_jevbench.scoring.card import write_card
from tests.reports.cards import card, results


@pytest.fixture
def cards(tmp_path: Path) -> list[str]:
    """Two cards: the second without the one violation of key_rename."""
    for name, found in (("a", results()), ("b", results(batch_solo=2, option_clone=3, count_upper=4, pairwise_iia=5))):
        write_card(tmp_path / f"{name}.json", card(found, name=name).data)
    return [str(tmp_path / "a.json"), str(tmp_path / "b.json")]


@pytest.mark.parametrize("command", [["card", "report"], ["report"]])
def test_a_page_of_two_cards(
    cards: list[str], tmp_path: Path, command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "pages" / "report.html"
    assert main([*command, *cards, "--names", "first,second", "--html", str(path), "--title", "Ours & theirs"]) == 0
    assert capsys.readouterr().out.startswith(f"report: {path} (0.")
    page = path.read_text(encoding="utf-8")
    assert "<title>Ours &amp; theirs: coherence report</title>" in page
    assert page.index("first") < page.index("second")
    assert "72.0" in page  # the second's overall: (100 + 80 + 70 + 60 + 50) / 5


def test_options_of_the_page(cards: list[str], tmp_path: Path) -> None:
    path, families = tmp_path / "report.html", tmp_path / "families.yaml"
    families.write_text("one: [a]\n")
    options = ["--level", "group", "--metric", "graded", "--tolerance", "0.6", "--families", str(families)]
    assert main(["report", *cards, *options, "--html", str(path), "--baseline", cards[0]]) == 0
    page = path.read_text(encoding="utf-8")
    assert page.index("graded scores by group") < page.index("graded scores by dimension")
    assert "other models" in page  # the family of those that the file does not name
    assert "All 50 tests hold" in page  # the largest deviation is 0.525


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--level", "relation"], '"relation". Give --level dimension or group with --html'),
        (["--baseline", "nowhere.json"], "nowhere.json: there is no such file"),
        (["--names", "one"], "1 name for 2 cards"),
        (["--families", "nowhere.yaml"], "nowhere.yaml: there is no such file"),
    ],
)
def test_what_is_refused(
    cards: list[str], tmp_path: Path, options: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "report.html"
    assert main(["report", *cards, "--html", str(path), *options]) == 2
    assert told in capsys.readouterr().err
    assert not path.exists()


def test_a_baseline_without_a_page(cards: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", *cards, "--baseline", cards[0]]) == 2
    assert "--baseline goes with --html" in capsys.readouterr().err


def test_a_place_that_is_a_folder(cards: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", *cards, "--html", str(tmp_path)]) == 2
    assert str(tmp_path) in capsys.readouterr().err


def test_a_document_of_an_unknown_format(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"format": "else", "schema_version": "1.0"}))
    assert main(["report", str(path), "--html", str(tmp_path / "r.html")]) == 2
    assert f"{path}, format: found" in capsys.readouterr().err
