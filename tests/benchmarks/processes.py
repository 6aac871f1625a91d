"""Sessions of pytest in processes of their own, and what they need; trivial ones to compare with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.uniform_model import UNIFORM

__all__ = ["Session", "jevbench_session", "tell", "trivial_session"]

MODEL = (
    UNIFORM
    + """
import json, os, pathlib, resource, time
import pytest

spent = 0.0

def timed(state, questions):
    global spent
    began = time.perf_counter()
    answers = uniform(state, questions)
    spent += time.perf_counter() - began
    return answers

@pytest.fixture(scope="session")
def jevbench_model():
    return timed
"""
)

TRIVIAL = """
import json, os, pathlib, resource
import pytest

spent = 0.0

class Case(pytest.Collector):
    def collect(self):
        return [Item.from_parent(self, name=f"relation_number_{i}-question_key") for i in range(PER_CASE)]

class Item(pytest.Item):
    def runtest(self):
        pass

class Suite(pytest.File):
    def collect(self):
        return [Case.from_parent(self, name=f"domain_name-{i:06}") for i in range(CASES)]

def pytest_collect_file(file_path, parent):
    return Suite.from_parent(parent, path=file_path) if file_path.name == "suite.txt" else None
"""

TELL = """
def peak():
    # what getrusage tells includes the process that started this one
    try:
        status = pathlib.Path("/proc/self/status").read_text()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024

@pytest.hookimpl(trylast=True)
def pytest_unconfigure(config):
    used = {
        "worker": getattr(config, "workerinput", {}).get("workerid", ""),
        "memory": peak(),
        "model": spent,
    }
    pathlib.Path(f"used-{os.getpid()}.json").write_text(json.dumps(used))
"""


@dataclass(frozen=True)
class Session:
    """Seconds of wall and CPU, those that the model took, peak MiB of the main process and of each worker."""

    wall: float
    cpu: float
    model: float
    memory: float
    workers: tuple[float, ...] = ()


def tell(text: str) -> None:
    """Print a line now."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def jevbench_session(*args: str) -> Session:
    """A run with an in-process model, without a store and without plugins but pytest-xdist."""
    options = ["--jevbench-store=off", "--jevbench-fail-on=never", *args]
    return _session(MODEL + TELL, ["-p", "jevbench", "-p", "xdist", *options])


def trivial_session(cases: int, per_case: int, *args: str) -> Session:
    """As many items of the same kind that do nothing."""
    return _session(f"CASES, PER_CASE = {cases}, {per_case}\n{TRIVIAL}{TELL}", ["-p", "xdist", *args])


def _session(conftest: str, args: list[str]) -> Session:
    with tempfile.TemporaryDirectory() as folder:
        where = Path(folder)
        (where / "conftest.py").write_text(conftest, encoding="utf-8")
        (where / "suite.txt").touch()
        env = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        before, began = os.times(), time.perf_counter()
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", *args], cwd=where, env=env, check=True, capture_output=True
        )
        wall, after = time.perf_counter() - began, os.times()
        told = [json.loads(path.read_text(encoding="utf-8")) for path in where.glob("used-*.json")]
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    main = next(one for one in told if not one["worker"])
    workers = tuple(one["memory"] for one in told if one["worker"])
    return Session(wall, cpu, sum(one["model"] for one in told), main["memory"], workers)
