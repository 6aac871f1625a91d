"""The pictures that ``card report`` draws."""

from __future__ import annotations

import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from pytest_jevbench.cli import main
from pytest_jevbench.reports import png
from pytest_jevbench.scoring.card import card_text
from pytest_jevbench.slugs import file_name
from tests.reports.cards import card, results

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = '<script>alert("x")</script> & \u202e大きい\x00'


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with three cards in it, made the working directory."""
    for name, model, violated in (("a", "alpha", {"key_rename": 2}), ("b", "beta", {}), ("c", HOSTILE, {})):
        made = card(results(**violated), model)
        (tmp_path / f"{name}.json").write_text(card_text(made.data), encoding="utf-8")
    (tmp_path / "families.yaml").write_text("greek: [alpha, beta]\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def texts(path: Path) -> str:
    return " ".join(text for text in ElementTree.fromstring(path.read_bytes()).itertext())


def test_radar_grid_and_families(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--radar", "r.svg", "--grid", "g.svg", "--family-dir", "new/dir", "--families", "families.yaml"]
    assert main(["card", "report", "a.json", "b.json", "c.json", *words, "--level", "group"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "r.svg: radar of 3 models",
        "g.svg: small radars of 3 models",
        'new/dir/greek.svg: radar of family "greek"',
        f'new/dir/{file_name("other models")}.svg: radar of family "other models"',
    ]
    for path in ("r.svg", "g.svg"):
        assert '<script>alert("x")</script> &' in texts(folder / path)
        assert "<script" not in (folder / path).read_text(encoding="utf-8")
    assert "greek" in texts(folder / "g.svg")
    assert "alpha" in texts(folder / "new/dir/greek.svg")
    assert "alert" not in texts(folder / "new/dir/greek.svg")


def test_a_panel_a_card_with_its_overall_score(folder: Path) -> None:
    assert main(["report", "a.json", "b.json", "--grid", "g.svg", "--metric", "graded", "--title", "Two <models>"]) == 0
    root = ElementTree.fromstring((folder / "g.svg").read_bytes())
    panels = [g for g in root.iter(f"{SVG}g") if g.get("class") == "jr-panel"]
    assert len(panels) == 2
    assert root.findtext(f"{SVG}title") == "Two <models>"
    assert "alpha: REP" in str(root.findtext(f"{SVG}desc"))
    x, y, width, height = map(float, str(root.get("viewBox")).split())
    assert (x, y) == (0.0, 0.0)
    for text in root.iter(f"{SVG}text"):
        if text.get("class") in ("jr-title", "jr-model", "jr-group", "jr-faint"):
            assert 0 <= float(str(text.get("x"))) <= width
            assert 0 <= float(str(text.get("y"))) <= height


def test_a_png_is_drawn_with_its_texts(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "a.json", "--radar", "r.PNG", "--grid", "g.png"]) == 0
    assert "r.PNG: radar of 1 model" in capsys.readouterr().out
    for name in ("r.PNG", "g.png"):
        data = (folder / name).read_bytes()
        assert data.startswith(b"\x89PNG\r\n\x1a\n")
        assert int.from_bytes(data[16:20], "big") >= 1200  # pixels across: twice the units of the SVG


def test_characters_that_no_font_has_are_told() -> None:
    svg = "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><text>a \u0378 &amp;</text></svg>"
    assert png.png_of_svg(svg, "x.png").missing == ("\u0378",)


def test_without_a_font_there_is_no_picture(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(png, "_sample", lambda character: b"nothing was drawn")
    with pytest.raises(Exception, match=r"x\.png: no font is installed here"):
        png.png_of_svg("<svg/>", "x.png")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--radar", "r.gif"], "r.gif: a picture is an SVG or a PNG. Let its name end in .svg or .png"),
        (["--radar", "none/r.svg"], 'none/r.svg: there is no folder "none"'),
        (["--radar", "r.svg", "--level", "relation"], '--level: found "relation". Give --level dimension or group'),
        (["--family-dir", "d"], "--family-dir needs to know the families. Give --families FILE"),
        (["--families", "families.yaml"], "--families goes with --grid or --family-dir"),
        (["--title", "t"], "--title goes with --radar, --grid or --scatter"),
        (["--family-dir", "a.json", "--families", "families.yaml"], "a.json: this is a file, not a folder"),
        (["--grid", "g.svg", "--families", "other.yaml"], "other.yaml: there is no such file"),
    ],
)
def test_wrong_use_is_told_and_nothing_is_written(
    words: list[str], said: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = sorted(folder.rglob("*"))
    assert main(["card", "report", "a.json", *words]) == 2
    assert said in capsys.readouterr().err
    assert sorted(folder.rglob("*")) == before


def test_a_png_without_the_extra_names_it(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    assert main(["report", "a.json", "--radar", "r.png"]) == 2
    assert "pip install 'pytest-jevbench[png]', or write to a path that ends in .svg" in capsys.readouterr().err
    assert not (folder / "r.png").exists()
