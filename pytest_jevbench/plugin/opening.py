"""Opening the model of a process, from wherever it comes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

from pytest_jevbench.errors import InputError
from pytest_jevbench.models.opening import ModelSpec, Replicas, as_models, key_from_environment, open_replicas
from pytest_jevbench.models.urls import split_urls
from pytest_jevbench.plugin.compat import fixture_value
from pytest_jevbench.plugin.model_source import ModelSource
from pytest_jevbench.plugin.settings import Settings

if TYPE_CHECKING:
    from pytest_jevbench.models.private_store import PrivateStore
    from pytest_jevbench.models.store import AnswerStore, Mode

__all__ = ["model_spec", "open_store", "opener"]


def opener(
    config: pytest.Config, settings: Settings, source: ModelSource, handed_over: dict[str, Any] | None
) -> Callable[[pytest.Item | None], Replicas]:
    """What opens the model of this process; it gets the item that needs the model first.

    In a worker, a model that the controller launched is reached at the URL it handed over.
    """

    def from_option(item: pytest.Item | None) -> Replicas:
        return open_replicas(model_spec(settings, source, handed_over["urls"] if handed_over else None), 1)

    def from_hook(item: pytest.Item | None) -> Replicas:
        return as_models(config.hook.pytest_jevbench_model(config=config), "the hook pytest_jevbench_model")

    def from_fixture(item: pytest.Item | None) -> Replicas:
        if item is None:
            raise InputError("the fixture jevbench_model is available to tests alone")
        return as_models(fixture_value(item, "jevbench_model"), "the fixture jevbench_model")

    if source.kind == "hook":
        return from_hook
    if source.kind == "fixture":
        return from_fixture
    return from_option


def model_spec(settings: Settings, source: ModelSource, urls: list[str] | None) -> ModelSpec:
    """What the options say of the model; ``urls`` are where a launch command's servers already run.

    Raises :class:`InputError` for what can be seen to be wrong without starting anything.
    """
    value: str = settings.given[source.kind]
    spec = ModelSpec(
        urls=tuple(urls) if urls else split_urls(value) if source.kind == "url" else (),
        launch=value if source.kind == "launch" else None,
        command=value if source.kind == "command" else None,
        reference=value if source.kind == "reference" else None,
        model=settings.get("model"),
        revision=settings.get("revision", ""),
        api_key=key_from_environment(settings.get("api_key_env")),
        timeout=settings.get("timeout", 60.0),
        retries=settings.get("retries", 4),
        launch_timeout=settings.get("launch_timeout", 120.0),
    )
    spec.check()
    return spec


def open_store(
    config: pytest.Config, settings: Settings, handed_over: dict[str, Any] | None
) -> AnswerStore | PrivateStore:
    """The answer store of the run: the controller's in a worker, else the one the settings name.

    Without xdist a store for this run alone is private to the process, which is faster.
    """
    from pytest_jevbench.models.private_store import PrivateStore
    from pytest_jevbench.models.store import DEFAULT_PATH, AnswerStore

    if handed_over:
        return AnswerStore.joined(handed_over["store"])
    mode: Mode = "offline" if settings.get("offline") else "refresh" if settings.get("refresh") else "use"
    where = settings.get("store")
    if where == "off":
        return AnswerStore.temporary(mode=mode) if _has_workers(config) or mode == "offline" else PrivateStore()
    path = config.rootpath / DEFAULT_PATH if where is None else settings.path("store")
    return AnswerStore.open(path, mode=mode)


def _has_workers(config: pytest.Config) -> bool:
    return config.pluginmanager.has_plugin("dsession")
