"""Reports of the published package's own toy models, made once."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import pytest

from tests.servers.published import program

__all__ = ["published_report"]


@pytest.fixture(scope="session")
def published_report(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str, str], Path]:
    """``published_report("fake:biased", "jevbench-mini")`` is a report that the published tool wrote."""
    folder = tmp_path_factory.mktemp("published")

    @lru_cache
    def make(model: str, suite: str) -> Path:
        path = folder / f"{model.replace(':', '-')}-{suite}.json"
        command = [program("jevbench"), "eval", "--backend", model, "--suite", suite, "--no-cache", "--out", str(path)]
        subprocess.run(command, check=True, capture_output=True, cwd=folder)
        return path

    return make
