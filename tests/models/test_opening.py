"""From what the options say of a model to the replicas that are asked."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.errors import InputError, Unreachable
from pytest_jevbench.models.callable import CallableModel, named
from pytest_jevbench.models.opening import ModelSpec, as_models, key_from_environment, open_replicas
from pytest_jevbench.models.reference import reference_model
from tests.models.conftest import ONE_NOUL
from tests.models.test_launcher import closed
from tests.models.test_processes import Held
from tests.servers.scripted import ScriptedServer, right

SERVE = f"'{sys.executable}' -m pytest_jevbench serve luce --port {{port}}"


def test_urls_are_replicas_in_their_order() -> None:
    with ScriptedServer([right(model="a")]) as a, ScriptedServer([right(model="b")]) as b:
        spec = ModelSpec(urls=(a.url, b.url), model="m", revision="r1", api_key="sk-test-123")
        with open_replicas(spec) as replicas:
            assert [model.ask(ONE_NOUL).model for model in replicas] == ["a", "b"]
            assert [model.identity.revision for model in replicas] == ["r1", "r1"]
            assert replicas.urls == (a.url, b.url)
        with open_replicas(spec, 5) as replicas:
            assert [model.ask(ONE_NOUL).model for model in replicas] == ["a", "b", "a", "b", "a"]
    assert a.asked[0].headers["authorization"] == "Bearer sk-test-123"
    assert "sk-test-123" not in repr(spec)


def test_a_launched_server_is_asked_and_stopped() -> None:
    with open_replicas(ModelSpec(launch=SERVE)) as replicas:
        url = replicas.urls[0]
        identity = replicas[0].identity
        assert replicas[0].ask(ONE_NOUL).model == "luce"
        assert not closed(url)
    assert closed(url)
    assert (identity.name, identity.launch) == (
        "luce",
        f"{sys.executable} -m pytest_jevbench serve luce --port {{port}}",
    )


def test_launched_replicas_are_stopped_one_by_one_as_they_are_closed() -> None:
    replicas = open_replicas(ModelSpec(launch=SERVE), 2)
    first, second = replicas.urls
    try:
        assert first != second
        replicas[0].close()
        assert (closed(first), closed(second)) == (True, False)
        assert replicas[1].ask(ONE_NOUL).model == "luce"
        replicas[1].close()
        assert closed(second)
    finally:
        replicas.close()


def test_urls_that_a_command_has_started_are_asked_and_left_running() -> None:
    with ScriptedServer([right()]) as server:
        spec = ModelSpec(urls=(server.url,), launch="serve --port {port} --token sk-test-123", model="m")
        with open_replicas(spec) as replicas:
            replicas[0].ask(ONE_NOUL)
            assert replicas[0].identity.launch == "serve --port {port} --token ***"
        assert not closed(server.url)


def test_a_launch_that_fails_leaves_nothing() -> None:
    with pytest.raises(Unreachable, match="exit status 2"):
        open_replicas(ModelSpec(launch=f"'{sys.executable}' -m pytest_jevbench serve lucy --port {{port}}"), 2)


def test_a_command_and_a_reference_model() -> None:
    program = """print('{"answers": {"n": {"noul": 1}}}')"""
    with open_replicas(ModelSpec(command=shlex.join([sys.executable, "-c", program]), model="mine"), 2) as replicas:
        assert [model.ask(ONE_NOUL).answers for model in replicas] == [{"n": {"noul": 1}}] * 2
        assert replicas[0].identity.name == "mine"
        assert replicas.urls == ()
    with open_replicas(ModelSpec(reference="uniform"), 3) as replicas:
        assert len(replicas) == 3
        assert replicas[2].ask(ONE_NOUL).answers["n"]["noul"] == 0.5


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({}, "no model"),
        ({"urls": ("http://h",), "command": "x"}, "a URL, a command"),
        ({"launch": "x {port}", "reference": "luce"}, "a launch, a reference"),
        ({"urls": ("h:80",)}, "http://127"),
        ({"reference": "lucy"}, "lucy"),
        ({"reference": "luce", "timeout": 0.0}, "above 0"),
        ({"launch": "serve"}, "program"),
        ({"launch": f"'{sys.executable}' serve"}, r"\{port\}"),
        ({"command": "no-such-program"}, "no-such-program"),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_started(fields: dict[str, Any], words: str) -> None:
    with pytest.raises(InputError, match=words):
        open_replicas(ModelSpec(**fields))


def half(state: Any, questions: dict[str, Any]) -> dict[str, Any]:
    return {key: {"type": "noul", "noul": 0.5} for key in questions}


def test_what_a_fixture_gives() -> None:
    model = reference_model("luce")
    assert list(as_models(model, "jevbench_model")) == [model]
    assert isinstance(as_models(half, "jevbench_model")[0], CallableModel)
    several = as_models([half, named(half, "v1"), model], "jevbench_model")
    assert [one.identity.name for one in several] == [f"{__name__}.half", "v1", "luce"]


@pytest.mark.parametrize("value", [None, [], "luce", {"a": half}, [half, 5], dict, CallableModel])
def test_what_is_no_model_is_said_with_where_it_came_from(value: Any) -> None:
    with pytest.raises(InputError, match=r"model"):
        as_models(value, "the fixture jevbench_model")


def test_the_key() -> None:
    environ = {"JEVBENCH_API_KEY": " sk-1 ", "OTHER": "sk-2", "EMPTY": ""}
    assert key_from_environment(None, environ) == "sk-1"
    assert key_from_environment("OTHER", environ) == "sk-2"
    assert key_from_environment(None, {}) is None
    for variable in ("EMPTY", "MISSING"):
        with pytest.raises(InputError, match=variable):
            key_from_environment(variable, environ)


KILLED = """
import sys, time
from pytest_jevbench.models.opening import ModelSpec, open_replicas
replicas = open_replicas(ModelSpec(launch=sys.argv[1]), 2)
print("running", flush=True)
time.sleep(600)
"""

SERVES_UNDER_A_LOCK = """
import fcntl, sys
lock = open(sys.argv[1], "a")
fcntl.flock(lock, fcntl.LOCK_SH)
from pytest_jevbench.cli import main
main(["serve", "uniform", "--port", sys.argv[2]])
"""


def test_servers_end_with_a_run_that_is_killed(tmp_path: Path) -> None:
    held = Held(tmp_path / "lock")
    script = tmp_path / "server.py"
    script.write_text(SERVES_UNDER_A_LOCK)
    command = f"'{sys.executable}' '{script}' '{held.path}' {{port}}"
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, command], stdout=subprocess.PIPE, env={**os.environ, "TMPDIR": str(tmp_path)}
    ) as run:
        assert run.stdout is not None
        assert run.stdout.readline() == b"running\n"
        assert held.is_held()
        run.send_signal(signal.SIGKILL)
    assert held.released()
