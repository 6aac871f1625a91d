"""The command that prints cards again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_jevbench.cli import card_report, main
from pytest_jevbench.json_text import dumps
from pytest_jevbench.scoring.card import card_text, read_card
from tests.reports.cards import card, results


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made = tmp_path / "card.json"
    made.write_text(card_text(card().data), encoding="utf-8")
    return made


@pytest.mark.parametrize("command", [["report"], ["card", "report"]])
def test_it_prints_a_card(command: list[str], path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*command, str(path)]) == 0
    assert "overall                                  70.0" in capsys.readouterr().out


def test_under_another_tolerance_and_minimum(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(path), "--tolerance", "0.6"]) == 0
    assert "50 tests planned: 50 held, 0 violated" in capsys.readouterr().out
    assert main(["report", str(path), "--min-n", "11"]) == 0
    assert "overall                                     -" in capsys.readouterr().out


def test_as_json(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", str(path), "--json", "--bootstrap", "0", "--names", "other"]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert (found["name"], found["overall"]["score"], found["overall"]["interval"]) == (
        "other",
        pytest.approx(0.7),
        None,
    )
    assert [row["violated"] for row in found["relations"]] == [1, 2, 3, 4, 5]


def test_several_cards(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    other = tmp_path / "other.json"
    other.write_text(card_text(card(results(key_rename=0)).data), encoding="utf-8")
    assert main(["report", str(path), str(other), "--names", "first,second", "--level", "group"]) == 0
    out = capsys.readouterr().out
    assert out.splitlines()[0].split() == ["first", "second"]


def test_published_and_back(path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "report.json.gz"
    assert main(["card", "report", str(path), "--published", str(out)]) == 0
    assert "50 tests in the published layout" in capsys.readouterr().out
    assert read_card(out).scores.overall.score == pytest.approx(0.7)
    assert main(["report", str(out)]) == 0


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["none.json"], "none.json: there is no such file"),
        (["{card}", "--names", "a,b"], "2 names for 1 card"),
        (["{card}", "{card}", "--published", "x.json"], "--published was given 2 cards"),
    ],
)
def test_wrong_use_is_told_in_one_line(
    words: list[str],
    said: str,
    path: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["report", *(word.replace("{card}", str(path)) for word in words)]) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("words", [["--tolerance", "2"], ["--min-n", "0"], ["--bootstrap", "-1"], ["--level", "case"]])
def test_wrong_values_are_usage_errors(words: list[str], path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as raised:
        main(["report", str(path), *words])
    assert raised.value.code == 2


def test_a_terminal_that_knows_ascii_alone(tmp_path: Path) -> None:
    made = tmp_path / "card.json"
    made.write_text(dumps(card(name="日本 é").data), encoding="utf-8")
    env = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "ascii"}
    command = [sys.executable, "-m", "pytest_jevbench", "report", str(made)]
    done = subprocess.run(command, capture_output=True, env=env, check=True)
    assert done.stdout.isascii()
    assert done.stdout.startswith(b"\\u65e5\\u672c \\xe9 - made-up\n")


def test_a_place_that_cannot_be_written_is_one_line(
    path: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder.json").mkdir()
    for place in (tmp_path / "folder.json", tmp_path / "file" / "x.json"):
        assert main(["report", str(path), "--published", str(place)]) == 2
        told = capsys.readouterr().err.splitlines()
        assert len(told) == 1
        assert str(place.parent) in told[0]


def test_ctrl_c_is_one_line(path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(card_report, "summary", interrupted)
    assert main(["report", str(path)]) == 130
    assert capsys.readouterr().err == "pytest-jevbench: interrupted\n"
