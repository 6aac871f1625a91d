"""The laws of the user's own: taken in when a run begins, from conftests and installed packages."""

from __future__ import annotations

import inspect

import pytest

from pytest_jevbench.errors import InputError, JevbenchError
from pytest_jevbench.plugin.settings import Settings
from pytest_jevbench.relations.known import Relations
from pytest_jevbench.relations.own_law import raised_in
from pytest_jevbench.relations.own_law_sources import add_installed
from pytest_jevbench.relations.own_registry import Registry

__all__ = ["LateConftests", "check_counted", "own_relations"]

HOOK = "pytest_jevbench_relations"


def own_relations(config: pytest.Config, settings: Settings) -> Relations:
    """The relations of this run. Raises :class:`InputError`, also for whatever a hook raises."""
    registry = Registry(counted=bool(settings.get("count_own_laws")))
    add_installed(registry)
    try:
        config.hook.pytest_jevbench_relations(registry=registry)
    except JevbenchError:
        raise
    except Exception as error:
        raise InputError(f"the hook {HOOK} fails: {raised_in(error)}") from error
    return registry.relations()


def check_counted(settings: Settings, planned: set[str], relations: Relations) -> None:
    """Refuse ``--jevbench-count-own-laws`` where it would change nothing. Raises :class:`InputError`."""
    if not settings.typed.get("count_own_laws"):
        return
    option, used = "--jevbench-count-own-laws", [law for law in relations.own if law.name in planned]
    if not used:
        raise InputError(
            f"{option}: no law of your own has a test here",
            advice="The tests of a suite that is frozen already are what they are; give --jevbench-cases, or freeze "
            "a suite with `pytest-jevbench suite freeze DIR --conftest PATH`",
        )
    if not any(law.counted for law in used):
        names = ", ".join(law.name for law in used)
        raise InputError(
            f"{option}: {names} {'names' if len(used) == 1 else 'name'} no dimension to count in",
            advice='Give one in the class, such as counts_in = "LOG"',
        )


class LateConftests:
    """Notices a conftest that is loaded after the tests were planned and has laws of its own."""

    def __init__(self, config: pytest.Config) -> None:
        self._known = {id(plugin) for plugin in config.pluginmanager.get_plugins()}
        self._late: list[str] = []

    def pytest_plugin_registered(self, plugin: object) -> None:
        if inspect.ismodule(plugin) and hasattr(plugin, HOOK) and id(plugin) not in self._known:
            self._late.append(str(plugin.__file__ or plugin.__name__))

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(self, config: pytest.Config) -> None:
        """Refuse it once all is collected: what is raised while a directory is, costs that directory alone."""
        for file in self._late:
            raise pytest.UsageError(
                f"jevbench: {file}: {HOOK} comes too late, the tests were planned before this file was loaded. "
                f"Move the hook to {config.rootpath / 'conftest.py'}, or give the file's directory as an argument"
            )
