"""``pytest-jevbench judge ...`` as a person types it, on sound data and on broken ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from html.parser import HTMLParser
from importlib.resources import files
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from pytest_jevbench.cli import main
from tests.judges.worked_example import worked_fixture

SCHEMA = json.loads((files("pytest_jevbench.judges") / "judges.schema.json").read_text(encoding="utf-8"))
Write = Callable[[str, Any], str]
Capture = pytest.CaptureFixture[str]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes a JSON file into the folder that commands run in."""
    monkeypatch.chdir(tmp_path)

    def put(name: str, value: Any) -> str:
        (tmp_path / name).write_text(value if isinstance(value, str) else json.dumps(value, indent=1), "utf-8")
        return name

    return put


def printed(capsys: Capture, *words: str, status: int = 0) -> str:
    capsys.readouterr()
    assert main(["judge", *words]) == status
    out, err = capsys.readouterr()
    assert bool(err) == (status == 2)
    return out + err


def document(capsys: Capture, *words: str) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(printed(capsys, *words, "--json", "--bootstrap", "50"))
    jsonschema.Draft202012Validator(SCHEMA).validate(value)
    return value


def test_calibrate_gives_the_figures_of_the_worked_example(write: Write, capsys: Capture) -> None:
    path = write("mine.json", worked_fixture())
    [row] = document(capsys, "calibrate", "--fixture", path)["calibration"]
    changes = {name: shown["changes"] for name, shown in row["methods"].items()}
    assert list(changes) == ["platt", "temperature", "histogram", "isotonic", "beta"]
    for name, ece, brier in (
        ("platt", 0.089749, 0.229762),
        ("temperature", 0.037181, 0.222829),
        ("histogram", 0.066667, 0.226667),
    ):
        assert changes[name]["ece_positive"]["before"] == pytest.approx(0.303333, abs=5e-7)
        assert changes[name]["brier"]["before"] == pytest.approx(0.3143, abs=5e-7)
        assert changes[name]["ece_positive"]["after"] == pytest.approx(ece, abs=5e-7)
        assert changes[name]["brier"]["after"] == pytest.approx(brier, abs=5e-7)
    [plain] = document(capsys, "calibrate", "--fixture", path, "--method", "platt", "--platt-targets", "plain")[
        "calibration"
    ]
    assert list(plain["methods"]) == ["platt"]
    assert plain["methods"]["platt"]["after"]["ece_positive"] == pytest.approx(0.037181, abs=5e-7)
    assert plain["methods"]["platt"]["after"]["brier"] == pytest.approx(0.222829, abs=5e-7)
    bare = document(capsys, "calibrate", "--fixture", path, "--method", "histogram", "--histogram-alpha", "0")
    # Without alpha the bins hold 2/3 and 1/3, which is what the held-out items have: no calibration error is left.
    assert bare["calibration"][0]["methods"]["histogram"]["after"]["ece_positive"] == pytest.approx(0.0, abs=1e-12)


def test_a_regression_is_shown_as_one(write: Write, capsys: Capture) -> None:
    value = worked_fixture()
    for item in value["items"][6:]:  # held-out answers that are right each time: whatever takes away certainty harms
        item["judgments"]["judge-a"] = 0.98 if item["truth"] else 0.02
    path = write("mine.json", value)
    told = printed(capsys, "calibrate", "--fixture", path, "--method", "temperature")
    [brier] = [line for line in told.splitlines() if line.strip().startswith("Brier")]
    # 0.02² before. Afterwards (1 + 49^(1/T))^-2 with T = ln 99 / ln 2 = 6.62936: 0.35731² = 0.12767.
    assert brier.split()[2:5] == ["0.0004", "0.1277", "+0.1273"]
    assert brier.endswith("worse")
    assert "better" not in told


def test_a_fixture_of_ones_own_gets_no_demonstration(write: Write, capsys: Capture) -> None:
    path = write("mine.json", worked_fixture())
    for command in ("bench", "calibrate", "agreement"):
        status = 2 if command == "agreement" else 0
        told = printed(capsys, command, "--fixture", path, "--bootstrap", "50", status=status)
        assert "demo" not in told
        assert "made-up" not in told
        assert "judge-steady" not in told
    assert document(capsys, "calibrate", "--fixture", path)["bias"] is None
    demo = document(capsys, "calibrate", "--method", "platt")
    assert demo["judges"] == ["judge-steady", "judge-confident", "judge-lenient"]
    assert [row["judge"] for row in demo["bias"]] == demo["judges"]
    assert "made-up" in demo["cautions"][0]


