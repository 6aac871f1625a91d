"""Opening the model of a process, from wherever it comes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from pytest_jevbench.models.protocol import Model
from pytest_jevbench.plugin.compat import fixture_value
from pytest_jevbench.plugin.model_source import ModelSource
from pytest_jevbench.plugin.settings import Settings

if TYPE_CHECKING:
    from pytest_jevbench.models.store import AnswerStore

__all__ = ["model_spec", "open_store", "opener"]


def opener(
    config: pytest.Config, settings: Settings, source: ModelSource, handed_over: dict[str, Any] | None
) -> Callable[[pytest.Item | None], Model]:
    """What opens the model of this process; it gets the item that needs the model first.

    In a worker, a model that the controller launched is reached at the URL it handed over.
    """

    def from_option(item: pytest.Item | None) -> Model:
        from pytest_jevbench.models.opening import open_replicas

        urls = handed_over["urls"] if handed_over else None
        return open_replicas(model_spec(settings, source, urls), 1)[0]

    def from_hook(item: pytest.Item | None) -> Model:
        return _as_model(config.hook.pytest_jevbench_model(config=config), "the hook pytest_jevbench_model")

    def from_fixture(item: pytest.Item | None) -> Model:
        if item is None:
            raise pytest.UsageError("the fixture jevbench_model is available to tests alone")
        return _as_model(fixture_value(item, "jevbench_model"), "the fixture jevbench_model")

    if source.kind == "hook":
        return from_hook
    if source.kind == "fixture":
        return from_fixture
    return from_option


def model_spec(settings: Settings, source: ModelSource, urls: list[str] | None) -> Any:
    """What the options say of the model; ``urls`` stand for a command that runs already."""
    from pytest_jevbench.models.opening import ModelSpec

    value = settings.given[source.kind]
    return ModelSpec(
        urls=tuple(urls) if urls else tuple(value.split(",")) if source.kind == "url" else (),
        launch=value if source.kind == "launch" else None,
        command=value if source.kind == "command" else None,
        reference=value if source.kind == "reference" else None,
        model=settings.get("model"),
        revision=settings.get("revision", ""),
        api_key=settings.api_key,
        timeout=settings.get("timeout", 60.0),
        retries=settings.get("retries", 4),
        launch_timeout=settings.get("launch_timeout", 120.0),
    )


def open_store(config: pytest.Config, settings: Settings, handed_over: dict[str, Any] | None) -> AnswerStore:
    """The answer store of the run: the controller's in a worker, else the one the settings name.

    Without xdist a store for this run alone is private to the process, which is faster.
    """
    from pytest_jevbench.models.store import DEFAULT_PATH, AnswerStore

    if handed_over:
        return AnswerStore.joined(handed_over["store"])
    where = settings.get("store", "off")
    if where == "off":
        return AnswerStore.temporary(shared=_has_workers(config))
    return AnswerStore.open(config.rootpath / (DEFAULT_PATH if where == "default" else where))


def _has_workers(config: pytest.Config) -> bool:
    return config.pluginmanager.has_plugin("dsession")


def _as_model(value: Any, where: str) -> Model:
    from pytest_jevbench.models.callable import CallableModel

    if isinstance(value, Model):
        return value
    if callable(value):
        return CallableModel(value)
    raise pytest.UsageError(
        f"{where} gave {type(value).__name__}, which is neither a callable (state, questions) -> answers nor a Model"
    )
