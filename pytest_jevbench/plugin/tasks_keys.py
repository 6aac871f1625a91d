"""The typed keys under which a labelled run's state lies in ``config.stash``."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pytest_jevbench.labelled.task_sets import TaskSet
    from pytest_jevbench.plugin.tasks_opening import TasksModel

__all__ = ["TASKS", "TASKS_MODEL", "WANTED"]

TASKS: pytest.StashKey[TaskSet] = pytest.StashKey()
"""The tasks asked for."""

TASKS_MODEL: pytest.StashKey[TasksModel] = pytest.StashKey()
"""Who is asked, opened at the start or at the first task."""

WANTED: pytest.StashKey[frozenset[str]] = pytest.StashKey()
"""The node ids of tasks given as arguments; empty: all."""