def test_bench_with_costs_and_without(write: Write, capsys: Capture) -> None:
    value = worked_fixture()
    for item in value["items"]:
        item["judgments"]["cheap"] = 0.5
    path = write("mine.json", value)
    assert document(capsys, "bench", "--fixture", path)["costs"] == {"ranks": None, "reason": "no costs are given"}
    assert "no ranking: no costs are given" in printed(capsys, "bench", "--fixture", path, "--bootstrap", "0")
    value["judge_costs"] = {"judge-a": 2, "cheap": 0}
    write("mine.json", value)
    ranks = document(capsys, "bench", "--fixture", path)["costs"]["ranks"]
    # judge-a is right on 4 of 6 both times, cheap always ties: 2/3 at 2 against 1/2 at 0, so that neither dominates.
    assert [(row["judge"], row["rank"], row["accuracy"]) for row in ranks] == [
        ("cheap", 1, 0.5),
        ("judge-a", 1, pytest.approx(2 / 3)),
    ]


def test_bias_of_pairs(write: Write, capsys: Capture) -> None:
    pair = {"judge": "j", "a": "Four.", "b": "- Four."}
    orders = [(0.9, 0.6), (0.8, 0.3), (0.5, 0.9), (None, 0.2)]
    rows = [{**pair, "forward": forward, "swapped": swapped} for forward, swapped in orders]
    path = write("pairs.json", {"synthetic": True, "license": "Apache-2.0", "pairs": rows})
    [found] = document(capsys, "bias", "--pairs", path)["bias"]
    place = found["position"]
    assert (place["pairs"], place["unanswered"], place["ties"], place["decisive"], place["flips"]) == (4, 1, 1, 2, 1)
    # Of five answers that are no tie: first at 0.9, 0.6, 0.8, 0.9; second at 0.3.
    assert place["first_rate"]["value"] == pytest.approx(0.8)
    assert place["signed_bias"]["value"] == pytest.approx(0.6)
    assert found["self_preference"]["preference"]["value"] is None
    assert found["self_preference"]["preference"]["reason"] == "nobody says who wrote the answers"
    assert found["length"]["value"] is None
    told = printed(capsys, "bias", "--pairs", path)
    assert "j, own answers: nobody says who wrote the answers" in told
    assert "1 of 4 pairs without an answer" in told


def test_agreement_of_a_fixture_of_ratings_and_as_a_picture(write: Write, capsys: Capture, tmp_path: Path) -> None:
    value = worked_fixture()
    del value["items"][3:6]
    del value["items"][6:]
    for item, small, large in zip(value["items"], (0.9, 0.1, 0.9) * 2, (0.9, 0.1, 0.1) * 2, strict=True):
        item["judgments"] = {"small": small, "<large>": large}
    path = write("mine.json", value)
    svg = tmp_path / "kappa.svg"
    found = document(capsys, "agreement", "--fixture", path, "--svg", str(svg))["agreement"]
    # Twice the items of the three-item example: yes, no, yes against yes, no, no.
    assert found["cohen"][0]["value"] == pytest.approx(0.4)
    assert found["fleiss"]["value"] == pytest.approx(1 / 3)
    texts = [element.text for element in ElementTree.fromstring(svg.read_text("utf-8")).iter() if element.text]
    assert "<large>" in texts
    assert texts.count("0.40") == 2
    ratings = {"level": "interval", "raters": {"a": [1, 2, 3, None], "b": [1, 2, 3, 4], "c": [None, 2, 2, 4]}}
    found = document(capsys, "agreement", "--ratings", write("ratings.json", ratings))["agreement"]
    assert found["cohen"] is None
    assert found["krippendorff"]["interval"]["value"] == pytest.approx(0.913462, abs=5e-7)
    assert "Agreement takes two" in printed(
        capsys, "agreement", "--fixture", write("one.json", worked_fixture()), status=2
    )


