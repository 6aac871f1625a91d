"""Base requests asked more than once: what is asked, what is judged, what is told."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import pytest

from pytest_jevbench import InputError, evaluate, reference

Run = Callable[..., pytest.RunResult]

CONFTEST = """
import json, pathlib, pytest
from pytest_jevbench.models.callable import named

def noisy(state, questions):
    # every Noul is 0.5 and a little more or less, in turn
    count = pathlib.Path("count")
    number = int(count.read_text()) if count.exists() else 0
    count.write_text(str(number + 1))
    answers = {}
    for key, q in questions.items():
        if q["type"] == "noul":
            answers[key] = {"type": "noul", "noul": 0.5 + NOISE * (number % 2)}
        else:
            ids = list(q["criteria"]) if q["type"] == "choice" else [str(i) for i in range(len(q["criteria"]))]
            answers[key] = {"type": q["type"], "probabilities": {i: 1 / len(ids) for i in ids}}
    return answers

@pytest.fixture(scope="session")
def jevbench_model():
    return named(noisy, "v1")
"""
CASE = {"id": "c", "state": "The form is green.", "questions": {"green": {"type": "noul", "instructions": "Green?"}}}


@pytest.fixture
def cases(pytester: pytest.Pytester) -> str:
    pytester.path.joinpath("cases.jsonl").write_text(json.dumps(CASE), encoding="utf-8")
    return "--jevbench-cases=cases.jsonl"


def card(pytester: pytest.Pytester) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((pytester.path / "jevbench-card.json").read_text(encoding="utf-8"))
    return read


def test_each_repeat_is_asked_once_and_kept(run_jevbench: Run, pytester: pytest.Pytester, cases: str) -> None:
    pytester.makeconftest(CONFTEST.replace("NOISE", "0.02"))
    only = ("--jevbench-relation=negation_wrapper", "--jevbench-fail-on=never", "--jevbench-repeats=5")
    assert run_jevbench(cases, *only).ret == 0
    first = card(pytester)
    wordings = len(first["tests"][0]["outcomes"])
    assert first["run"]["requests"] == 5 + wordings
    assert first["identity"]["settings"]["repeats"] == 5
    # the first is asked at the start too, so the kept ones are 0.5 and 0.52 in turn: at most 0.012 from their mean
    noise = first["noise"]["c"]["green"]
    assert noise in (pytest.approx(0.008), pytest.approx(0.012))
    assert first["repeat_noise"]["largest"] == noise
    mean = first["sources"]["c"]["green"]["true"]
    assert mean in (pytest.approx(0.508), pytest.approx(0.512))
    for outcome in first["tests"][0]["outcomes"]:  # each wording was answered with 0.5 or with 0.52
        assert outcome["deviation"] in (pytest.approx(abs(1 - mean - 0.5)), pytest.approx(abs(1 - mean - 0.52)))
    assert run_jevbench(cases, *only).ret == 0
    again = card(pytester)
    assert (again["run"]["hits"], again["noise"]) == (5 + wordings, first["noise"])


def test_the_estimate_counts_repeats(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    suite = ("--jevbench-suite=jevbench-examples", "--jevbench-reference=uniform", "--jevbench-repeats=4")
    run_jevbench(*suite, "--jevbench-fail-on=never")
    assert card(pytester)["run"]["requests"] == 43 + 3
    estimate = ("estimate", "jevbench-examples", "--repeats=6", "--json")
    told = json.loads(pytester.run(sys.executable, "-m", "pytest_jevbench", *estimate).stdout.str())
    assert (told["requests"], told["stored"]) == (43 + 5, 43 + 3)


def test_from_python() -> None:
    card_of_three = evaluate(reference("luce"), "jevbench-examples", repeats=3, bootstrap=0, progress=False)
    once = evaluate(reference("luce"), "jevbench-examples", bootstrap=0, progress=False)
    noise = card_of_three.to_dict()["repeat_noise"]
    assert (noise["repeats"], noise["largest"]) == (3, 0.0)
    assert card_of_three.overall == once.overall
    with pytest.raises(InputError, match="repeats"):
        evaluate(reference("luce"), "jevbench-examples", repeats=0)


def test_serial_and_parallel_runs_repeat_alike(run_jevbench: Run, pytester: pytest.Pytester, cases: str) -> None:
    found = []
    for args in ((), ("-n", "2")):
        options = ("--jevbench-reference=luce", "--jevbench-repeats=3", "--jevbench-store=off")
        run_jevbench(cases, *options, "--jevbench-fail-on=never", *args)
        one = card(pytester)
        found.append((one["scores"], one["noise"], one["run"]["requests"]))
    assert found[0] == found[1]
    assert found[0][1] == {"c": {"green": 0.0}}


def test_the_noise_stands_beside_every_rate(run_jevbench: Run, pytester: pytest.Pytester, cases: str) -> None:
    pytester.makeconftest(CONFTEST.replace("NOISE", "0.2"))
    result = run_jevbench(cases, "--jevbench-repeats=2", "-vv")
    result.stdout.re_match_lines([r".*mean dev +noise$"])
    result.stdout.re_match_lines([r" +negation_wrapper .* 0\.1000$"])
    result.stdout.re_match_lines([r"question, most fragile first .*noise$", r"green .* 0\.1000$"])
    result.stdout.re_match_lines([r"\* Repeat noise, each base request asked 2 times: mean 0\.1000.*"])
    result.stdout.fnmatch_lines(["*`card report --tolerance 0.2000`*"])


@pytest.mark.parametrize("value", ["0", "-1", "two", "1.5"])
def test_what_is_no_number_of_repeats(run_jevbench: Run, pytester: pytest.Pytester, cases: str, value: str) -> None:
    result = run_jevbench(cases, "--jevbench-reference=uniform", f"--jevbench-repeats={value}")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*--jevbench-repeats*"])
