"""``@pytest.mark.jevbench_suite``: a suite's tests as the arguments of a function in a test module."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.servers.scripted import ScriptedServer, reply

Run = Callable[..., pytest.RunResult]

PLANNED = 50
"""Tests of jevbench-examples, as its manifest says."""

LAWS = """
import pytest

def test_plain():
    pass

@pytest.mark.jevbench_suite(suite="jevbench-examples")
def test_laws(jevbench_test):
    assert jevbench_test.verdict in ("held", "violated")
    assert jevbench_test.held == (jevbench_test.verdict == "held")
    assert jevbench_test.question is jevbench_test.case.questions[jevbench_test.key]
    first, *others = jevbench_test.requests
    assert first["state"] == jevbench_test.case.state
    assert len(jevbench_test.answers) == 1 + len(others)
    assert set(first["questions"]) == set(jevbench_test.answers[0])
    assert all(request["state"] == jevbench_test.case.state for request in others)
    assert jevbench_test.law in jevbench_test.describe().replace("\\n           ", " ")
    past = [o.deviation - o.tolerance for o in jevbench_test.outcomes]
    assert jevbench_test.held == (max(past) <= 1e-9)

@pytest.mark.jevbench_suite(suite="jevbench-examples", dimensions="REP", fail_on="never")
def test_small(jevbench_test):
    assert jevbench_test.dimension == "REP"
    assert jevbench_test.deviation < 0.4
