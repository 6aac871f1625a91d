"""Opening the model and the files of a labelled run."""

from __future__ import annotations

import uuid
from dataclasses import replace

import pytest

from pytest_jevbench.errors import InputError
from pytest_jevbench.json_text import JSON
from pytest_jevbench.labelled.raw_files import RawFiles
from pytest_jevbench.labelled.results_log import ResultsLog
from pytest_jevbench.labelled.runner import LabelledRun
from pytest_jevbench.labelled.task_sets import TaskSet
from pytest_jevbench.models.dialects.base import Dialect
from pytest_jevbench.models.ledger import Ledger
from pytest_jevbench.models.opening import ModelSpec, Replicas, as_models, open_replicas
from pytest_jevbench.models.protocol import Identity
from pytest_jevbench.plugin.budget import check_budget
from pytest_jevbench.plugin.compat import fixture_value
from pytest_jevbench.plugin.model_source import ModelSource
from pytest_jevbench.plugin.opening import LEDGER, check_no_dialect, model_spec
from pytest_jevbench.plugin.replica import Replica
from pytest_jevbench.plugin.settings import Settings
from pytest_jevbench.plugin.tasks_settings import Outputs, tariff_of

__all__ = ["TasksModel", "identity_json"]


class TasksModel:
    """Who is asked. :meth:`open` makes the run, once; :attr:`run` is it."""

    def __init__(
        self, config: pytest.Config, settings: Settings, source: ModelSource, tasks: TaskSet, outputs: Outputs
    ) -> None:
        self.source = source
        self.outputs = outputs
        self.run: LabelledRun | None = None
        self._config = config
        self._settings = settings
        self._tasks = tasks
        self.spec = self._checked_spec()

    @property
    def needs_item(self) -> bool:
        """Whether only a test can open the model: it comes from a fixture."""
        return self.source.kind == "fixture"

    def open(self, item: pytest.Item | None) -> LabelledRun:
        """The run, ready to ask. Raises :class:`InputError` for what would fail later, and what the model raises."""
        if self.run is not None:
            return self.run
        models = self._models(item)
        try:
            if len(models) != 1:
                raise InputError(
                    f"there are {len(models)} replicas of the model, and a labelled run asks one",
                    advice="Name one URL, or give one model",
                )
            listens = getattr(models[0], "listens", None)
            if callable(listens):
                listens()
            self.run = self._opened(models)
        except BaseException:
            models.close()
            raise
        return self.run

    def close(self) -> None:
        if self.run is not None:
            self.run.close()

    def _opened(self, models: Replicas) -> LabelledRun:
        settings, tasks = self._settings, self._tasks
        model = models[0]
        told = identity_json(model.identity)
        header: dict[str, JSON] = {"dataset_hash": tasks.dataset_hash, "model": told}
        if self.spec is not None and self.spec.urls and not settings.get("model"):
            header["url"] = settings.shown("url")  # servers that are asked for no model by name all have the same one
        log = ResultsLog(self.outputs.results, header)
        try:
            run = LabelledRun(
                tasks.tasks,
                model,
                RawFiles(self.outputs.raw, model=model.identity.name, dataset=tasks.dataset_hash),
                log,
                dialect=self._dialect(),
                ledger=self._ledger(),
                tariff=tariff_of(settings, self.source),
                delay=settings.get("delay", 0.0),
            )
            run.preflight()
        except BaseException:
            log.close()
            raise
        return run

    def _checked_spec(self) -> ModelSpec | None:
        if not self.source.from_option:
            check_no_dialect(self._settings)
            check_budget(self._settings)
            return None
        spec = replace(model_spec(self._settings, self.source, None, labels_suffice=True), retries=0)
        if len(spec.urls) > 1:
            raise InputError(
                f"there are {len(spec.urls)} URLs, and a labelled run asks one replica", advice="Name one of them"
            )
        check_budget(self._settings)
        return spec

    def _dialect(self) -> Dialect | None:
        spec = self.spec
        return spec.spoken if spec is not None and (spec.urls or spec.launch or spec.runtime) else None

    def _models(self, item: pytest.Item | None) -> Replicas:
        if self.spec is not None:
            return open_replicas(self.spec, 1)
        if self.source.kind == "hook":
            given = self._config.hook.pytest_jevbench_model(config=self._config, replica=Replica())
            return as_models(given, "the hook pytest_jevbench_model")
        if item is None:
            raise InputError("the fixture jevbench_model is available to tests alone")
        return as_models(fixture_value(item, "jevbench_model"), "the fixture jevbench_model")

    def _ledger(self) -> Ledger | None:
        settings = self._settings
        usd, requests = settings.get("max_usd"), settings.get("max_requests")
        if usd is None and requests is None:
            return None
        path = settings.path("ledger") if "ledger" in settings.given else settings.rootdir / ".jevbench" / LEDGER
        return Ledger(path.absolute(), max_usd=usd, max_requests=requests, run=uuid.uuid4().hex[:16])


def identity_json(identity: Identity) -> dict[str, JSON]:
    """Who a model is, as documents say it: without the address, which tells no models apart."""
    return {
        "dialect": identity.dialect,
        "name": identity.name,
        "revision": identity.revision,
        "launch": identity.launch,
        "details": dict(identity.details),
    }
