"""A folder in which ``pytest-jevbench init`` is typed, and what it leaves there."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.cli import main

GITHUB = {".github/workflows/coherence.yml", ".github/workflows/coherence-baseline.yml"}
GATE = {"coherence/gate.yaml", "coherence/requirements.txt"}
EXAMPLES = ("--suite", "jevbench-examples")
MODEL = ("--reference", "luce", *EXAMPLES)
CASES = """
- state: My parcel is late.
  questions:
    angry: {type: noul, instructions: "Is the writer angry?"}
"""

Init = Callable[..., str]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder, the working directory."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def init(folder: Path, capsys: pytest.CaptureFixture[str]) -> Init:
    """Runs the command and gives what it printed."""

    def run(*words: str, status: int = 0) -> str:
        capsys.readouterr()
        done = main(["init", *words])
        printed = capsys.readouterr()
        assert done == status, printed
        return printed.err if status else printed.out

    return run


@pytest.fixture
def read_by_pytest(folder: Path) -> Callable[[], Mapping[str, Any]]:
    """What pytest reads of our keys, from the file that it takes."""
    from _pytest.config.findpaths import locate_config

    def read() -> Mapping[str, Any]:
        found = locate_config(folder, [folder])[2]
        return {name: getattr(value, "value", value) for name, value in found.items() if name.startswith("jevbench")}

    return read


def files(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
