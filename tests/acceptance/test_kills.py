"""SIGKILL of the run, of its workers, of its replicas, at 20 seeded moments each.

Nothing hangs, no card is wrong, and nothing that was stored is paid for again.
"""

from __future__ import annotations

import json
import os
import random
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.json_text import dumps
from pytest_jevbench.models.store import AnswerStore
from tests.servers.modelled import Replicas, replicas
from tests.servers.scripted import Step, Talk

pytestmark = pytest.mark.slow

DOMAINS = "customer_support,it_incidents,finance_ops"
SUITE = ("--jevbench-suite=jevbench-mini", f"--jevbench-domain={DOMAINS}", "--jevbench-bootstrap=0")
REQUESTS, TESTS = 312, 300
PATIENCE = 120.0
"""Seconds after which a run counts as hanging."""

CONFTEST = """
import os, pathlib

def pytest_configure(config):
    if hasattr(config, "workerinput"):
        name = f"worker-{config.workerinput['workerid']}"
        pathlib.Path(f"{name}.new").write_text(str(os.getpid()))
        os.replace(f"{name}.new", name)
"""

SERVER = """
import os, pathlib, signal, sys
from pytest_jevbench.models import reference_server
at = 0
for death in pathlib.Path("deaths").read_text().split():
    number, _, count = death.partition(":")
    try:
        os.close(os.open(f"victim-{number}", os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        continue
    at = int(count)
    break
asked = 0
right = reference_server.respond

def respond(name, method, *rest):
    global asked
    asked += method == "POST"
    if at and asked == at:
        os.kill(os.getpid(), signal.SIGKILL)
    return right(name, method, *rest)

reference_server.respond = respond
with reference_server.ReferenceServer("luce_biased", port=int(sys.argv[1])) as server:
    server.serve_forever()
"""
"""Servers of which the first ones kill themselves, each in the middle of the request that its line of a file names."""


