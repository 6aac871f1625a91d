"""Labelled tasks as items of a pytest run."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pytest_jevbench.labelled.document import schema
from tests.servers.scripted import ScriptedServer, Step, reply

Run = Callable[..., pytest.RunResult]
SECRET = ("zebrafish", "quokka", "narwhal", "axolotl")


@pytest.fixture
def run_jevbench(run_here: Run) -> Run:
    return run_here


def record(number: int, expected: str = "yes", **more: Any) -> dict[str, Any]:
    question = {"type": "noul", "instructions": "Is it?"}
    return {"id": f"t{number}", "family": "f", "state": f"State {number}.", "question": question} | {
        "expected": expected,
        **more,
    }


def write_tasks(folder: Path, *records: dict[str, Any]) -> str:
    path = folder / "tasks.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in records), encoding="utf-8")
    return f"--jevbench-tasks={path}"


def says(p: Any, **more: Any) -> Step:
    return reply({"answers": {"q": {"type": "noul", "noul": p}}, **more})


def document(pytester: pytest.Pytester) -> Any:
    """The document of the run, which fits its schema."""
    value = json.loads((pytester.path / "jevbench-labelled.json").read_text(encoding="utf-8"))
    jsonschema.validate(value, schema())
    return value


def verdicts(pytester: pytest.Pytester) -> list[tuple[str, str]]:
    return [(row["verdict"], row["reason"]) for row in document(pytester)["tasks"]]


@pytest.fixture
def four(pytester: pytest.Pytester) -> str:
    """Four tasks whose answer is yes."""
    return write_tasks(pytester.path, *(record(i) for i in range(4)))


def test_a_wrong_answer_fails_its_item(run_jevbench: Run, pytester: pytest.Pytester, four: str) -> None:
    steps = [says(0.9), says(0.2), says(True), reply({"detail": "no"}, 422)]
    with ScriptedServer(steps) as server:
        result = run_jevbench(four, f"--jevbench-url={server.url}", "--jevbench-model=m", "--junitxml=j.xml", "-v")
        asked = len(server.asked)
        again = run_jevbench(four, f"--jevbench-url={server.url}", "--jevbench-model=m", "--jevbench-fail-on=never")
        assert len(server.asked) == asked == 4  # what is on record is not asked again
    assert result.ret == 16
    assert again.ret == 16
    result.stdout.fnmatch_lines(
        [
            "tasks::t0 CORRECT*",
            "tasks::t1 WRONG*",
            "tasks::t2 WRONG*",
            "tasks::t3 UNJUDGED*",
            "*1 passed, 2 wrong, 1 unjudged*",
        ]
    )
    assert verdicts(pytester) == [("correct", ""), ("wrong", ""), ("wrong", "invalid"), ("unjudged", "refused")]
    result.stdout.fnmatch_lines(
        [
            't1: wrong: expected "yes" (20.0 %), the model says "no" (80.0 %)',
            't2: wrong (invalid): "noul" is true, not a number',
            "m on tasks",
            "tasks * 4 planned: 1 correct, 2 wrong, 1 unjudged (1 invalid, 1 refused)",
            "           refused: *422*no*",
            "accuracy * 25.0 % [[]4.6, 69.9[]] (Wilson, n = 4); majority class 100.0 %",
            "brier * 0.650 (n = 2), native probabilities",
            "cost * unknown: *",
            "result: jevbench-labelled.json",
        ]
    )
    junit = (pytester.path / "j.xml").read_text(encoding="utf-8")
    assert junit.count("<failure") == 2
    assert junit.count("<error") == 1
    assert "expected &quot;yes&quot; (20.0 %), the model says &quot;no&quot; (80.0 %)" in junit


@pytest.mark.parametrize(
    ("p", "options", "status"),
    [(0.9, (), 0), (0.1, (), 1), (0.1, ("--jevbench-fail-on=never",), 0)],
    ids=["right", "wrong", "never"],
)
def test_exit_status(run_jevbench: Run, four: str, p: float, options: tuple[str, ...], status: int) -> None:
    with ScriptedServer([says(p)]) as server:
        assert run_jevbench(four, f"--jevbench-url={server.url}", *options).ret == status


def test_a_limit_stops_the_run_and_keeps_what_is_there(run_jevbench: Run, pytester: pytest.Pytester, four: str) -> None:
    with ScriptedServer([says(0.9), says(0.2), reply({"error": "slow down"}, 429), says(0.9)]) as server:
        options = (four, f"--jevbench-url={server.url}", "--jevbench-model=m")
        stopped = run_jevbench(*options)
        assert len(server.asked) == 3
        assert stopped.ret == 16
        assert verdicts(pytester) == [("correct", ""), ("wrong", ""), *[("unjudged", "unattempted")] * 2]
        stopped.stdout.fnmatch_lines(["*HTTP 429: slow down*"])
        rest = run_jevbench(*options)
        assert len(server.asked) == 5
    assert rest.ret == 1
    assert verdicts(pytester) == [("correct", ""), ("wrong", ""), ("correct", ""), ("correct", "")]


def test_a_server_that_is_not_there(run_jevbench: Run, pytester: pytest.Pytester, four: str) -> None:
    result = run_jevbench(four, "--jevbench-url=http://127.0.0.1:9", "--jevbench-model=m")
    assert result.ret == 17
    assert not (pytester.path / "jevbench-labelled.json").exists()
    assert "nothing listens there" in result.stdout.str() + result.stderr.str()


def test_collecting_starts_and_writes_nothing(run_jevbench: Run, pytester: pytest.Pytester, four: str) -> None:
    result = run_jevbench(four, "--jevbench-url=http://127.0.0.1:9", "--co", "-q")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["tasks::t0", "tasks::t1", "tasks::t2", "tasks::t3"])
    assert not [path.name for path in pytester.path.iterdir() if path.name.startswith("jevbench")]


def test_choosing_tasks(run_jevbench: Run, pytester: pytest.Pytester, four: str) -> None:
    pytester.makepyfile("def test_own(): pass")
    model = "--jevbench-reference=uniform"
    assert run_jevbench(four, model, "-k", "t1 or t2").parseoutcomes() == {"wrong": 2, "deselected": 2}
    assert run_jevbench(four, model, "tasks::t3").parseoutcomes() == {"wrong": 1}
    assert run_jevbench(four, model, "-m", "jevbench_choice").parseoutcomes() == {"deselected": 4}
    assert [row["reason"] for row in document(pytester)["tasks"]] == ["unattempted", "tied", "tied", "tied"]
    first = run_jevbench(four, model, "-x", "--jevbench-labelled=x.json", ".")  # with a path given, both
    assert first.ret == 1
    outcomes = first.parseoutcomes()
    assert (outcomes["passed"], outcomes["wrong"]) == (1, 1)
    wrong = run_jevbench(four, model, "tasks::t33")
    assert wrong.ret == 4
    wrong.stderr.fnmatch_lines(["*tasks::t33 is no task of what was selected. Did you mean*"])


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("-n", "2"), "asks one task after another, and not in workers"),
        (("--reruns=1",), "asks no task twice"),
        (("--jevbench-retries=3",), "asks no task twice"),
        (("--jevbench-per-replica=2",), "one request on its way at a time"),
        (("--jevbench-replicas=2",), "one request on its way at a time"),
        (("--jevbench-url=http://a,http://b",), "there are 2 URLs"),
        (("--jevbench-store=s.db",), "means nothing for labelled tasks"),
        (("--jevbench-baseline=c.json",), "a gate decides on coherence"),
        (("--jevbench-suite=jevbench-mini",), "a suite and labelled tasks are 2 runs"),
        (("--jevbench-split=no",), 'no record has the split "no"'),
        (("--jevbench-max-usd=1",), "needs the prices"),
        (("--jevbench-dialect=needle",), "a way to call a runtime"),
        (("--jevbench-labelled=.",), "this is no file"),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_what_a_labelled_run_refuses(pytester: pytest.Pytester, four: str, options: tuple[str, ...], told: str) -> None:
    """All of it before anything starts."""
    model = () if "url" in options[0] or "runtime" in options[0] else ("--jevbench-url=http://127.0.0.1:9",)
    result = pytester.runpytest_inprocess(four, *model, *options, "-p", "no:randomly")
    assert result.ret == 4
    assert told in result.stderr.str()
    assert sorted(path.name for path in pytester.path.iterdir()) == ["tasks.jsonl"]


def test_all_problems_of_the_records_are_told(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    tasks = write_tasks(pytester.path, record(0, expected="maybe"), record(1), record(1, expected=True))
    result = run_jevbench(tasks, "--jevbench-reference=uniform")
    assert result.ret == 4
    text = result.stderr.str()
    assert "line 1" in text
    assert "line 3" in text


def test_a_model_of_a_conftest(
    run_jevbench: Run, conftest_model: Callable[[str], None], pytester: pytest.Pytester, four: str
) -> None:
    conftest_model("return lambda state, questions: {'q': {'noul': 0.9}}")
    assert run_jevbench(four).parseoutcomes() == {"passed": 4}
    assert document(pytester)["tasks"][0]["cost_basis"] is None


def test_a_runtime_by_name(run_jevbench: Run, pytester: pytest.Pytester, four: str) -> None:
    (pytester.path / "callers.py").write_text(
        "class Agent:\n"
        "    def __init__(self, tools): self.tools = tools\n"
        "    def complete(self, text):\n"
        "        answer = {'State 0.': True, 'State 1.': False}.get(text)\n"
        "        calls = [] if answer is None else [{'name': 'answer', 'arguments': {'answer': answer}}]\n"
        "        return {'function_calls': calls, 'confidence': 0.9}\n"
    )
    options = ("--jevbench-runtime=callers:Agent", "--jevbench-dialect=needle", "--jevbench-model=needle3")
    tools = """--jevbench-request-options={"choice_mode": "tools"}"""
    assert run_jevbench(four, *options).parseoutcomes() == {"passed": 1, "wrong": 3}
    rows = document(pytester)["tasks"]
    assert [row["reason"] for row in rows] == ["", "", "abstained", "abstained"]
    assert {row["probs_source"] for row in rows} == {"label_only"}
    assert {row["cost_basis"] for row in rows} == {"local_no_provider_tariff"}
    other = run_jevbench(four, *options, tools)
    assert other.ret == 4  # another mode is another run: beside the default one, never in its place
    other.stderr.fnmatch_lines(["*these results are of another run*"])
    assert run_jevbench(four, *options, tools, "--jevbench-labelled=tools.json").parseoutcomes()["wrong"] == 3
    suite = run_jevbench("--jevbench-suite=jevbench-examples", *options)
    assert suite.ret == 4
    suite.stderr.fnmatch_lines(["*names a label and states no distribution*"])


def private_tasks(folder: Path) -> str:
    choice = {"type": "choice", "instructions": f"Which {SECRET[1]}?"}
    choice["criteria"] = {SECRET[2]: f"A {SECRET[2]}", SECRET[3]: "Another"}  # type: ignore[assignment]
    return write_tasks(
        folder,
        record(0, state=f"A {SECRET[0]}.", split="private"),
        *(
            record(i, state=f"A {SECRET[0]} {i}.", split="private", question=choice, expected=SECRET[2])
            for i in range(1, 5)
        ),
        record(9),
    )


def test_no_private_text_is_in_any_output(run_jevbench: Run, pytester: pytest.Pytester, tmp_path: Path) -> None:
    """Neither of the tasks, nor what a server says of them, wherever the run ends well or badly."""
    folder = tmp_path / "outside"
    folder.mkdir()
    tasks = private_tasks(folder)
    steps = [
        says(0.2),
        reply({"answers": {"q": {"probabilities": {SECRET[2]: 0.2, SECRET[3]: 0.8}}}, "model": SECRET[0]}),
        reply({"answers": {"q": {"probabilities": {SECRET[2]: 0.2, SECRET[1]: 0.8}}}}),
        reply({"detail": f"what is a {SECRET[0]}?"}, 422),
        reply({"detail": f"slow down with {SECRET[0]}"}, 429),
    ]
    out = folder / "out.json"
    with ScriptedServer(steps) as server:
        result = run_jevbench(
            tasks,
            f"--jevbench-url={server.url}",
            "--jevbench-model=m",
            f"--jevbench-labelled={out}",
            "--junitxml=j.xml",
            "-vv",
            "--showlocals",
            "--tb=long",
            "-o",
            "junit_logging=all",
            "--jevbench-junit-properties",
            "-rA",
        )
    assert len(server.asked) == 5
    shown = [result.stdout.str(), result.stderr.str(), out.read_text(), (pytester.path / "j.xml").read_text()]
    for text in shown:
        for word in SECRET:
            assert word not in text
    for path in pytester.path.rglob("*"):
        if path.is_file() and path.suffix != ".jsonl":
            assert not any(word.encode() in path.read_bytes() for word in SECRET), path
    assert result.ret == 16


def test_outputs_inside_a_repository_are_refused_for_private_tasks(pytester: pytest.Pytester, tmp_path: Path) -> None:
    folder = tmp_path / "outside"
    folder.mkdir()
    tasks = private_tasks(folder)
    (pytester.path / ".git").mkdir()
    model = "--jevbench-url=http://127.0.0.1:9"
    inside = pytester.runpytest_inprocess(tasks, model)
    raw = pytester.runpytest_inprocess(tasks, model, f"--jevbench-labelled={folder / 'o.json'}", "--jevbench-raw=raw")
    html = pytester.runpytest_inprocess(
        tasks, model, f"--jevbench-labelled={folder / 'o.json'}", "--jevbench-html=page.html"
    )
    for result in (inside, raw, html):
        assert result.ret == 4
        assert "lies inside the repository" in result.stderr.str()
    assert [path.name for path in pytester.path.iterdir()] == [".git"]


def test_ctrl_c_leaves_what_was_answered(pytester: pytest.Pytester, four: str) -> None:
    (pytester.path / "conftest.py").write_text(
        "import os, pytest, signal\n"
        "def model(state, questions):\n"
        "    if state == 'State 2.':\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "    return {'q': {'noul': 0.9}}\n"
        "@pytest.fixture(scope='session')\n"
        "def jevbench_model(): return model\n"
    )
    command = [sys.executable, "-m", "pytest", "-p", "no:randomly", four]
    ran = subprocess.run(command, cwd=pytester.path, capture_output=True, text=True, check=False)
    assert ran.returncode == signal.SIGINT == 2
    assert verdicts(pytester) == [*[("correct", "")] * 2, *[("unjudged", "unattempted")] * 2]


@pytest.mark.parametrize("content", ['{"id": "t0"}\n', "[]", "my own notes", '{"format": "jevbench-judges"}'])
def test_no_file_of_another_kind_is_written_over(pytester: pytest.Pytester, four: str, content: str) -> None:
    own = pytester.path / "own.jsonl"
    own.write_text(content, encoding="utf-8")
    result = pytester.runpytest_inprocess(four, "--jevbench-url=http://127.0.0.1:9", f"--jevbench-labelled={own}")
    assert result.ret == 4
    assert "is no result of a labelled run, and would be written over" in result.stderr.str()
    assert own.read_text(encoding="utf-8") == content


def test_what_was_on_record_is_told(run_jevbench: Run, pytester: pytest.Pytester, four: str) -> None:
    with ScriptedServer([says(0.9), reply({}, 429), says(0.9)]) as server:
        options = (four, f"--jevbench-url={server.url}", "--jevbench-model=m")
        assert "on record" not in run_jevbench(*options).stdout.str()
        rest = run_jevbench(*options)
        assert len(server.asked) == 5
    rest.stdout.fnmatch_lines(["on record from before, and not asked again: 1 task", "result: jevbench-labelled.json"])


def test_results_of_another_server_are_not_added_to(run_jevbench: Run, pytester: pytest.Pytester, four: str) -> None:
    """A model that has no name is told by its address; one that has a name may be served anywhere."""
    with ScriptedServer([says(0.9)]) as one, ScriptedServer([says(0.1)]) as other:
        assert run_jevbench(four, f"--jevbench-url={one.url}").ret == 0
        refused = run_jevbench(four, f"--jevbench-url={other.url}")
        assert refused.ret == 4
        assert "these results are of another run: url was" in refused.stderr.str()
        named = (four, "--jevbench-model=m", "--jevbench-labelled=named.json")
        assert run_jevbench(*named, f"--jevbench-url={one.url}").ret == 0
        assert run_jevbench(*named, f"--jevbench-url={other.url}").ret == 0
        assert other.asked == []
