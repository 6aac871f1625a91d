"""The private names of pytest that are used, in one place."""

from __future__ import annotations

from typing import Any

import pytest
from _pytest.fixtures import TopRequest

__all__ = ["fixture_homes", "fixture_value", "overriding_conftests"]


def fixture_value(item: pytest.Item, name: str) -> Any:
    """The value of a session fixture, as a test of the item's place in the tree would get it."""
    holder: Any = item
    if isinstance(item, pytest.Function):
        return holder._request.getfixturevalue(name)
    holder.funcargs = {}
    manager = item.session._fixturemanager
    holder._fixtureinfo = manager.getfixtureinfo(node=item, func=None, cls=None)
    holder.fixturenames = holder._fixtureinfo.names_closure
    return TopRequest(holder, _ispytest=True).getfixturevalue(name)


def fixture_homes(item: pytest.Item, name: str) -> list[str]:
    """Where the definitions of a fixture that an item sees lie: the node ids, empty for the root and plugins."""
    definitions = item.session._fixturemanager.getfixturedefs(name, item) or ()
    return [definition.baseid for definition in definitions]


def overriding_conftests(config: pytest.Config, name: str) -> list[Any]:
    """The conftest modules loaded so far that define something called ``name``, outermost first."""
    manager: Any = config.pluginmanager
    conftests = [
        plugin
        for plugin in manager.get_plugins()
        if str(getattr(plugin, "__file__", "")).endswith("conftest.py") and name in vars(plugin)
    ]
    return sorted(conftests, key=lambda module: len(str(module.__file__)))
