"""How busy replicas are kept, and the wall time beside the published package's with the same replicas.

Run it with ``python -m tests.benchmarks.replicas [ROUNDS] [COUNT,COUNT,...] [SUITE]``, on a machine with nothing else
to do. Each replica takes 20 ms a request and one request at a time. Both sides run in processes of their own, in turn,
each into an empty folder; pytest loads no plugin but this one and pytest-xdist. Printed are medians: the wall time,
what of it lies between the first request and the process's end, the share of that time in which replicas had a request,
and the ratio of the two sides' wall times.
"""

from __future__ import annotations

import json
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from tests.benchmarks.processes import tell
from tests.servers.published import program

MILLISECONDS = 20.0


class Measured(NamedTuple):
    """Seconds of wall, of CPU, from the first request to the end; busy shares until then and until the last answer."""

    wall: float
    cpu: float
    after_start: float
    busy: float
    busy_asking: float
    requests: int
    distinct: int


@contextmanager
def served(count: int) -> Iterator[tuple[str, int]]:
    """So many replicas: their URLs, joined by commas, and the port that tells figures."""
    script = Path(__file__).with_name("timed_server.py")
    command = [sys.executable, str(script), str(count), str(MILLISECONDS)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        *ports, control = json.loads(server.stdout.readline())
        try:
            yield ",".join(f"http://127.0.0.1:{port}" for port in ports), control
        finally:
            server.kill()


def figures(control: int) -> dict[str, Any]:
    """What the replicas did since the last call."""
    with socket.create_connection(("127.0.0.1", control)) as connection, connection.makefile("rb") as stream:
        told: dict[str, Any] = json.loads(stream.read())
    return told


def ours(urls: str, suite: str) -> list[str]:
    """The command of this plugin."""
    options = ["-q", "-p", "jevbench", "-p", "xdist", "--jevbench-fail-on=never"]
    return [sys.executable, "-m", "pytest", f"--jevbench-suite=jevbench:{suite}", f"--jevbench-url={urls}", *options]


def theirs(urls: str, suite: str) -> list[str]:
    """The command of the published package."""
    endpoints = ",".join(f"{url}/v1/systemone" for url in urls.split(","))
    command = [program("jevbench"), "eval", "--url", endpoints, "--model", "timed", "--suite", suite]
    return [*command, "--cache-dir", "cache", "--out", "report.json"]


def measure(command: list[str], control: int, count: int) -> Measured:
    """One run in an empty folder."""
    figures(control)
    with tempfile.TemporaryDirectory() as folder:
        used = _children_cpu()
        began = time.perf_counter()
        env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        subprocess.run(command, cwd=folder, check=True, capture_output=True, env=env)
        wall, ended = time.perf_counter() - began, time.time()
        cpu = _children_cpu() - used
    told = figures(control)
    after, asking = ended - told["first"], told["last"] - told["first"]
    busy = sum(told["busy"])
    return Measured(
        wall, cpu, after, busy / (count * after), busy / (count * asking), told["requests"], told["distinct"]
    )


def _children_cpu() -> float:
    times = os.times()
    return times.children_user + times.children_system


def main(rounds: int = 5, counts: str = "1,4,8", suite: str = "jevbench-mini") -> None:
    """Print both sides and the ratios for each number of replicas."""
    for count in map(int, counts.split(",")):
        runs: dict[str, list[Measured]] = {"published": [], "this plugin": []}
        with served(count) as (urls, control):
            for _ in range(rounds):
                runs["published"].append(measure(theirs(urls, suite), control, count))
                runs["this plugin"].append(measure(ours(urls, suite), control, count))
        tell(f"{count} replicas, {suite}, median of {rounds}")
        for name, measured in runs.items():
            m = Measured(*(statistics.median(values) for values in zip(*measured, strict=True)))
            tell(
                f"  {name:12} {m.wall:6.2f} s wall {m.cpu:6.2f} s CPU {m.after_start:6.2f} s from the first request; "
                f"busy {100 * m.busy:5.1f} % of these, {100 * m.busy_asking:5.1f} % until the last answer; "
                f"{m.requests:.0f} requests, {m.distinct:.0f} distinct"
            )
        pairs = zip(runs["this plugin"], runs["published"], strict=True)
        ratios = [our.wall / their.wall for our, their in pairs]
        tell(f"  wall ratio {statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})")


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:2]), *sys.argv[2:4])
