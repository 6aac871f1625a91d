"""How many workers xdist starts and how it deals out items, decided before it reads its options."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_jevbench.plugin.model_source import find_model_source
from pytest_jevbench.plugin.replica import replica_count
from pytest_jevbench.plugin.settings import read_settings

__all__ = ["choose_scheduler", "suite_alone", "workers_for_replicas"]


def suite_alone(config: pytest.Config) -> bool:
    """Whether no path is given, so that the suite's tests are the only ones."""
    if config.args_source is not pytest.Config.ArgsSource.ARGS:
        return True
    return not any(Path(config.invocation_params.dir, arg.partition("::")[0]).exists() for arg in config.args)


def choose_scheduler(config: pytest.Config) -> None:
    """Deal out neighbouring items together, where the suite alone runs and no scheduler was chosen."""
    option = config.option
    if getattr(option, "dist", None) == "no" and not getattr(option, "distload", False) and suite_alone(config):
        option.dist = "worksteal"


def workers_for_replicas(config: pytest.Config) -> int | None:
    """The number of replicas; None where it is not known, or where other tests run too."""
    if not suite_alone(config):
        return None
    settings = read_settings(config)
    return replica_count(settings, find_model_source(config, settings))
