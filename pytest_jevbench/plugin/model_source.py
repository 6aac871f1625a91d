"""Where the model comes from: the command line before a conftest before ini keys."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, NamedTuple

import pytest

from pytest_jevbench.plugin.compat import overriding_conftests
from pytest_jevbench.plugin.settings import Settings

__all__ = ["ModelSource", "find_model_source", "names_model"]


class ModelSource(NamedTuple):
    """``kind``: an option or ini key by name, the hook, or the fixture of a conftest."""

    kind: Literal["url", "launch", "command", "reference", "runtime", "hook", "fixture"]
    level: Literal["command line", "conftest", "ini"]

    @property
    def from_option(self) -> bool:
        return self.kind not in ("hook", "fixture")


def find_model_source(config: pytest.Config, settings: Settings) -> ModelSource:
    """The one model to test. Raises ``pytest.UsageError`` where there is none, or two on one level."""
    fixture = _fixture_override(config)
    hook = bool(config.hook.pytest_jevbench_model.get_hookimpls())
    typed = settings.typed_model()
    if typed is not None:
        return ModelSource(typed, "command line")  # type: ignore[arg-type]
    if fixture and hook:
        raise pytest.UsageError(
            "jevbench: a conftest both overrides the fixture jevbench_model and implements the hook "
            "pytest_jevbench_model. Keep one of them"
        )
    if fixture or hook:
        return ModelSource("fixture" if fixture else "hook", "conftest")
    ini = settings.ini_model()
    if ini is not None:
        return ModelSource(ini, "ini")  # type: ignore[arg-type]
    raise pytest.UsageError(
        'jevbench: there is no model to ask. Give --jevbench-url=http://127.0.0.1:8000, --jevbench-launch="CMD --port '
        '{port}", --jevbench-reference=uniform, or a fixture jevbench_model in the conftest of the root directory'
    )


def names_model(config: pytest.Config, settings: Settings) -> bool:
    """Whether anything names a model, rightly or not."""
    return bool(
        settings.typed_model()
        or settings.ini_model()
        or overriding_conftests(config, "jevbench_model")
        or config.hook.pytest_jevbench_model.get_hookimpls()
    )


def _fixture_override(config: pytest.Config) -> bool:
    """Whether the conftest of the root directory, or a plugin, overrides the fixture.

    An override below the root directory would silently not count, because suites hang on the session.
    """
    modules: list[Any] = overriding_conftests(config, "jevbench_model")
    for module in modules:
        file = Path(module.__file__).resolve()
        if file.parent != config.rootpath.resolve():
            raise pytest.UsageError(
                f"jevbench: {file} overrides the fixture jevbench_model, and a suite does not see it there. "
                f"Move the fixture to {config.rootpath / 'conftest.py'}"
            )
    if modules:
        return True
    return any(
        "jevbench_model" in vars(plugin)
        for plugin in config.pluginmanager.get_plugins()
        if getattr(plugin, "__name__", "").partition(".")[0] != "pytest_jevbench" and hasattr(plugin, "__dict__")
    )
