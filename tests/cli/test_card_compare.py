"""Comparing two saved cards, and making one the baseline."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_jevbench.cli import main
from pytest_jevbench.scoring.card import ModelFacts, SuiteFacts, write_card
from pytest_jevbench.scoring.card_reading import Card, read_card
from tests.reports.cards import card
from tests.reports.compared import BASELINE, WORSE, gated, run_of
from tests.scoring.by_hand import held_and_violated, unjudged


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    save("baseline.json", run_of(BASELINE))
    save("card.json", run_of(WORSE))
    return tmp_path


def save(name: str, made: Card, **sections: object) -> None:
    write_card(name, {**made.data, **sections})  # type: ignore[dict-item]


def test_compare_prints_the_changes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["card", "compare", "baseline.json", "card.json"]) == 0
    out = capsys.readouterr().out
    assert "6 new violations, 2 known, 1 fixed" in out
    assert main(["card", "compare", "card.json", "baseline.json", "--level=relation", "--tests"]) == 0
    out = capsys.readouterr().out
    assert "1 new violation, 2 known, 6 fixed" in out
    assert "  new    option_clone, case c0, question q" in out
    assert "+50.0" in out


def test_compare_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["card", "compare", "baseline.json", "card.json", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["new"] == [["option_clone", f"c{i}", "q"] for i in range(2, 8)]
    assert found["fixed"] == [["option_clone", "c0", "q"]]
    assert found["scores"]["overall"]["change"] == pytest.approx(-0.1)
    assert found["scores"]["option_clone"]["mcnemar"] == {"fixed": 1, "new": 6, "p": 8 / 128}
    assert found["cautions"] == []


def test_cards_of_different_suites_are_not_compared(capsys: pytest.CaptureFixture[str]) -> None:
    save("other.json", run_of(BASELINE, suite=SuiteFacts("other", version="1")))
    assert main(["card", "compare", "other.json", "card.json"]) == 2
    assert "the baseline is of another suite" in capsys.readouterr().err


def test_promote_writes_the_card_and_says_what_changes(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["card", "promote", "card.json", "new/baseline.json"]) == 0
    said = capsys.readouterr().out
    out = " ".join(said.split())
    assert max(map(len, said.splitlines())) <= 80
    assert out == "new/baseline.json: m on made-up, 50 tests, overall 84.0 There was no baseline before."
    assert (here / "new/baseline.json").read_bytes() == (here / "card.json").read_bytes()
    assert main(["card", "promote", "card.json", "baseline.json"]) == 0
    out = capsys.readouterr().out
    assert "Before: m; 6 new violations, 2 known, 1 fixed since then." in out
    assert "Overall 94.0 to 84.0 (-10.0)." in out
    assert read_card("baseline.json").scores.overall.score == pytest.approx(0.84)


def test_promote_takes_a_card_whose_gate_passed(here: Path) -> None:
    passed = gated(run_of(WORSE), "min.overall=0.5")
    save("gated.json", run_of(WORSE), gate=passed.to_json())
    assert main(["card", "promote", "gated.json", "baseline.json"]) == 0


FULL = held_and_violated("option_clone", 8, 2)


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (card([*FULL, unjudged("option_clone", "c77")]), "incomplete: 1 of 11 planned tests not judged (refused 1)"),
        (card(FULL[:9], planned=[r.id for r in FULL]), "incomplete: 1 of 10 planned tests not judged (lost 1)"),
        (card(FULL, deselected=[FULL[0].id]), "a subset: 1 planned tests were deselected"),
        (card(FULL, elsewhere=[FULL[0].id]), "1 planned tests are in other shards"),
        (card(FULL, model=ModelFacts("m", answered=("v1", "v2"))), 'by 2 model versions: "v1", "v2"'),
        (card(FULL, stopped="interrupted"), "cut short: the run ended before its last test: interrupted"),
    ],
)
def test_promote_refuses_what_is_not_whole(
    made: Card, said: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = (here / "baseline.json").read_bytes()
    save("part.json", made)
    assert main(["card", "promote", "part.json", "baseline.json"]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert (here / "baseline.json").read_bytes() == before


@pytest.mark.parametrize(
    ("conditions", "said"), [(["min=0.9"], "its gate failed"), (["min_accuracy=0.5"], "its gate was incomplete")]
)
def test_promote_refuses_a_card_whose_gate_did_not_pass(
    conditions: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    save("gated.json", run_of(WORSE), gate=gated(run_of(WORSE), *conditions).to_json())
    assert main(["card", "promote", "gated.json", "new.json"]) == 2
    assert said in capsys.readouterr().err
    assert not Path("new.json").exists()


def test_promote_writes_over_cards_alone(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (here / "notes.txt").write_text("mine\n", encoding="utf-8")
    assert main(["card", "promote", "card.json", "notes.txt"]) == 2
    assert (here / "notes.txt").read_text(encoding="utf-8") == "mine\n"
    save("other.json", run_of(BASELINE, suite=SuiteFacts("other", version="1")))
    capsys.readouterr()
    assert main(["card", "promote", "card.json", "other.json"]) == 0
    assert "It takes the place of a baseline of another suite (other)." in capsys.readouterr().out
