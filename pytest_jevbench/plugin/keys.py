"""The typed keys under which a run's state lies in ``config.stash``; there is no other global state."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_jevbench.plugin.asking import ProcessModel
    from pytest_jevbench.plugin.results import Results
    from pytest_jevbench.plugin.settings import Settings
    from pytest_jevbench.runs.planning import Run

__all__ = ["MODEL", "NODE_IDS", "RESULTS", "RUN", "SETTINGS"]

SETTINGS: pytest.StashKey[Settings] = pytest.StashKey()
"""What was asked for."""

RUN: pytest.StashKey[Run] = pytest.StashKey()
"""The tests planned."""

NODE_IDS: pytest.StashKey[tuple[str, ...]] = pytest.StashKey()
"""The node ids of tests or cases given as arguments; empty: all."""

MODEL: pytest.StashKey[ProcessModel] = pytest.StashKey()
"""What this process asks."""

RESULTS: pytest.StashKey[Results] = pytest.StashKey()
"""What the controller knows of the tests; absent in workers."""
