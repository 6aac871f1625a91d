"""What a run says and with which exit status it ends."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., pytest.RunResult]
SUITE = ("--jevbench-suite=jevbench-examples", "--jevbench-store=off")
UNIFORM = (*SUITE, "--jevbench-reference=uniform")


def card(pytester: pytest.Pytester) -> Any:
    return json.loads((pytester.path / "jevbench-card.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serial", "n2"])
def test_violations_fail_the_run_and_are_counted_as_such(run_jevbench: Run, workers: tuple[str, ...]) -> None:
    result = run_jevbench(*UNIFORM, *workers)
    outcomes = result.parseoutcomes()
    assert result.ret == 1
    assert outcomes["passed"] + outcomes["violated"] == 50
    assert "failed" not in outcomes
    assert "FAILURES" not in result.stdout.str()


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serial", "n2"])
def test_never_lets_violations_pass_and_still_counts_them(run_jevbench: Run, workers: tuple[str, ...]) -> None:
    result = run_jevbench(*UNIFORM, "--jevbench-fail-on=never", *workers)
    assert result.ret == 0
    assert result.parseoutcomes()["violated"] > 5


def test_the_card_holds_what_was_planned_and_judged(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    result = run_jevbench(*UNIFORM)
    made = card(pytester)
    counts = made["counts"]
    assert counts["planned"] == counts["judged"] == 50
    assert counts["violated"] == result.parseoutcomes()["violated"]
    assert made["scores"]["overall"]["score"] == made["reference"]["scores"]["overall"]["score"]
    assert made["identity"]["model"]["name"] == "uniform"


def test_cards_of_serial_and_parallel_runs_are_equal_but_for_the_run_section(
    run_jevbench: Run, pytester: pytest.Pytester
) -> None:
    cards = []
    for workers in ((), ("-n", "2"), ("-n", "0"), ("-p", "no:xdist"), ("-p", "no:cacheprovider")):
        run_jevbench("--jevbench-reference=luce_biased", *SUITE, *workers)
        made = card(pytester)
        made.pop("run")
        cards.append(made)
    assert all(one == cards[0] for one in cards)


def test_x_stops_at_the_first_violation(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    assert run_jevbench(*UNIFORM, "-x").ret == 1
    counts = card(pytester)["counts"]
    assert counts["violated"] == 1
    assert counts["unjudged"]["lost"] == 50 - counts["judged"] > 0


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serial", "n2"])
def test_tests_that_cannot_be_judged_are_no_violations_and_the_run_is_incomplete(
    run_jevbench: Run, conftest_model: Callable[[str], None], pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    conftest_model(
        """
def flaky(state, questions):
    if any("__" in key for key in questions):
        raise RuntimeError("no probes here, \\ud800 please")
    return uniform(state, questions)
return flaky"""
    )
    result = run_jevbench(*SUITE, "--jevbench-fail-on=never", *workers)
    assert result.ret == 16
    outcomes = result.parseoutcomes()
    assert outcomes["unjudged"] > 10
    counts = card(pytester)["counts"]
    assert counts["planned"] == 50 == counts["judged"] + counts["unjudged"]["total"]
    assert counts["unjudged"]["lost"] == 0
    assert card(pytester)["scores"]["overall"]["score"] is None


def test_a_worker_that_dies_loses_one_test_and_the_run_says_which(
    run_jevbench: Run, conftest_model: Callable[[str], None], pytester: pytest.Pytester
) -> None:
    conftest_model(
        """
import os
def dying(state, questions):
    if any(key.startswith("more_than") for key in questions):
        os._exit(1)
    return uniform(state, questions)
