"""``pytest-jevbench check``, typed as a person types it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable

import pytest

from pytest_jevbench.cli import main
from tests.servers.published import RunningServer
from tests.servers.scripted import ScriptedServer, reply, right

Output = pytest.CaptureFixture[str]


def test_a_server_that_can_be_tested(jevcompat_mock: RunningServer, capsys: Output) -> None:
    assert main(["check", "--url", jevcompat_mock.url, "--model", "mock"]) == 0
    out = capsys.readouterr().out
    assert f"asked      {jevcompat_mock.url}/v1/systemone\n" in out
    assert "model      mock\n" in out
    assert "answered   jevcompat-mock-0.1" in out
    assert "noul       refund_wanted: " in out
    assert out.endswith("all 3 answers can be used\n")


def test_the_names_there_are_are_told(jevcompat_mock: RunningServer, capsys: Output) -> None:
    assert main(["check", "--url", jevcompat_mock.url]) == 1
    out = capsys.readouterr().out
    assert "assumed" in out
    assert 'the server lists "jev-latest", "mock"' in out


def test_several_replicas(capsys: Output) -> None:
    with ScriptedServer([right()]) as a, ScriptedServer([right()]) as b:
        assert main(["check", "--url", f"{a.url},{b.url}", "--model", "m"]) == 0
    assert capsys.readouterr().out.count("all 3 answers can be used") == 2
    assert (len(a.asked), len(b.asked)) == (1, 1)


def test_one_bad_answer_is_told_with_what_to_change(capsys: Output) -> None:
    answers = {"refund_wanted": {"type": "noul", "noul": 0.5}, "urgency": {"probabilities": {"0": 1, "1": 0, "2": 0}}}
    with ScriptedServer([reply({"answers": answers})]) as server:
        assert main(["check", "--url", server.url, "--model", "m"]) == 1
    out = capsys.readouterr().out
    assert "team: not usable: there is no answer under this key" in out
    assert '"probabilities": {option id: p, ...}' in out
    assert "1 of 3 answers cannot be used" in out


def test_nothing_at_the_url(capsys: Output) -> None:
    with ScriptedServer([right()]) as server:
        url = server.url
    assert main(["check", "--url", url]) == 1
    assert "nothing listens there" in capsys.readouterr().out


def test_launch(capsys: Output) -> None:
    serve = f"'{sys.executable}' -m pytest_jevbench serve luce --port {{port}}"
    assert main(["check", "--launch", serve]) == 0
    out = capsys.readouterr().out
    assert "model      luce (the only one the server lists)" in out


def test_a_launch_that_fails(capsys: Output) -> None:
    assert main(["check", "--launch", f"'{sys.executable}' -c 'print(5 / 0)' {{port}}"]) == 1
    assert "ZeroDivisionError" in capsys.readouterr().out


def test_command_and_reference(capsys: Output) -> None:
    assert main(["check", "--command", f"'{sys.executable}' -c 'raise SystemExit(3)'"]) == 1
    assert "exit status 3" in capsys.readouterr().out
    assert main(["check", "--reference", "uniform"]) == 0
    assert '"returns" 0.333, "delivery" 0.333, "sales" 0.333' in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--url", "127.0.0.1:8000"], "http://"),
        (["--launch", "jevcompat mock"], "{port}"),
        (["--command", "no-such-program"], "no-such-program"),
        (["--reference", "lucy"], "did you mean luce"),
        (["--reference", "luce", "--api-key-env", "JEVBENCH_TEST_UNSET"], "JEVBENCH_TEST_UNSET"),
        (["--reference", "luce", "--timeout", "0"], "above 0"),
    ],
)
def test_what_was_typed_wrong_is_one_line_and_status_2(arguments: list[str], words: str, capsys: Output) -> None:
    assert main(["check", *arguments]) == 2
    captured = capsys.readouterr()
    assert words in captured.err
    assert captured.err.count("\n") == 1
    assert captured.out == ""


def test_two_models_or_none_are_a_usage_error(capsys: Output) -> None:
    for arguments in ([], ["--url", "http://h", "--reference", "luce"]):
        with pytest.raises(SystemExit) as caught:
            main(["check", *arguments])
        assert caught.value.code == 2
    assert "--url" in capsys.readouterr().err


@pytest.mark.parametrize(
    "environ",
    [
        {"NO_PROXY": "localhost,[::1]"},
        {"NO_PROXY": "fe11::/16"},
        {"ALL_PROXY": "socks5://127.0.0.1:1"},
        {"PYTHONUTF8": "0", "LC_ALL": "C"},
    ],
)
def test_in_awkward_environments(environ: dict[str, str]) -> None:
    with ScriptedServer([right(model="モデル")]) as server:
        done = subprocess.run(
            [sys.executable, "-m", "pytest_jevbench", "check", "--url", server.url, "--model", "m"],
            env={**os.environ, **environ},
            capture_output=True,
            timeout=60,
        )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"all 3 answers can be used" in done.stdout


def test_a_key_is_found_in_no_output(monkeypatch: pytest.MonkeyPatch, capsys: Output) -> None:
    key = "sk-test-123"
    monkeypatch.setenv("MY_KEY", key)
    echo = reply({"error": {"message": f"Incorrect API key: {key}"}}, 401)
    with ScriptedServer([echo]) as server:
        for arguments in (["--url", server.url, "--api-key-env", "MY_KEY"], ["--url", f"{server.url}?api_key={key}"]):
            assert main(["check", *arguments]) == 1
        assert server.asked[0].headers["authorization"] == f"Bearer {key}"
    captured = capsys.readouterr()
    assert "Incorrect API key: ***" in captured.out
    assert key not in captured.out + captured.err


def test_a_server_that_wants_a_key(
    start_server: Callable[..., RunningServer], monkeypatch: pytest.MonkeyPatch, capsys: Output
) -> None:
    url = start_server("jevcompat", "mock", "--port", "{port}", "--key", "sk-test-123").url
    monkeypatch.delenv("JEVBENCH_API_KEY", raising=False)
    assert main(["check", "--url", url, "--model", "mock"]) == 1
    assert "It asks for a key, and none is set" in capsys.readouterr().out
    monkeypatch.setenv("JEVBENCH_API_KEY", "sk-test-123")
    assert main(["check", "--url", url, "--model", "mock"]) == 0
