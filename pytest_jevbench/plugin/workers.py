"""What concerns pytest-xdist alone: what workers are handed, and what they hand back."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import pytest

from pytest_jevbench.models.passing_folders import leave_folder
from pytest_jevbench.models.process_identity import this_process
from pytest_jevbench.models.protocol import Identity
from pytest_jevbench.models.replicas import FreeList
from pytest_jevbench.plugin.keys import MODEL, PLACE, RESULTS, RUN
from pytest_jevbench.plugin.opening import elsewhere
from pytest_jevbench.plugin.replica import Replica
from pytest_jevbench.runs.process_model import NOBODY_YET

__all__ = ["SECTION", "ControllerOfWorkers", "Worker", "check_workers", "handed_over", "is_far", "replica_of"]

SECTION = "jevbench"
"""The key of our part of xdist's ``workerinput`` and ``workeroutput``."""


def handed_over(config: pytest.Config) -> dict[str, Any] | None:
    """What the controller gave this process, or None where this process is the controller."""
    given: dict[str, Any] | None = getattr(config, "workerinput", {}).get(SECTION)
    return given


def is_far(given: dict[str, Any] | None) -> bool:
    """Whether this process is a worker on another machine than the controller."""
    return given is not None and elsewhere(given)


def replica_of(given: dict[str, Any] | None, count: int | None) -> Replica:
    """The replica that this process is for."""
    if given is None:
        return Replica(0, count or 1)
    return Replica(int(given["replica"]), int(given["count"]), given["url"])


def check_workers(config: pytest.Config, *, launches: bool, has_budget: bool) -> None:
    """Refuse what cannot work with the workers asked for. Raises ``pytest.UsageError``."""
    if getattr(config.option, "dist", "no") == "each":
        raise pytest.UsageError(
            "jevbench: --dist=each runs every test in every worker, so each would be counted several times. "
            "Leave --dist out"
        )
    remote = [spec for spec in getattr(config.option, "tx", None) or () if "popen" not in spec.partition("//")[0]]
    if not remote or getattr(config.option, "dist", "no") == "no":
        return
    if launches:
        raise pytest.UsageError(
            "jevbench: workers on other machines do not reach servers that --jevbench-launch starts here. "
            "Start the servers, and name them with --jevbench-url"
        )
    if has_budget:
        raise pytest.UsageError(
            "jevbench: a budget is kept in one ledger, which workers on other machines do not share. "
            "Run shards with budgets of their own"
        )


class ControllerOfWorkers:
    """The controller's side. ``count`` is the number of replicas, None where each worker has its own."""

    def __init__(self, config: pytest.Config, count: int | None, shared: bool) -> None:
        self._config = config
        self._count = count
        self._shared = shared
        self._free: FreeList | None = None

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        model = self._config.stash[MODEL]
        workers = int(node.workerinput.get("workercount", 1))
        count = self._count or workers
        if self._free is None:
            self._free = FreeList(count)
        index = self._free.take(node.gateway.id)
        place = self._config.stash[PLACE]()
        identity = model.identity if self._shared else None
        node.workerinput[SECTION] = {
            "urls": list(model.urls) or None,
            "url": model.urls[index] if model.urls else None,
            "replica": index,
            "count": count,
            "store": model.store.handover(),
            "run": place.run,
            "folder": str(place.folder),
            "ledger": str(place.ledger),
            "host": this_process().host,
            "answered": None if model.answered is NOBODY_YET else model.answered,
            "asked": model.answered is not NOBODY_YET,
            "identity": None if identity is None else _identity_json(identity),
        }
        self._config.stash[RESULTS].workers = max(self._config.stash[RESULTS].workers, workers)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, node: Any, ids: Iterable[str]) -> None:
        known = self._config.stash[RUN].by_node_id
        self._config.stash[RESULTS].collected.update(name for name in ids if name in known)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any, error: object) -> None:
        """Take the worker's replica back, and learn who was asked, where only workers ask."""
        if self._free is not None:
            self._free.give_back(node.gateway.id)
        told = getattr(node, "workeroutput", {}).get(SECTION)
        if told is not None and told["broken"]:
            self._config.stash[MODEL].broken = told["broken"]
        if told is not None and told["identity"] is not None:
            self._config.stash[RESULTS].spend(told["spent"])
            self._config.stash[MODEL].know(Identity(**told["identity"]), told["answered"])


class Worker:
    """The worker's side."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_sessionfinish(self) -> None:
        model = self._config.stash[MODEL]
        asked = not model.broken and model.answered is not NOBODY_YET and model.identity is not None
        output: dict[str, Any] = self._config.workeroutput  # type: ignore[attr-defined]
        output[SECTION] = {
            "broken": model.broken,
            "identity": _identity_json(model.identity) if asked and model.identity is not None else None,
            "answered": model.answered if asked else None,
            "spent": model.newly_spent(),
        }

    def pytest_unconfigure(self) -> None:
        self._config.stash[MODEL].close()
        place = self._config.stash[PLACE]
        if self._config.stash[MODEL].far and place.cache_info().currsize:
            leave_folder(place().folder)


def _identity_json(identity: Identity) -> dict[str, Any]:
    return {**asdict(identity), "details": dict(identity.details)}