def start(folder: Path, *args: str) -> subprocess.Popen[str]:
    """A run of the suite, without other plugins, which take most of the time to start."""
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", "-p", "jevbench", "-p", "xdist.plugin", *SUITE, *args],
        cwd=folder,
        env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def finish(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Exit status and output; a run that hangs is killed and fails the test."""
    try:
        output, _ = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        raise
    return process.returncode, output


def card(folder: Path) -> Any:
    """The card, without what is another one's in every run: times, counts of hits, the servers' address."""
    made = json.loads((folder / "jevbench-card.json").read_text(encoding="utf-8"))
    made["identity"]["model"].pop("address")
    return {**made, "run": None}


def rows(made: Mapping[str, Any]) -> dict[tuple[str, str, str], Any]:
    """What the card says of each test that was judged."""
    judged = (row for row in made["tests"] if row["verdict"] != "unjudged")
    return {(row["relation"], row["case"], row["key"]): row for row in judged}


def stored(folder: Path) -> set[str]:
    """The digests of all answers in the store."""
    path = folder / ".jevbench" / "answers.sqlite"
    if not path.exists():
        return set()
    with AnswerStore.open(path) as store:
        found: list[tuple[bytes]] = store.file.run(lambda c: c.execute("SELECT digest FROM answers").fetchall())
    return {row[0].hex() for row in found}


def digest(body: bytes) -> str:
    asked = json.loads(body)
    return sha256(dumps({"state": asked["state"], "questions": asked["questions"]}, compact=True).encode()).hexdigest()


class Trap:
    """Replicas that do something when so many requests have come in since it was set, and so many seconds later."""

    def __init__(self, group: Replicas) -> None:
        self.group = group
        self._lock = threading.Lock()
        self._asked: list[bytes] = []
        self._due: list[tuple[int, float, Callable[[], None]]] = []
        for server in group.servers:
            server._steps = [self._watched(step) for step in server._steps]

    def set(self, *due: tuple[int, float, Callable[[], None]]) -> None:
        """Begin to count anew."""
        with self._lock:
            self._asked.clear()
            self._due = sorted(due, key=lambda one: one[0])

    def asked(self) -> list[str]:
        """The digests of the requests since then."""
        with self._lock:
            return [digest(body) for body in self._asked]

    def _watched(self, step: Step) -> Step:
        def answer(talk: Talk) -> bool:
            with self._lock:
                self._asked.append(talk.asked.body)
                while self._due and self._due[0][0] <= len(self._asked):
                    _, delay, act = self._due.pop(0)
                    threading.Timer(delay, act).start()
            return step(talk)

        return answer


@contextmanager
def trapped_replicas(count: int) -> Iterator[Trap]:
    with replicas(count) as group:
        yield Trap(group)


@pytest.fixture(scope="module")
def serial(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The card of a run that nobody disturbs."""
    folder = tmp_path_factory.mktemp("serial")
    with replicas(1) as group:
        status, output = finish(start(folder, f"--jevbench-url={group.urls}"))
    assert status == 1, output
    assert len(group.bodies) == REQUESTS
    return card(folder)


def check_last_run(trap: Trap, folder: Path, serial: Any) -> None:
    """The same command once more gives the whole card and asks for nothing that was stored."""
    known = stored(folder)
    trap.set()
    status, output = finish(start(folder, f"--jevbench-url={trap.group.urls}"))
    assert status == 1, output
    assert card(folder) == serial
    assert sum(one in known for one in trap.asked()) <= len(trap.group.servers)  # each is asked the first request
    assert len(stored(folder)) == REQUESTS


def test_a_run_is_killed_again_and_again(tmp_path: Path, serial: Any) -> None:
    draw = random.Random(1)
    killed = 0
    with trapped_replicas(2) as trap:
        for turn in range(20):
            known = stored(tmp_path)
            process = start(tmp_path, f"--jevbench-url={trap.group.urls}", *(("-n", "2") if turn % 2 else ()))
            # The last ones come when everything is stored, and die while they judge, sum up and write.
            late = turn >= 16
            moment = (1, draw.uniform(0, 0.8)) if late else (draw.randint(1, 2 * REQUESTS // 16), draw.uniform(0, 0.01))
            trap.set((*moment, process.kill))
            status, output = finish(process)
            assert status in (-signal.SIGKILL, 1), output
            killed += status != 1
            assert sum(one in known for one in trap.asked()) <= len(trap.group.servers)
            assert known <= stored(tmp_path)
            if (tmp_path / "jevbench-card.json").exists():
                assert card(tmp_path) == serial
        assert killed >= 16
        check_last_run(trap, tmp_path, serial)


@pytest.mark.parametrize("seed", range(4))
def test_five_workers_of_a_run_are_killed(tmp_path: Path, serial: Any, seed: int) -> None:
    draw = random.Random(seed)
    (tmp_path / "conftest.py").write_text(CONFTEST, encoding="utf-8")
    dead: set[str] = set()
    with trapped_replicas(2) as trap:
        process = start(tmp_path, f"--jevbench-url={trap.group.urls}", "-n", "2")

        def kill() -> None:
            alive = sorted({path.name for path in tmp_path.glob("worker-gw?")} - dead)
            if alive and process.poll() is None:
                dead.add(chosen := draw.choice(alive))
                with suppress(ProcessLookupError):
                    os.kill(int((tmp_path / chosen).read_text()), signal.SIGKILL)

        moments = draw.sample(range(3, REQUESTS - 3), 5)
        trap.set(*((count, draw.uniform(0, 0.01), kill) for count in moments))
        status, output = finish(process)
        assert dead
        made = card(tmp_path)
        lost = [row for row in made["tests"] if row["verdict"] == "unjudged"]
        assert len(lost) == made["counts"]["unjudged"]["lost"] <= len(dead)
        assert made["counts"]["judged"] + len(lost) == made["counts"]["planned"] == TESTS
        assert status == (16 if lost else 1), output
        assert rows(made).items() <= rows(serial).items()
        check_last_run(trap, tmp_path, serial)


def launch(folder: Path, deaths: list[int]) -> str:
    """The option that launches servers; as many of the first ones as there are numbers die at their Nth request."""
    script = folder / "serve.py"
    script.write_text(SERVER, encoding="utf-8")
    (folder / "deaths").write_text(" ".join(f"{n}:{at}" for n, at in enumerate(deaths)), encoding="utf-8")
    return f"--jevbench-launch={shlex.join([sys.executable, str(script)])} {{port}}"


def test_the_only_replica_is_killed_again_and_again(tmp_path: Path, serial: Any) -> None:
    draw = random.Random(3)
    command = launch(tmp_path, [draw.randint(3, 45) for _ in range(10)])
    known: set[str] = set()
    for _ in range(10):
        status, output = finish(start(tmp_path, command))
        assert status == 16, output
        made = card(tmp_path)
        assert made["counts"]["judged"] < TESTS
        assert "stopped" in {flag["name"] for flag in made["flags"]}
        assert rows(made).items() <= rows(serial).items()
        assert known < (known := stored(tmp_path))
    status, output = finish(start(tmp_path, command))
    assert status == 1, output
    assert card(tmp_path)["scores"] == serial["scores"]
    made = json.loads((tmp_path / "jevbench-card.json").read_text(encoding="utf-8"))
    assert made["run"]["requests"] == REQUESTS - len(known) + 1  # the one more checks the model at the start


@pytest.mark.parametrize("seed", range(5))
def test_two_of_three_replicas_are_killed(tmp_path: Path, serial: Any, seed: int) -> None:
    draw = random.Random(seed)
    command = launch(tmp_path, [draw.randint(3, 90) for _ in range(2)])
    status, output = finish(start(tmp_path, command, "--jevbench-replicas=3"))
    assert status == 1, output
    assert output.count("is asked no more") == 2
    made = card(tmp_path)
    assert {**made, "identity": None} == {**serial, "identity": None}
    assert len(stored(tmp_path)) == REQUESTS
