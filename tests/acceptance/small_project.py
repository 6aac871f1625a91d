"""A project with a small suite and a model in its conftest, and whole sessions of pytest run in it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pytest_jevbench.suite_freezing import freeze_suite
from tests.suite_writing import case_line, make_case, write_suite

__all__ = ["PLAIN", "SERIAL_AND_N2", "Done", "Project", "freeze_cases"]

SERIAL_AND_N2: list[tuple[str, ...]] = [(), ("-n", "2")]

PLAIN = """
import os

BROKEN = os.environ.get("BROKEN", "").split(",")

def model(state, questions):
    # Only the base request uses the key "q": a broken case answers otherwise under any other.
    case = state.split()[-1].rstrip(".")
    return {key: {"type": "noul", "noul": 0.9 if case in BROKEN and key != "q" else 0.2} for key in questions}
"""
"""A model that breaks ``key_rename`` on the cases that the variable BROKEN names, and keeps it on the others."""

FIXTURE = """

import pytest

@pytest.fixture(scope="session")
def jevbench_model():
    return model
"""


def freeze_cases(folder: Path, count: int, domains: Sequence[str] = ("d",)) -> Path:
    """A suite ``small`` of cases c0, c1, ..., each with one yes/no question ``q``."""
    cases = [case_line(make_case(f"c{i}", ["q"], domain=domains[i % len(domains)])) for i in range(count)]
    suite = write_suite(folder / "small", cases)
    freeze_suite(suite)
    return suite


@dataclass(frozen=True)
class Done:
    """A session that ended: exit status, both outputs, and the card where one was written."""

    status: int
    out: str
    card: dict[str, Any] | None = None

    @property
    def counts(self) -> dict[str, Any]:
        assert self.card is not None
        counts: dict[str, Any] = self.card["counts"]
        return counts

    @property
    def gate(self) -> dict[str, Any]:
        assert self.card is not None
        gate: dict[str, Any] = self.card["gate"]
        return gate


@dataclass
class Project:
    """A directory to run in. ``model`` is a conftest that defines ``model(state, questions)``."""

    folder: Path
    suite: Path
    model: str = PLAIN
    relation: str = "key_rename"
    env: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.model:
            (self.folder / "conftest.py").write_text(self.model + FIXTURE, encoding="utf-8")

    def run(self, *args: str, broken: Iterable[str] = (), env: Mapping[str, str] | None = None) -> Done:
        """Run the suite's tests of one relation."""
        given = {name: value for name, value in os.environ.items() if name not in _NOT_OURS}
        given |= {"COLUMNS": "100", "BROKEN": ",".join(broken), **self.env, **(env or {})}
        card = self.folder / "jevbench-card.json"
        card.unlink(missing_ok=True)
        command = [sys.executable, "-m", "pytest", "-p", "no:randomly", "-p", "no:hypothesispytest"]
        command += [
            f"--jevbench-suite={self.suite}",
            f"--jevbench-relation={self.relation}",
            "--jevbench-store=off",
            *args,
        ]
        ran = subprocess.run(command, cwd=self.folder, env=given, capture_output=True, text=True, check=False)
        read = json.loads(card.read_text(encoding="utf-8")) if card.exists() else None
        return Done(ran.returncode, ran.stdout + ran.stderr, read)

    def record(self, broken: Iterable[str] = (), name: str = "baseline.json") -> Path:
        """Record a baseline in which these cases are violated."""
        done = self.run("--jevbench-fail-on=never", broken=broken)
        assert done.status == 0, done.out
        return (self.folder / "jevbench-card.json").rename(self.folder / name)

    def gate(self, *args: str) -> Done:
        """The card that lies here, gated by the command."""
        command = [sys.executable, "-m", "pytest_jevbench", "gate", "jevbench-card.json", *args]
        ran = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        return Done(ran.returncode, ran.stdout + ran.stderr)

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.write_text(text, encoding="utf-8")
        return path


_NOT_OURS = ("CI", "PYTEST_ADDOPTS", "GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY", "PYTEST_XDIST_WORKER")
