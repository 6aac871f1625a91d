"""Servers that a run starts for itself."""

from __future__ import annotations

import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.errors import InputError, ModelDown, Unreachable
from pytest_jevbench.models.launcher import PROBE, Launcher, free_ports, launch_all
from pytest_jevbench.models.systemone import SystemOne
from tests.servers.scripted import ScriptedServer, Step, reply, right

SERVER = """
import http.server, json, sys, os, socket

posts = 0

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.say(200, {"status": "ok"})
    def do_POST(self):
        global posts
        posts += 1
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        answers = {key: {"type": "noul", "noul": 0.5} for key in body["questions"]}
        self.say(*REPLY(posts, {"answers": answers}))
    def say(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

class Server(http.server.HTTPServer):
    address_family = socket.AF_INET6 if ":" in HOST else socket.AF_INET

print("loading the weights", flush=True)
Server((HOST, int(sys.argv[1])), Handler).serve_forever()
"""


@pytest.fixture
def server(tmp_path: Path) -> Callable[..., list[str]]:
    """The command of a server whose n-th POST is answered with ``reply(n, right answer)``."""

    def make(reply: str = "lambda n, right: (200, right)", host: str = "127.0.0.1") -> list[str]:
        path = tmp_path / "server.py"
        path.write_text(f"REPLY = {reply}\nHOST = {host!r}\n{SERVER}", encoding="utf-8")
        return [sys.executable, str(path), "{port}"]

    return make


@pytest.fixture(autouse=True)
def no_file_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The servers' output files go to a folder that is empty at the end."""
    outputs = tmp_path / "outputs"
    outputs.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(outputs))
    yield
    assert list(outputs.iterdir()) == []


def closed(url: str) -> bool:
    """Whether nothing listens there any more."""
    host, _, port = url.removeprefix("http://").rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=5).close()
    except ConnectionRefusedError:
        return True
    return False


