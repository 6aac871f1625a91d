"""The typed keys under which a run's state lies in ``config.stash``; there is no other global state."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from functools import _lru_cache_wrapper

    from pytest_jevbench.plugin.gating import Gate
    from pytest_jevbench.plugin.opening import RunPlace
    from pytest_jevbench.plugin.part_session import PartSession
    from pytest_jevbench.plugin.replica import Replica
    from pytest_jevbench.plugin.settings import Settings
    from pytest_jevbench.runs.gathering import Results
    from pytest_jevbench.runs.planning import Run
    from pytest_jevbench.runs.process_model import ProcessModel

__all__ = [
    "GATE",
    "KNOWN",
    "LEFT_ALONE",
    "MODEL",
    "NODE_IDS",
    "ORDER",
    "PARTS",
    "PLACE",
    "REPLICA",
    "RESULTS",
    "RUN",
    "SETTINGS",
]

SETTINGS: pytest.StashKey[Settings] = pytest.StashKey()
"""What was asked for."""

RUN: pytest.StashKey[Run] = pytest.StashKey()
"""The tests planned."""

NODE_IDS: pytest.StashKey[tuple[str, ...]] = pytest.StashKey()
"""The node ids of tests or cases given as arguments; empty: all."""

MODEL: pytest.StashKey[ProcessModel] = pytest.StashKey()
"""What this process asks."""

GATE: pytest.StashKey[Gate] = pytest.StashKey()
"""What decides the run, and its baseline."""

KNOWN: pytest.StashKey[frozenset[str]] = pytest.StashKey()
"""The node ids of tests that are violated in the baseline: their violation is no failure."""

ORDER: pytest.StashKey[tuple[str, ...]] = pytest.StashKey()
"""The cases in the order in which they are asked, where that is not the plan's."""

PARTS: pytest.StashKey[PartSession] = pytest.StashKey()
"""The marked functions and suite folders, each a run of its own."""

LEFT_ALONE: pytest.StashKey[list[str]] = pytest.StashKey()
"""Suite folders that were not collected, because nothing names a model to ask."""

PLACE: pytest.StashKey[_lru_cache_wrapper[RunPlace]] = pytest.StashKey()
"""Makes, at the first call, what the processes of the run share on this machine."""

REPLICA: pytest.StashKey[Replica] = pytest.StashKey()
"""The replica that this process is for."""

RESULTS: pytest.StashKey[Results] = pytest.StashKey()
"""What the controller knows of the tests; absent in workers."""
