"""Which of a model's replicas a process asks first, and how many there are."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from pytest_jevbench.errors import InputError
from pytest_jevbench.models.urls import split_urls
from pytest_jevbench.plugin.model_source import ModelSource
from pytest_jevbench.plugin.settings import Settings

__all__ = ["Replica", "replica_count"]


@dataclass(frozen=True, slots=True)
class Replica:
    """The replica that a process is for: ``index`` of ``count``, from 0; ``url`` where it is reached, if by URL."""

    index: int = 0
    count: int = 1
    url: str | None = None


def replica_count(settings: Settings, source: ModelSource) -> int | None:
    """How many replicas were asked for; None where nothing says so (a model from a conftest).

    Raises ``pytest.UsageError`` where URLs and a number contradict each other.
    """
    asked: int | None = settings.get("replicas")
    if source.kind == "url":
        try:
            urls = len(split_urls(str(settings.given["url"])))
        except InputError as error:
            raise pytest.UsageError(f"jevbench: {error}") from None
        if asked is not None and asked != urls:
            raise pytest.UsageError(
                f"jevbench: --jevbench-replicas={asked}, and the model has {urls} URLs. Name one URL a replica, "
                "and leave the number out"
            )
        return urls
    if asked is None and source.from_option:
        return 1
    return asked