class Clock:
    """Time that passes only by sleeping."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


def test_a_server_is_started_asked_and_stopped(server: Callable[..., list[str]]) -> None:
    with Launcher(server()) as launcher:
        url = launcher.url
        assert not closed(url)
        with SystemOne(url, model="m") as model:
            assert model.ask(PROBE).answers == {"arrived": {"type": "noul", "noul": 0.5}}
        assert launcher.gone() is None
    assert closed(url)


SLEEPER = [sys.executable, "-c", "import time; time.sleep(600)", "{port}"]
"""Something that runs; what is asked at its port is a scripted server, so that no test waits for a process."""


def test_it_is_ready_when_a_post_is_answered_and_not_before() -> None:
    clock = Clock()
    loading = reply({"detail": "loading"}, 503)
    steps = [loading, loading, reply("<html>"), reply({"status": "warming up"}), reply("", 404), right()]
    launcher = Launcher(SLEEPER, sleep=clock.sleep, clock=clock)
    with ScriptedServer(steps, get=reply({"status": "ok"})) as server:
        try:
            assert launcher.start(server.port) == server.url
        finally:
            launcher.stop()
    assert [asked.json["state"] for asked in server.asked] == [PROBE.state] * 6


def test_a_server_on_the_other_loopback_address_is_found(server: Callable[..., list[str]]) -> None:
    with Launcher(server(host="::1")) as launcher:
        assert launcher.url.startswith("http://[::1]:")


def test_two_replicas_have_two_ports_and_stopping_one_leaves_the_other(server: Callable[..., list[str]]) -> None:
    launchers = [Launcher(server()), Launcher(server())]
    try:
        first, second = launch_all(launchers)
        assert first != second
        launchers[0].stop()
        assert (closed(first), closed(second)) == (True, False)
    finally:
        for launcher in launchers:
            launcher.stop()
    assert closed(second)


def test_where_one_of_several_fails_all_are_stopped_and_its_error_is_raised(server: Callable[..., list[str]]) -> None:
    launchers = [Launcher(server()), Launcher([sys.executable, "-c", "print('no GPU'); raise SystemExit(4)", "{port}"])]
    with pytest.raises(Unreachable, match=r"(?s)exit status 4.*no GPU"):
        launch_all(launchers)
    assert launchers[0].url == "" or closed(launchers[0].url)


def test_a_server_that_ends_early_is_said_at_once_with_the_end_of_its_output() -> None:
    clock = Clock()
    script = "import sys; print('line 1'); print('\\x1b[31mno such weights', file=sys.stderr); sys.exit(3)"
    launcher = Launcher([sys.executable, "-c", script, "{port}"], clock=clock)
    with pytest.raises(Unreachable) as caught:
        launcher.start()
    text = str(caught.value)
    assert "ended before it answered (exit status 3)" in text
    assert "  line 1\n" in text
    assert "  \\x1b[31mno such weights" in text
    assert clock.now == 0.0


def test_a_server_that_ends_early_without_a_word() -> None:
    with pytest.raises(Unreachable, match="It wrote nothing"):
        Launcher([sys.executable, "-c", "", "{port}"]).start()


def test_only_the_end_of_a_long_output_is_told() -> None:
    script = "for i in range(10_000): print('line', i)\nraise SystemExit(1)"
    with pytest.raises(Unreachable) as caught:
        Launcher([sys.executable, "-c", script, "{port}"]).start()
    assert "line 9999" in str(caught.value)
    assert len(str(caught.value)) < 3000


def test_a_server_that_only_loads_is_given_up_after_the_time_limit() -> None:
    clock = Clock()
    launcher = Launcher(SLEEPER, ready_within=60.0, sleep=clock.sleep, clock=clock)
    with (
        ScriptedServer([reply({"detail": "loading"}, 503)]) as server,
        pytest.raises(Unreachable, match=r"did not answer within 60 s; the last: .*HTTP 503: loading"),
    ):
        launcher.start(server.port)
    assert 60.0 <= clock.now < 62.0


def test_a_server_that_listens_elsewhere_is_given_up_after_the_time_limit() -> None:
    clock = Clock()
    launcher = Launcher(SLEEPER, ready_within=60.0, sleep=clock.sleep, clock=clock)
    with pytest.raises(Unreachable, match="did not answer within 60 s; nothing listens on its port"):
        launcher.start()


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (reply({"detail": {"message": "Unknown model: default"}}, 400), "Unknown model: default"),
        (reply({"status": "ok"}), "answers"),
    ],
)
def test_a_server_that_says_no_is_given_up_after_a_moment(step: Step, words: str) -> None:
    clock = Clock()
    launcher = Launcher(SLEEPER, sleep=clock.sleep, clock=clock)
    with ScriptedServer([step]) as server, pytest.raises(Unreachable, match=f"is up and does not answer.*{words}"):
        launcher.start(server.port)
    assert 5.0 <= clock.now < 7.0


def test_a_port_that_was_taken_in_between_is_replaced(server: Callable[..., list[str]]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        # what holds the port answers nothing; the server itself says that it cannot have it
        taken.close()
        with socket.socket() as holder:
            holder.bind(("127.0.0.1", port))
            launcher = Launcher(server())
            try:
                url = launcher.start(port)
            finally:
                launcher.stop()
    assert not url.endswith(f":{port}")


def test_a_server_that_dies_later_is_known_to_be_gone(server: Callable[..., list[str]]) -> None:
    dies = "lambda n, right: (200, right) if n < 3 else os._exit(5)"
    with Launcher(server(dies)) as launcher:

        def until_gone(_: float) -> None:
            while launcher.gone() is None:
                time.sleep(0.005)

        model = SystemOne(launcher.url, model="m", gone=launcher.gone, sleep=until_gone)
        with model:
            assert model.ask(PROBE).attempts == 1
            with pytest.raises(ModelDown, match=r"(?s)has ended \(exit status 5\).*loading the weights"):
                model.ask(PROBE)


@pytest.mark.parametrize("command", ["python -m http.server", "python -c {PORT}", "sparrow-decider serve --port 8000"])
def test_a_command_without_a_place_for_the_port_is_refused(command: str) -> None:
    with pytest.raises(InputError, match=r"\{port\}"):
        Launcher(command)


def test_a_program_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="no-such-program"):
        Launcher("no-such-program --port {port}")


def test_the_command_is_told_with_the_port_unfilled_and_without_its_key() -> None:
    script = "import os, sys; print(sys.argv, os.environ['MODEL_KEY']); sys.exit(1)"
    words = ["MODEL_KEY=hunter2!", sys.executable, "-c", script, "--port={port}", "--api-key", "sk-own-42", "{x}"]
    launcher = Launcher(words, api_key="sk-test-123")
    assert launcher.command.endswith("--port={port} --api-key *** {x}")
    with pytest.raises(Unreachable) as caught:
        launcher.start()
    for secret in ("hunter2!", "sk-own-42", "sk-test-123"):
        assert secret not in f"{caught.value}{launcher.command}{launcher!r}"
    assert "'--api-key', '***'" in str(caught.value)


def test_the_servers_environment(server: Callable[..., list[str]]) -> None:
    script = "import os, sys; print(os.environ.get('LEVEL'), os.environ.get('OTHER')); sys.exit(1)"
    launcher = Launcher(["LEVEL=3", sys.executable, "-c", script, "{port}"], environ={"OTHER": "4"})
    with pytest.raises(Unreachable, match="3 4"):
        launcher.start()


def test_stopping_what_never_ran_or_was_stopped_does_nothing(server: Callable[..., list[str]]) -> None:
    launcher = Launcher(server())
    launcher.stop()
    launcher.start()
    launcher.stop()
    launcher.stop()
    assert launcher.gone() is None


def test_free_ports_are_distinct() -> None:
    ports = free_ports(20)
    assert len(set(ports)) == 20


@pytest.mark.parametrize(
    ("command", "model"),
    [("jevcompat mock --port {port}", "mock"), ("sparrow-decider serve --port {port}", None)],
)
def test_published_servers(command: str, model: str | None) -> None:
    facts: dict[str, Any] = {"model": model}
    with Launcher(command, **facts) as launcher, SystemOne(launcher.url, model=model) as asked:
        assert 0 <= asked.ask(PROBE).answers["arrived"]["noul"] <= 1
    assert closed(launcher.url)