"""


def card(path: Path, function: str = "test_laws") -> Any:
    return json.loads((path / f"jevbench-card.test_it.{function}.json").read_text(encoding="utf-8"))


def test_a_function_runs_for_each_test_and_each_function_has_its_card(run_jevbench: Run, pytester: Any) -> None:
    pytester.makepyfile(test_it=LAWS)
    result = run_jevbench("--jevbench-reference=luce_biased", "--jevbench-store=off")
    made, part = card(pytester.path), card(pytester.path, "test_small")
    violated = made["counts"]["violated"] + part["counts"]["violated"]
    failed = sum(max(o["deviation"] for o in row["outcomes"]) >= 0.4 for row in part["tests"])
    assert 0 < failed < part["counts"]["violated"]
    assert result.ret == 1
    assert result.parseoutcomes() == {
        "failed": failed,
        "violated": violated - failed,
        "passed": 1 + made["counts"]["held"] + part["counts"]["held"],
    }
    assert made["counts"]["planned"] == made["counts"]["judged"] == PLANNED
    assert made["run"]["details"] == {"function": "test_it.py::test_laws"}
    # A part of a suite says so, and has no overall score.
    assert "subset" not in {flag["name"] for flag in made["flags"]}
    assert "subset" in {flag["name"] for flag in part["flags"]}
    assert part["identity"]["selection"] == {"dimensions": ["REP"]}
    assert part["scores"]["overall"]["score"] is None
    assert not (pytester.path / "jevbench-card.json").exists()
    result.stdout.fnmatch_lines(["*jevbench, test_it.py::test_laws*", "*jevbench, test_it.py::test_small*"])

    # The same card as that of a run of the suite, and of workers, but for what a run costs.
    run_jevbench("--jevbench-suite=jevbench-examples", "--jevbench-reference=luce_biased", "--jevbench-store=off")
    named = json.loads((pytester.path / "jevbench-card.json").read_text(encoding="utf-8"))
    assert {**made, "run": None} == {**named, "run": None}
    shared = run_jevbench("--jevbench-reference=luce_biased", "--jevbench-store=off", "-n2")
    assert shared.ret == 1
    assert shared.parseoutcomes() == result.parseoutcomes()
    assert {**card(pytester.path), "run": None} == {**made, "run": None}
    assert card(pytester.path)["run"]["workers"] == 2


def test_parts_of_a_session_are_chosen_as_ever(run_jevbench: Run, pytester: Any) -> None:
    pytester.makepyfile(
        test_it=LAWS.replace('fail_on="never"', "").replace("    assert jevbench_test.deviation < 0.4", "")
    )
    model = ("--jevbench-reference=luce_biased", "-k", "noul_as_score")
    result = run_jevbench(*model, "--jevbench-fail-on=never")
    assert (result.ret, result.parseoutcomes()) == (0, {"violated": 2, "deselected": PLANNED + 15 + 1 - 2})
    assert card(pytester.path)["counts"]["deselected"] == PLANNED - 1
    [name] = [line.split()[3].strip("'") for line in result.outlines if line.startswith("ask again")][:1]
    again = run_jevbench(name, model[0])
    assert (again.ret, again.parseoutcomes()) == (1, {"violated": 1})
    last = run_jevbench("--lf", model[0])
    assert last.parseoutcomes() == {"violated": 1}
    stopped = run_jevbench("-x", model[0])
    assert (stopped.ret, stopped.parseoutcomes()["violated"]) == (1, 1)
    assert card(pytester.path)["counts"]["unjudged"]["lost"] > 0
    listed = run_jevbench("--co", "-q")
    assert listed.outlines.count(name) == 1
    assert len([line for line in listed.outlines if "::" in line]) == 1 + PLANNED + 15


def test_reruns_count_once(run_jevbench: Run, pytester: Any) -> None:
    pytester.makepyfile(test_it=LAWS)
    result = run_jevbench("--jevbench-reference=luce_biased", "--reruns=1", "-k", "test_laws")
    counts = card(pytester.path)["counts"]
    assert result.parseoutcomes()["rerun"] == result.parseoutcomes()["violated"] == counts["violated"]
    assert counts["judged"] == PLANNED


def test_what_cannot_be_asked_is_unjudged_and_the_rest_of_the_tree_runs(run_jevbench: Run, pytester: Any) -> None:
    pytester.makepyfile(test_it=LAWS)
    down = ("--jevbench-url=http://127.0.0.1:9", "--jevbench-retries=0")
    result = run_jevbench(*down)
    assert result.ret == 17
    assert result.parseoutcomes() == {"passed": 1, "unjudged": PLANNED + 15}
    result.stdout.fnmatch_lines(["*no test could be asked, and no card is written", "*connection refused*"])
    assert list(pytester.path.glob("*.json")) == []
    assert run_jevbench(*down, "-n2").ret == 17


def test_an_unjudged_test_is_no_failure_of_the_function(
    run_jevbench: Run, pytester: Any, conftest_model: Callable[[str], None]
) -> None:
    conftest_model(
        "def answer(state, questions):\n"
        "    answers = uniform(state, questions)\n"
        "    return answers if len(questions) > 1 else {}\n"
        "return answer"
    )
    pytester.makepyfile(
        test_it='import pytest\n@pytest.mark.jevbench_suite(suite="jevbench-examples")\ndef test_laws(jevbench_test):\n'
        "    assert jevbench_test.verdict != 'unjudged'"
    )
    result = run_jevbench()
    counts = card(pytester.path)["counts"]
    assert result.ret == 16
    assert result.parseoutcomes()["unjudged"] == counts["unjudged"]["invalid"] > 0
    assert "failed" not in result.parseoutcomes()


def test_cases_lie_beside_the_test_file(run_jevbench: Run, pytester: Any) -> None:
    folder = pytester.mkdir("laws")
    case = {"state": "It rains.", "questions": {"wet": {"type": "noul", "instructions": "Is it wet outside?"}}}
    (folder / "rain.jsonl").write_text(json.dumps(case), encoding="utf-8")
    (folder / "jevbench.yaml").write_text("cases:\n  seed: 3\n  draws: 2\n  min_n: 1\n", encoding="utf-8")
    (folder / "test_it.py").write_text(
        "import pytest\n\n"
        '@pytest.mark.jevbench_suite(cases="rain.jsonl", relations=["verbosity", "noul_as_choice"], draws=4)\n'
        "class TestRain:\n    def test_laws(self, jevbench_test):\n        assert jevbench_test.key == 'wet'\n"
        "    def test_other(self):\n        pass\n",
        encoding="utf-8",
    )
    pytester.makeini("[pytest]\njevbench_reference = uniform\n")
    result = run_jevbench()
    assert result.ret == 0
    made = json.loads((pytester.path / "jevbench-card.laws.test_it.TestRain.test_laws.json").read_text())
    assert {row["relation"] for row in made["tests"]} == {"verbosity", "noul_as_choice"}
    assert (made["identity"]["plan"]["seed"], made["identity"]["plan"]["draws"]) == (3, 4)
    assert made["identity"]["settings"]["min_n"] == 1


def test_a_suite_of_the_command_line_runs_beside_it(run_jevbench: Run, pytester: Any) -> None:
    pytester.makepyfile(test_it=LAWS)
    for workers in ((), ("-n2",)):
        result = run_jevbench(
            "--jevbench-suite=jevbench-examples",
            "--jevbench-reference=uniform",
            "test_it.py",
            "-m",
            "jevbench_rep",
            *workers,
        )
        named = json.loads((pytester.path / "jevbench-card.json").read_text())
        assert result.ret == 0
        assert named["counts"]["planned"] == card(pytester.path)["counts"]["planned"] == PLANNED
        assert result.parseoutcomes()["passed"] == 3 * 15


MISTAKES = {
    'suite="jevbench-examples", audited_only="yes"': "audited_only says how tests are made",
    'cases="none.jsonl", audited_only="yes"': 'audited_only: found "yes". Give True or False',
    'suite="web"': "web: there is no manifest.json",
    'suite="jevbench-exmples"': 'there is no suite "jevbench-exmples". Did you mean jevbench-examples',
    'suite="./none"': "there is no directory",
    'cases="none.jsonl"': "none.jsonl: there is no such file",
    "": "neither a suite nor cases. Name one of them",
    'suite="jevbench-examples", relations=["option_clon"]': 'there is no "option_clon". Did you mean option_clone',
    'suite="jevbench-examples", relation="option_clone"': "there is no argument relation. There are suite, cases",
    'suite="jevbench-examples", seed=1': "seed says how tests are made, and those of a suite are frozen",
    'cases="none.jsonl", draws=0': "draws: found 0. Give a whole number of at least 1",
    'suite="jevbench-examples", fail_on="always"': 'fail_on: found "always". Give violations or never',
    '"jevbench-examples"': "the arguments are named",
}


def test_a_mistake_in_the_marker_is_one_error_that_names_file_and_line(run_jevbench: Run, pytester: Any) -> None:
    for number, arguments in enumerate(MISTAKES):
        (pytester.path / f"test_{number}.py").write_text(
            f"import pytest\n\n@pytest.mark.jevbench_suite({arguments})\ndef test_a(jevbench_test):\n    pass\n"
        )
    pytester.mkdir("web")
    (pytester.path / "test_no_marker.py").write_text("def test_a(jevbench_test):\n    pass\n")
    (pytester.path / "test_no_argument.py").write_text(
        'import pytest\n\n@pytest.mark.jevbench_suite(suite="jevbench-examples")\ndef test_a():\n    pass\n'
    )
    result = run_jevbench("--jevbench-reference=uniform")
    assert (result.ret, result.parseoutcomes()) == (2, {"errors": len(MISTAKES) + 2})
    told = [line for line in result.outlines if ": @pytest.mark.jevbench_suite: " in line]
    assert len(told) == len(MISTAKES) + 2
    for number, words in enumerate(MISTAKES.values()):
        [line] = [line for line in told if line.startswith(f"test_{number}.py:3: ")]
        assert words in line
    assert any(line.startswith("test_no_marker.py:1: ") and "needs a marker" in line for line in told)
    assert any(line.startswith("test_no_argument.py:3: ") and "does not take the tests" in line for line in told)


def test_without_a_model_the_module_cannot_be_collected(run_jevbench: Run, pytester: Any) -> None:
    pytester.makepyfile(test_it=LAWS)
    result = run_jevbench()
    assert result.ret == 2
    result.stdout.fnmatch_lines(["test_it.py:*: @pytest.mark.jevbench_suite: jevbench: there is no model to ask.*"])
    refused = run_jevbench("--jevbench-reference=uniform", "--jevbench-shard=1/2")
    refused.stdout.fnmatch_lines(["*--jevbench-shard is for a run that --jevbench-suite or --jevbench-cases names*"])


def test_a_server_that_never_answers_is_no_model_that_could_be_asked(run_jevbench: Run, pytester: Any) -> None:
    pytester.makepyfile(test_it=LAWS)
    with ScriptedServer([reply(b"boom", status=500)]) as server:
        options = (f"--jevbench-url={server.url}", "--jevbench-retries=0", "--jevbench-store=off", "-k", "test_small")
        assert run_jevbench(*options).ret == 17


def test_a_gate_beside_cases_that_decides_nothing_is_told_of(run_jevbench: Run, pytester: Any) -> None:
    case = {"state": "It rains.", "questions": {"wet": {"type": "noul", "instructions": "Is it wet outside?"}}}
    (pytester.path / "rain.jsonl").write_text(json.dumps(case), encoding="utf-8")
    (pytester.path / "jevbench.yaml").write_text("gate:\n  min_coverage: 1.0\n", encoding="utf-8")
    pytester.makepyfile(
        test_it='import pytest\n@pytest.mark.jevbench_suite(cases="rain.jsonl", relations="key_rename")\n'
        "def test_laws(jevbench_test): pass"
    )
    result = run_jevbench("--jevbench-reference=uniform")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*JevbenchWarning: jevbench: the gate in jevbench.yaml decides nothing here*"])
