"""A recorded run replays without a model: nothing is started, loaded or asked."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable
from typing import Any

import pytest

from pytest_jevbench.cli import main
from tests.acceptance.conftest import CALLABLE
from tests.servers.modelled import replicas

Run = Callable[..., pytest.RunResult]
SUITE = "--jevbench-suite=jevbench-examples"


def card(pytester: pytest.Pytester) -> Any:
    made = json.loads((pytester.path / "jevbench-card.json").read_text(encoding="utf-8"))
    made.pop("run")
    return made


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serial", "n2"])
def test_a_server_that_is_gone(run_jevbench: Run, pytester: pytest.Pytester, workers: tuple[str, ...]) -> None:
    with replicas(1) as group:
        recorded = run_jevbench(SUITE, f"--jevbench-url={group.urls}")
    made = card(pytester)
    replayed = run_jevbench(SUITE, f"--jevbench-url={group.urls}", "--jevbench-offline", *workers)
    assert replayed.ret == recorded.ret == 1
    assert card(pytester) == made
    assert "offline: no model is asked" in replayed.stdout.str()


def test_an_export_is_enough(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    with replicas(1) as group:
        run_jevbench(SUITE, f"--jevbench-url={group.urls}")
    made = card(pytester)
    assert main(["store", "export", "answers.jsonl.gz", "--store", ".jevbench/answers.sqlite"]) == 0
    (pytester.path / ".jevbench" / "answers.sqlite").unlink()
    replayed = run_jevbench(
        SUITE, f"--jevbench-url={group.urls}", "--jevbench-store=answers.jsonl.gz", "--jevbench-offline"
    )
    assert replayed.ret == 1
    assert card(pytester) == made


def test_a_launch_command_is_not_started(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    script = pytester.makepyfile(
        serve="""
        import pathlib, sys
        with pathlib.Path("started").open("a") as file:
            file.write("x")
        from pytest_jevbench.cli import main
        main(["serve", "luce", "--port", sys.argv[1]])
        """
    )
    launch = f"--jevbench-launch={shlex.join([sys.executable, str(script)])} {{port}}"
    recorded = run_jevbench(SUITE, launch, "--jevbench-replicas=2")
    assert (pytester.path / "started").read_text() == "xx"
    made = card(pytester)
    replayed = run_jevbench(SUITE, launch, "--jevbench-offline")
    assert (pytester.path / "started").read_text() == "xx"
    assert replayed.ret == recorded.ret
    assert card(pytester) == made


def test_a_conftests_model_is_not_loaded(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    body = """
from pytest_jevbench.models.callable import named
@pytest.fixture(scope="session")
def jevbench_model():
    open("loaded", "a").write("x")
    return named(uniform, "v1")
"""
    pytester.makeconftest(CALLABLE + body)
    recorded = run_jevbench(SUITE)
    made = card(pytester)
    replayed = run_jevbench(SUITE, "--jevbench-offline")
    assert (pytester.path / "loaded").read_text() == "x"
    assert replayed.ret == recorded.ret == 1
    assert card(pytester) == made


def test_what_is_not_stored_is_named_and_not_judged(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    with replicas(1) as group:
        url = f"--jevbench-url={group.urls}"
        run_jevbench(SUITE, url, "--jevbench-relation=batch_solo,batch_size_sweep,batch_content")
        asked = len(group.bodies)
        replayed = run_jevbench(SUITE, url, "--jevbench-offline")
        assert len(group.bodies) == asked
    made = card(pytester)
    assert replayed.ret == 16
    assert 0 < made["counts"]["judged"] < 50
    assert made["counts"]["unjudged"]["unreachable"] == 50 - made["counts"]["judged"]
    assert all("the store has no answer to request" in error["message"] for error in made["errors"])


@pytest.mark.parametrize("record", [False, True], ids=["empty", "another model's"])
def test_without_any_stored_answer_no_test_is_run(run_jevbench: Run, record: bool) -> None:
    if record:
        with replicas(1, "luce") as group:
            run_jevbench(SUITE, f"--jevbench-url={group.urls}", "--jevbench-revision=1")
    result = run_jevbench(SUITE, "--jevbench-url=http://127.0.0.1:9", "--jevbench-revision=2", "--jevbench-offline")
    assert result.ret == 17
    said = "is stored for dialect systemone, revision 2" if record else "the store has no answers"
    assert said in result.stdout.str()
    assert "no test was run" in result.stderr.str()
