"""Getting ready for a labelled run: everything a user can have typed wrong is refused here, before anything starts."""

from __future__ import annotations

from difflib import get_close_matches

import pytest

from pytest_jevbench.errors import JevbenchError
from pytest_jevbench.labelled.task_sets import TaskSet
from pytest_jevbench.plugin import tasks_items
from pytest_jevbench.plugin.html_page import register_page
from pytest_jevbench.plugin.keys import SETTINGS
from pytest_jevbench.plugin.model_source import find_model_source
from pytest_jevbench.plugin.outputs import check_outputs
from pytest_jevbench.plugin.settings import read_settings
from pytest_jevbench.plugin.tasks_keys import TASKS, TASKS_MODEL, WANTED
from pytest_jevbench.plugin.tasks_opening import TasksModel
from pytest_jevbench.plugin.tasks_session import TasksSession
from pytest_jevbench.plugin.tasks_settings import check_alone, outputs_of, tasks_asked_for
from pytest_jevbench.slugs import slug

__all__ = ["activate_tasks"]


def activate_tasks(config: pytest.Config) -> None:
    """Read the tasks, find the model, and register the hooks of a labelled run.

    Raises ``pytest.UsageError``.
    """
    settings = read_settings(config)
    if settings.planned != "tasks":
        raise pytest.UsageError(
            "jevbench: an ini file names labelled tasks and a suite. Say which with --jevbench-tasks"
        )
    try:
        check_alone(config, settings)
        tasks = tasks_asked_for(settings)
        check_outputs(settings)
        outputs = outputs_of(settings, tasks)
        source = find_model_source(config, settings)
        model = TasksModel(config, settings, source, tasks, outputs)
    except JevbenchError as error:
        raise pytest.UsageError(f"jevbench: {error}") from None
    config.stash[SETTINGS] = settings
    config.stash[TASKS] = tasks
    config.stash[TASKS_MODEL] = model
    config.stash[WANTED] = _take_node_ids(config, tasks)
    config.pluginmanager.register(tasks_items, "jevbench-tasks-items")
    config.pluginmanager.register(TasksSession(config), "jevbench-tasks-session")
    register_page(config, settings)


def _take_node_ids(config: pytest.Config, tasks: TaskSet) -> frozenset[str]:
    """Take the tasks' node ids out of the arguments; without a path given, the tasks alone are collected."""
    own = slug(tasks.name)
    taken = [arg for arg in config.args if arg == own or arg.startswith(f"{own}::")]
    rest = [arg for arg in config.args if arg not in taken]
    known = {own, *(f"{own}::{slug(task.id)}" for task in tasks.tasks)} if taken else set()
    for name in taken:
        if name not in known:
            near = get_close_matches(name, known, n=3)
            advice = f" Did you mean {', '.join(near)}?" if near else ""
            raise pytest.UsageError(f"jevbench: {name} is no task of what was selected.{advice}")
    if config.args_source is not pytest.Config.ArgsSource.ARGS or (taken and not rest):
        rest = []
    config.args[:] = rest
    return frozenset() if own in taken else frozenset(taken)
