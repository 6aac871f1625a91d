"""``pytest-jevbench judge run``: programs and models that judge, well and badly."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.cli import main
from tests.judges.worked_example import worked_fixture

SECRET = "sk-test-5f0e7a"
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Records a judge that is this script, over three fit and three held-out items; status, output and errors."""
    monkeypatch.chdir(tmp_path)
    value = worked_fixture()
    value["items"] = value["items"][2:4] + value["items"][5:6] + value["items"][6:9]
    (tmp_path / "mine.json").write_text(json.dumps(value), "utf-8")

    def type_in(
        script: str = "", *words: str, source: str = "mine.json", out: str = "out.json"
    ) -> tuple[int, str, str]:
        judges = []
        if script:
            (tmp_path / "a judge.py").write_text(f"import json, os, signal, sys, time\n{script}\n", "utf-8")
            judges = ["--judge-cmd", f"mine='{sys.executable}' -I -S 'a judge.py'"]
        capsys.readouterr()
        status = main(["judge", "run", source, "--out", out, *judges, "--bootstrap", "0", *words])
        out_text, err_text = capsys.readouterr()
        return status, out_text, err_text

    return type_in


def recorded(path: str = "out.json") -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for item in json.loads(Path(path).read_text("utf-8"))["items"]:
        for judge, p in item["judgments"].items():
            found.setdefault(judge, []).append(p)
    return found


ANSWER = 'asked = json.load(sys.stdin)\nprint(json.dumps({"p_yes": float(asked["text"].split()[1][:-1]) / 100}))'


def test_question_and_text_go_in_and_a_probability_comes_out(run: Run, tmp_path: Path) -> None:
    keep = 'open("seen.jsonl", "a").write(json.dumps(asked) + "\\n")'
    status, out, err = run(f"{ANSWER}\n{keep}", "--json")
    assert status == 0
    assert err.startswith("6 questions asked, 0 without an answer; written: out.json")
    # The number in each text, in percent.
    assert recorded() == {"judge-a": [0.99, 0.01, 0.01, 0.98, 0.97, 0.96], "mine": [0.02, 0.03, 0.05, 0.06, 0.07, 0.08]}
    seen = [json.loads(line) for line in (tmp_path / "seen.jsonl").read_text().splitlines()]
    assert seen[0] == {"question": "Does the answer cite evidence?", "text": "Answer 2."}
    document = json.loads(out)
    assert document["judges"] == ["judge-a", "mine"]
    # Held out: yes, no, yes at 0.06, 0.07, 0.08.
    assert document["bench"][1]["holdout"]["brier"] == pytest.approx((0.94**2 + 0.07**2 + 0.92**2) / 3)