return dying"""
    )
    result = run_jevbench(*SUITE, "-n", "2", "--jevbench-fail-on=never")
    assert result.ret == 16
    made = card(pytester)
    assert made["counts"]["planned"] == 50
    assert made["counts"]["unjudged"]["lost"] == 1
    assert made["counts"]["judged"] == 49
    [lost] = [test for test in made["tests"] if test["verdict"] == "unjudged"]
    assert lost["relation"] == "threshold_sweep"


def test_a_model_that_cannot_be_reached_ends_the_run_at_once(run_jevbench: Run) -> None:
    for workers in ((), ("-n", "2")):
        result = run_jevbench(*SUITE, "--jevbench-url=http://127.0.0.1:9", *workers)
        assert result.ret == 17
        assert "nothing listens" in result.stdout.str() + result.stderr.str()
        assert "Traceback" not in result.stdout.str() + result.stderr.str()


def test_a_first_answer_that_cannot_be_read_ends_the_run_with_its_question(
    run_jevbench: Run, pytester: pytest.Pytester
) -> None:
    pytester.makeconftest(
        "def pytest_jevbench_model(config):\n"
        "    return lambda state, questions: {key: {'type': q['type'], 'noul': 95} for key, q in questions.items()}"
    )
    result = run_jevbench(*SUITE)
    assert result.ret == 17
    assert "outside [0, 1]" in result.stdout.str() + result.stderr.str()


def test_there_must_be_one_model(run_jevbench: Run) -> None:
    nothing = run_jevbench(*SUITE)
    assert nothing.ret == 4
    nothing.stderr.fnmatch_lines(["*there is no model to ask*"])
    two = run_jevbench(*UNIFORM, "--jevbench-url=http://127.0.0.1:9")
    assert two.ret == 4
    two.stderr.fnmatch_lines(["*--jevbench-url and --jevbench-reference name two models*"])


def test_the_command_line_goes_before_a_conftest_and_that_before_ini(
    run_jevbench: Run, conftest_model: Callable[[str], None], pytester: pytest.Pytester
) -> None:
    pytester.makeini("[pytest]\njevbench_reference = luce")
    run_jevbench(*SUITE)
    assert card(pytester)["identity"]["model"]["name"] == "luce"
    conftest_model("return uniform")
    run_jevbench(*SUITE)
    assert card(pytester)["identity"]["model"]["dialect"] == "callable"
    run_jevbench(*SUITE, "--jevbench-reference=random")
    assert card(pytester)["identity"]["model"]["name"] == "random"


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serial", "n2"])
def test_an_override_below_the_root_is_refused_by_name(
    run_jevbench: Run, pytester: pytest.Pytester, workers: tuple[str, ...]
) -> None:
    below = pytester.mkdir("tests")
    (below / "conftest.py").write_text(
        "import pytest\n@pytest.fixture(scope='session')\ndef jevbench_model(): return None\n", encoding="utf-8"
    )
    (below / "test_own.py").write_text("def test_own(): pass\n", encoding="utf-8")
    result = run_jevbench(*SUITE, "--jevbench-relation=batch_solo", "tests", *workers)
    assert result.ret == 4
    assert str(Path("tests") / "conftest.py") in result.stderr.str()


def test_junit_tells_violations_as_failures_and_unjudged_as_errors(
    run_jevbench: Run, conftest_model: Callable[[str], None], pytester: pytest.Pytester
) -> None:
    conftest_model(
        """
def refusing(state, questions):
    if len(questions) == 1:
        raise RuntimeError("not alone")
    return uniform(state, questions)
return refusing"""
    )
    result = run_jevbench(*SUITE, "--junitxml=out.xml", "--jevbench-junit-properties")
    [suite] = ET.parse(pytester.path / "out.xml").getroot()
    outcomes = result.parseoutcomes()
    assert int(suite.get("tests", "")) == 50
    assert int(suite.get("failures", "")) == outcomes["violated"]
    assert int(suite.get("errors", "")) == outcomes["unjudged"] == 1
    verdicts = [p.get("value") for p in suite.iter("property") if p.get("name") == "jevbench_verdict"]
    assert verdicts.count("violated") == outcomes["violated"]


def test_the_card_hook_gets_the_card(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    pytester.makeconftest(
        "def pytest_jevbench_card(config, card):\n    print('OVERALL', card['scores']['overall']['score'])"
    )
    result = run_jevbench(*UNIFORM, "-s")
    result.stdout.fnmatch_lines([f"*OVERALL {card(pytester)['scores']['overall']['score']}*"])


def test_reruns_do_not_count_twice(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    run_jevbench(*UNIFORM, "--reruns", "1")
    counts = card(pytester)["counts"]
    assert counts["judged"] == counts["planned"] == 50


@pytest.mark.parametrize(
    "options",
    [
        ("-p", "no:terminal"),
        ("-qq",),
        ("--tb=no",),
        ("-s",),
        ("--timeout=60",),
        ("--disable-socket",),
        ("--strict-markers",),
    ],
)
def test_common_options_change_no_result(
    run_jevbench: Run, pytester: pytest.Pytester, options: tuple[str, ...]
) -> None:
    assert run_jevbench(*UNIFORM, *options).ret == 1
    assert card(pytester)["counts"]["judged"] == 50


def test_collecting_only_and_help_need_no_model(run_jevbench: Run) -> None:
    for shows in ("--co", "--setup-plan"):
        assert run_jevbench(*SUITE, "--jevbench-url=http://127.0.0.1:9", shows, "-q").ret == 0
    for option in ("--help", "--markers", "--fixtures"):
        result = run_jevbench(option)
        assert result.ret == 0
        assert "jevbench" in result.stdout.str()