def test_validate_tells_everything_that_is_wrong_with_each_file(write: Write, capsys: Capture) -> None:
    bad = worked_fixture()
    bad["items"][0]["truth"] = "yes"
    bad["items"][1]["judgments"] = {"judge-a": True, "judge-b": 0.1}
    bad["items"][2]["text"] = "write to jane@corp.io"
    bad["license"] = "MIT"
    sound = write("sound.json", worked_fixture())
    told = printed(capsys, "validate", sound, write("bad.json", bad), write("no.json", "{"), "none.json", status=1)
    lines = told.splitlines()
    assert lines[0] == "sound.json: sound, 6 items to fit and 6 held out, 1 judge"
    assert lines[1] == "bad.json: 5 problems"
    assert lines[2].startswith('  line 4, license: found "MIT".')
    assert lines[3].startswith('  line 20, items[0].truth: found "yes". Give true or false')
    assert [line.split(":")[0].split(", ")[1] for line in lines[4:7]] == [
        "items[1].judgments",
        "items[1].judgments.judge-a",
        "items[2].text",
    ]
    assert "jane" not in told
    assert lines[7].startswith("no.json: not JSON")
    assert lines[8] == "none.json: there is no such file"
    assert main(["judge", "validate", sound]) == 0
    bad["items"][0]["truth"], bad["items"][1]["judgments"] = True, {"judge-a": 0.1}
    assert main(["judge", "validate", "--private", write("bad.json", bad)]) == 0


def test_broken_data_end_each_command_before_anything_is_written(write: Write, capsys: Capture, tmp_path: Path) -> None:
    bad = worked_fixture()
    bad["items"][0]["judgments"]["judge-a"] = 1.5
    bad["items"][7]["split"] = "test"
    path = write("bad.json", bad)
    for words in (["bench"], ["calibrate"], ["agreement"]):
        told = printed(capsys, *words, "--fixture", path, "--html", "report.html", status=2)
        assert told.startswith("pytest-jevbench: bad.json: 2 problems\n")
        assert "items[0].judgments.judge-a: found 1.5" in told
        assert 'items[7].split: found "test"' in told
    assert "these are pairs" in printed(capsys, "bench", "--fixture", write("p.json", {"pairs": []}), status=2)
    assert "this is a fixture" in printed(capsys, "bias", "--pairs", path, status=2)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["bad.json", "p.json"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["bench", "--bins", "x"], "found 'x'; give a whole number from 1 to 1000"),
        (["bench", "--bins", "0"], "give a whole number from 1 to 1000"),
        (["bench", "--bootstrap", "-1"], "give a whole number from 0 to 100000"),
        (["calibrate", "--alpha", "nan"], "--alpha: found 'nan'; give a number between 0 and 1, both excluded"),
        (["calibrate", "--delta", "1"], "--delta: found '1'; give a number between 0 and 1, both excluded"),
        (["calibrate", "--false-positive-cost", "0"], "give a number above 0"),
        (["calibrate", "--false-negative-cost", "inf"], "give a number above 0"),
        (["calibrate", "--histogram-alpha", "-1"], "give a number of at least 0"),
        (["calibrate", "--method", "magic"], "invalid choice: 'magic'"),
        (["bench", "--json", "--markdown"], "not allowed with"),
    ],
)
def test_an_option_says_what_it_takes(words: list[str], told: str, capsys: Capture) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["judge", *words])
    assert caught.value.code == 2
    assert told in capsys.readouterr().err


def test_hostile_names_stay_text_everywhere(write: Write, capsys: Capture, tmp_path: Path) -> None:
    value = worked_fixture("\x1b]0;x\x07<script>|`*")
    path = write("mine.json", value)
    for words in (["bench"], ["bench", "--markdown"], ["calibrate", "--method", "platt", "--html", "report.html"]):
        told = printed(capsys, *words, "--fixture", path, "--bootstrap", "20")
        assert "\x1b" not in told
        assert "\x07" not in told
    assert "<script>|" not in printed(capsys, "bench", "--markdown", "--fixture", path)
    page = (tmp_path / "report.html").read_text("utf-8")
    assert "<script>|" not in page
    found: list[str] = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, attrs: found.append(tag)  # type: ignore[method-assign]
    parser.feed(page)
    assert "svg" in found
    value["items"][0]["judgments"] = {"\x1b]0;x\x07": 2}
    told = printed(capsys, "bench", "--fixture", write("mine.json", value), status=2)
    assert "\x1b" not in told


def test_a_template_is_sound_and_tells_its_kind(write: Write, capsys: Capture) -> None:
    fixture, pairs = printed(capsys, "template"), printed(capsys, "template", "--pairs")
    told = printed(capsys, "validate", write("f.json", fixture), write("p.json", pairs))
    assert told.splitlines() == [
        "f.json: sound, 2 items to fit and 2 held out, 1 judge",
        "p.json: sound, 1 pair of 1 judge",
    ]


def test_an_ascii_terminal(monkeypatch: pytest.MonkeyPatch, write: Write, capfdbinary: Any) -> None:
    path = write("mine.json", worked_fixture("裁判"))
    assert main(["judge", "bench", "--fixture", path, "--bootstrap", "0"]) == 0
    assert capfdbinary.readouterr().out.decode("utf-8").count("裁判") == 1