@pytest.mark.parametrize(
    ("script", "told"),
    [
        ("sys.stderr.write('no such model'); sys.exit(3)", "exit status 3; it wrote: no such model"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "ended by signal 9"),
        ("time.sleep(600)", "no answer within 0.5 s"),
        ("print('maybe')", "not JSON"),
        ("", "its output is not JSON: it is empty"),
        ("os.write(1, bytes([255, 254]))", "its output is not UTF-8"),
        ("print('{\"p_yes\": NaN}')", "NaN is not JSON"),
        ("print('{\"p_yes\": 1e400}')", "1e400 is too large for a number"),
        ("print('{\"p_yes\": true}')", 'not {"p_yes": a number between 0 and 1}'),
        ('print(\'{"p_yes": "0.5"}\')', 'not {"p_yes": a number between 0 and 1}'),
        ("print('{\"p_yes\": 95}')", 'not {"p_yes": a number between 0 and 1}'),
        ("print('{\"p_no\": 0.5}')", 'not {"p_yes": a number between 0 and 1}'),
        ("print('[0.5]')", 'not {"p_yes": a number between 0 and 1}'),
        ('print(\'{"p_yes": 0.1, "p_yes": 0.9}\')', "stands twice"),
        ("print('[' * 100_000)", "its output is not JSON"),
        ("while True: print('y' * 100_000)", "it printed more than 1,048,576 bytes"),
        (f"print({SECRET!r})", "***"),
        ("sys.stderr.write(os.environ['TEAM_API_KEY']); sys.exit(1)", "it wrote: ***"),
        ("print(json.dumps({'p_yes': os.environ['TEAM_API_KEY']}))", "***"),
        ("sys.stderr.write('\\x1b]0;x\\x07'); sys.exit(1)", "it wrote: \\x1b]0;x\\x07"),
    ],
)
def test_a_program_that_gives_no_answer_is_told_of_and_given_up(
    run: Run, script: str, told: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TEAM_API_KEY", SECRET)
    timeout = "0.5" if "sleep" in script else "60"
    status, out, err = run(script or "pass", "--timeout", timeout)
    assert (status, out) == (1, "")
    lines = err.splitlines()
    assert lines[0] == "3 questions asked, 3 without an answer; written: out.json"
    assert [line.split(":")[0] for line in lines[1:4]] == ["  mine, i2", "  mine, i3", "  mine, i5"]
    assert all(told in line for line in lines[1:4])
    assert all(len(line) < 1000 for line in lines)
    assert "mine was not asked on after several failures in a row" in lines[4]
    assert lines[5].startswith("mine lacks 6 of 6 items")
    assert recorded() == {"judge-a": [0.99, 0.01, 0.01, 0.98, 0.97, 0.96]}
    assert "\x1b" not in err
    for path in tmp_path.iterdir():
        if path.name != "a judge.py":
            assert SECRET not in path.read_text("utf-8")
    assert SECRET not in err


def test_what_failed_is_asked_for_again_and_nothing_else(run: Run) -> None:
    counted = 'open("asked", "a").write("x")'
    broken = f"{counted}\nasked = json.load(sys.stdin)\nif asked['text'] == 'Answer 3.': sys.exit(1)\n"
    answer = "print('{\"p_yes\": 0.75}')"
    status, _, err = run(broken + answer)
    assert status == 1
    assert "mine lacks 1 of 6 items: run again on out.json" in err
    status, _, err = run(f"{counted}\n{answer}", source="out.json")
    assert status == 0
    assert err.startswith("1 questions asked")
    assert Path("asked").read_text() == "x" * 7
    assert recorded()["mine"] == [0.75] * 6
    status, _, err = run("print('{\"p_yes\": 0.25}')", "--again", source="out.json")
    assert err.startswith("6 questions asked")
    assert recorded()["mine"] == [0.25] * 6


def test_ctrl_c_keeps_what_there_is(run: Run) -> None:
    stop = "if asked['text'] == 'Answer 5.': os.kill(os.getppid(), signal.SIGINT); time.sleep(600)"
    status, _, err = run(f"asked = json.load(sys.stdin)\n{stop}\nprint('{{\"p_yes\": 0.5}}')")
    assert status == 130
    assert "mine lacks 4 of 6 items" in err
    assert recorded()["mine"] == [0.5, 0.5]


def test_a_model_that_can_be_asked_is_a_judge_too(run: Run) -> None:
    status, out, _ = run("", "--reference", "uniform", "--judge-name", "coin", "--markdown")
    assert status == 0
    assert recorded()["coin"] == [0.5] * 6
    assert "| coin | 3 | 50.0 |" in out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ([], "no judge is named"),
        (["--judge-cmd", "custom"], "no NAME=COMMAND"),
        (["--judge-cmd", "=true"], "no NAME=COMMAND"),
        (["--judge-cmd", "x=no-such-program-here"], 'there is no program "no-such-program-here"'),
        (["--judge-cmd", "x=true", "--judge-cmd", "x=true"], "two judges are called 'x'"),
        (["--judge-cmd", "x=true", "--timeout", "0"], "--timeout: found 0.0. Give a time above 0 s"),
        (["--judge-cmd", "x=true", "--timeout", "nan"], "--timeout: found nan. Give a time above 0 s"),
        (["--reference", "nobody"], "nobody"),
    ],
)
def test_what_is_typed_wrong_is_told_before_anything_is_asked(run: Run, words: list[str], told: str) -> None:
    status, out, err = run("", *words)
    assert (status, out) == (2, "")
    assert told in err
    assert not Path("out.json").exists()


def test_a_fixture_that_is_broken_or_a_place_that_is_none(run: Run, tmp_path: Path) -> None:
    status, _, err = run(ANSWER, out="nowhere/out.json")
    assert status == 2
    assert "no such place for a file" in err
    bad: dict[str, Any] = worked_fixture()
    bad["items"][0]["truth"] = 1
    bad["items"][1]["question_id"] = "q9"
    (tmp_path / "bad.json").write_text(json.dumps(bad), "utf-8")
    status, _, err = run("open('asked', 'w')", source="bad.json")
    assert status == 2
    assert "bad.json: 2 problems" in err
    assert not Path("asked").exists()


def test_a_file_without_judgments_can_be_recorded(run: Run, tmp_path: Path) -> None:
    value = worked_fixture()
    for item in value["items"]:
        del item["judgments"]
    (tmp_path / "bare.json").write_text(json.dumps(value), "utf-8")
    status, out, _ = run(ANSWER, source="bare.json")
    assert status == 0
    assert out.startswith("1 judge · out: 12 items, 6 to fit, 6 held out")
