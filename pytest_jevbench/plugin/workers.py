"""What concerns pytest-xdist alone: what workers are handed, and what they hand back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import pytest

from pytest_jevbench.models.protocol import Identity
from pytest_jevbench.plugin.asking import NOBODY_YET
from pytest_jevbench.plugin.keys import MODEL, NODE_IDS, RESULTS, RUN

__all__ = ["ControllerOfWorkers", "Worker", "handed_over"]

SECTION = "jevbench"
"""The key of our part of xdist's ``workerinput`` and ``workeroutput``."""


def handed_over(config: pytest.Config) -> dict[str, Any] | None:
    """What the controller gave this process, or None where this process is the controller."""
    given: dict[str, Any] | None = getattr(config, "workerinput", {}).get(SECTION)
    return given


class ControllerOfWorkers:
    """The controller's side. ``launched`` is whether it started the model itself."""

    def __init__(self, config: pytest.Config, launched: bool) -> None:
        self._config = config
        self._launched = launched

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        model = self._config.stash[MODEL]
        replicas = model.replicas if self._launched else None
        node.workerinput[SECTION] = {
            "urls": list(replicas.urls) if replicas is not None else None,
            "node_ids": [*self._config.stash[NODE_IDS]],
            "store": model.store.handover(),
            "answered": None if model.answered is NOBODY_YET else model.answered,
        }
        self._config.stash[RESULTS].workers = max(
            self._config.stash[RESULTS].workers, int(node.workerinput.get("workercount", 1))
        )

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: Iterable[str]) -> None:
        known = self._config.stash[RUN].by_node_id
        self._config.stash[RESULTS].collected.update(name for name in ids if name in known)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Learn who was asked, where only workers ask; a worker that crashed tells nothing."""
        told = getattr(node, "workeroutput", {}).get(SECTION)
        if told is not None:
            self._config.stash[MODEL].know(Identity(**told["identity"]), told["answered"])


class Worker:
    """The worker's side."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_sessionfinish(self) -> None:
        model = self._config.stash[MODEL]
        if model.identity is not None:
            output: dict[str, Any] = self._config.workeroutput  # type: ignore[attr-defined]
            identity = {**asdict(model.identity), "details": dict(model.identity.details)}
            output[SECTION] = {"identity": identity, "answered": model.answered}

    def pytest_unconfigure(self) -> None:
        self._config.stash[MODEL].close()
