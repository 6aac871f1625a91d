"""The board: files that agree with the cards and with each other, whatever a model is called."""

from __future__ import annotations

import csv
import json
from html.parser import HTMLParser
from pathlib import Path

import jsonschema
import pytest

from pytest_jevbench.cli import main
from pytest_jevbench.reports.board.document import board_schema
from pytest_jevbench.reports.text import columns
from pytest_jevbench.scoring.card import ModelFacts, card_text
from tests.reports.cards import card, results
from tests.reports.compared import run_of
from tests.scoring.by_hand import FIVE, unjudged

HOSTILE = "</script><script>alert(1)</script>\"'&<b>\u202e=大きいモデル" + "x" * 300
FORMULA = "=HYPERLINK(1)"


class Page(HTMLParser):
    """What a browser makes of the page, as far as these tests ask."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []
        self.texts: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            assert not name.startswith("on")
            if name in ("href", "src"):
                self.links.append(str(value))

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the cards of six models, made the working directory."""
    worst = [(name, i) for name in FIVE for i in range(9)]
    part = [r for r in results() if (r.id.relation, r.id.case_id) != ("key_rename", "c0")]
    made = {
        "a": card(name="alpha", gold=True),
        "b": run_of([("option_clone", 1)], model=ModelFacts("same")),
        "c": run_of([("option_clone", 2)], model=ModelFacts("same")),
        "d": run_of(worst, model=ModelFacts(HOSTILE)),
        "e": card([*part, unjudged("key_rename", "c0")], FORMULA),
    }
    for name, of in made.items():
        (tmp_path / f"{name}.json").write_text(card_text(of.data), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


CARDS = ["a.json", "b.json", "c.json", "d.json", "e.json"]


def test_page_csv_and_json_say_the_same(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["board", *CARDS, "-o", "site/board"]) == 0
    out = capsys.readouterr().out
    assert all(columns(line) <= 80 for line in out.splitlines())
    site = folder / "site/board"
    document = json.loads((site / "board.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(board_schema()).validate(document)
    rows = list(csv.DictReader((site / "board.csv").read_text(encoding="utf-8").splitlines()))
    ranks = [(m["name"], m["rank_low"], m["rank_high"]) for m in document["models"]]
    assert ranks == [("same", 1, 2), ("same (2)", 1, 2), ("alpha", 3, 3), (HOSTILE, 4, 4), (FORMULA, None, None)]
    for model, row in zip(document["models"], rows, strict=False):
        assert row["overall"] == ("" if model["overall"]["score"] is None else repr(model["overall"]["score"]))
        assert row["rank_low"] == ("" if model["rank_low"] is None else str(model["rank_low"]))
        assert (site / model["page"]).is_file()
        assert row["page"] == model["page"]
    assert rows[2]["accuracy"] == repr(0.6)
    assert (rows[-1]["kind"], rows[-1]["overall"]) == ("reference", "1.0")
    assert document["reference"]["after"] == 0
    assert document["models"][-1]["unranked"] == "incomplete: 1 of 50 planned tests not judged (refused 1)"


def test_whatever_a_model_is_called_is_text(folder: Path) -> None:
    assert main(["board", *CARDS, "-o", "site"]) == 0
    text = (folder / "site/index.html").read_text(encoding="utf-8")
    page = Page(text)
    assert page.tags.count("script") == 1
    assert any("</script><script>alert(1)</script>\"'&<b>\\u202e=大きいモデル" in shown for shown in page.texts)
    assert "\u202e" not in text
    assert {link for link in page.links if not link.startswith(("#", "models/"))} == {"board.csv", "board.json"}
    for link in page.links:
        if link.startswith("models/"):
            assert (folder / "site" / link).is_file()
    assert "default-src 'none'" in text
    cells = (folder / "site/board.csv").read_text(encoding="utf-8")
    assert "'=HYPERLINK(1)" in cells
    assert "\n=" not in cells
    assert ",=" not in cells


def test_the_same_cards_give_the_same_bytes(folder: Path) -> None:
    for place in ("one", "two"):
        assert main(["board", *CARDS, "-o", place]) == 0
    names = sorted(p.relative_to(folder / "one") for p in (folder / "one").rglob("*") if p.is_file())
    assert len(names) == 3 + 5
    assert all((folder / "one" / n).read_bytes() == (folder / "two" / n).read_bytes() for n in names)


def test_one_card_and_no_pages(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["board", "a.json", "-o", "site", "--no-pages", "--title", "<One>"]) == 0
    assert "Fewer than two models can be ranked" in capsys.readouterr().out
    page = Page((folder / "site/index.html").read_text(encoding="utf-8"))
    assert "<One>" in page.texts
    assert not [link for link in page.links if link.startswith("models/")]
    assert not (folder / "site/models").exists()


def test_cards_without_scores(folder: Path) -> None:
    assert main(["board", "a.json", "b.json", "-o", "site", "--min-n", "100"]) == 0
    document = json.loads((folder / "site/board.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(board_schema()).validate(document)
    assert [m["rank_low"] for m in document["models"]] == [None, None]
    assert "no overall score" in document["models"][0]["unranked"]


def test_forty_cards(folder: Path) -> None:
    assert main(["board", *["a.json", "b.json", "c.json", "d.json"] * 10, "-o", "site", "--no-pages"]) == 0
    document = json.loads((folder / "site/board.json").read_text(encoding="utf-8"))
    assert len(document["pairs"]) == 40 * 39 // 2
    assert len({model["name"] for model in document["models"]}) == 40
    assert document["models"][0]["rank_high"] == 20
    assert "780 pairs stand in" in (folder / "site/index.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["a.json", "none.json"], "none.json: there is no such file"),
        (["a.json", "--by", "x"], '--by: found "x". Give one of overall, REP'),
        (["a.json", "--families", "none.yaml"], "none.yaml: there is no such file"),
        (["a.json", "--names", "x,y"], "2 names for 1 card"),
    ],
)
def test_wrong_use_is_told_and_nothing_is_written(
    words: list[str], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["board", *words, "-o", "site"]) == 2
    assert said in capsys.readouterr().err
    assert not (folder / "site").exists()


def test_a_file_in_the_place_of_the_folder(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["board", "a.json", "-o", "b.json"]) == 2
    assert "b.json: this is a file, not a folder" in capsys.readouterr().err
