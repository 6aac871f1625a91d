"""The parts of a session: found while tests are collected, asked in whichever process runs them.

A marked function is seen when its module is collected, so nothing is prepared before: the first one found opens the
session of parts in that process. With pytest-xdist the workers collect; the first report of each tells the controller
which parts there are, and the controller plans the same ones from what it is told.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import pytest

from pytest_jevbench.errors import InputError, JevbenchError
from pytest_jevbench.models.passing_folders import join_folder
from pytest_jevbench.plugin.ahead import Ahead
from pytest_jevbench.plugin.budget import check_budget
from pytest_jevbench.plugin.html_page import register_page
from pytest_jevbench.plugin.keys import MODEL, PARTS, PLACE, REPLICA, SETTINGS
from pytest_jevbench.plugin.model_source import ModelSource, find_model_source
from pytest_jevbench.plugin.opening import LEDGER, Opener, RunPlace, check_no_dialect, model_spec, open_store, run_place
from pytest_jevbench.plugin.outputs import check_outputs
from pytest_jevbench.plugin.own_laws import own_relations
from pytest_jevbench.plugin.part import Part, PartSpec, plan_part
from pytest_jevbench.plugin.replica import Replica, replica_count
from pytest_jevbench.plugin.settings import Settings, read_settings, runs_nothing
from pytest_jevbench.plugin.waiting import WaitLines
from pytest_jevbench.plugin.workers import Worker
from pytest_jevbench.relations.known import Relations
from pytest_jevbench.runs.ask_ahead import Stop
from pytest_jevbench.runs.process_model import ProcessModel

__all__ = ["PartSession", "described", "part_session", "take_described"]

OF_A_RUN = (
    ("dimension", "group", "relation", "domain", "case"),
    ("seed", "draws", "rewrites", "audited_only", "count_own_laws"),
    ("gate", "baseline", "require", "stop_when_decided", "shard", "minimize", "markdown", "badge"),
)
"""Options about the one run that the command line names, which marked functions are not."""


@dataclass
class PartSession:
    """The parts that this process knows. ``relations`` hold the user's own laws."""

    config: pytest.Config
    settings: Settings
    relations: Relations
    parts: dict[str, Part]
    own_model: bool
    """Whether the model was opened for parts alone, and so is closed by them."""
    workers: int = 0
    """How many workers told what they found."""

    def part(self, spec: PartSpec, *, checked: bool = False) -> Part:
        """The part of a specification, planned at the first call. Raises :class:`InputError`."""
        known = self.parts.get(spec.name)
        if known is None or known.spec != spec:
            known = self.parts[spec.name] = plan_part(spec, self.settings, self.relations, checked=checked)
        return known


def part_session(config: pytest.Config) -> PartSession:
    """The session of parts, opened at the first call. Raises :class:`InputError` and ``pytest.UsageError``."""
    known = config.stash.get(PARTS, None)
    if known is not None:
        return known
    named = config.stash.get(SETTINGS, None)
    settings = read_settings(config, names_tests=False) if named is None else named
    if named is None:
        _check_options(settings)
        check_outputs(settings)
    session = PartSession(config, settings, own_relations(config, settings), {}, named is None)
    if named is None and not runs_nothing(config):
        _set_model(config, settings)
    from pytest_jevbench.plugin import part_reporting
    from pytest_jevbench.plugin.part_ending import PartEnding

    config.stash[PARTS] = session
    config.pluginmanager.register(part_reporting, "jevbench-part-reporting")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(PartEnding(config), "jevbench-part-ending")
        register_page(config, settings)
    elif named is None and not runs_nothing(config):
        config.pluginmanager.register(Worker(config), "jevbench-worker")
    if named is None and not runs_nothing(config):
        config.pluginmanager.register(Ahead(config), "jevbench-ahead")
    return session


def _check_options(settings: Settings) -> None:
    for names in OF_A_RUN:
        for name in names:
            if name in settings.typed:
                raise InputError(
                    f"--jevbench-{name.replace('_', '-')} is for a run that --jevbench-suite or --jevbench-cases names",
                    advice="For marked functions say it in the marker, or choose tests with -k, -m and node ids",
                )


def _set_model(config: pytest.Config, settings: Settings) -> None:
    """Make the model of this process ready to be opened at its first use."""
    source = find_model_source(config, settings)
    if source.from_option:
        model_spec(settings, source, None)
    else:
        check_no_dialect(settings)
    count = replica_count(settings, source)
    check_budget(settings)
    worker: Mapping[str, Any] | None = getattr(config, "workerinput", None)
    given = None if worker is None else _given(worker, source, count)
    stop = Stop()
    place = cache(partial(run_place, settings, None) if given is None else partial(_shared_place, settings, given))
    config.stash[SETTINGS] = settings
    config.stash[PLACE] = place
    config.stash[REPLICA] = Replica(0, count or 1) if given is None else Replica(given["replica"], given["count"])
    config.stash[MODEL] = ProcessModel(
        Opener(config, settings, source, given, place=place, stop=stop, tell=WaitLines(config)),
        partial(open_store, config, settings, given, stop),
        settings.tolerance,
        stop,
        far=given is not None,
        slot=config.stash[REPLICA].index if source.kind == "url" else 0,
    )


def _given(worker: Mapping[str, Any], source: ModelSource, count: int | None) -> dict[str, Any]:
    """What a controller hands to its workers, made by a worker itself: no controller knew that it would be needed.

    A worker counts as one on another machine, which sends its answers with its reports. A launched model is one for
    each worker.
    """
    index, run = int(str(worker["workerid"]).removeprefix("gw")), str(worker["testrunuid"])
    replicas = 1 if source.kind == "launch" else count or int(worker["workercount"])
    return {
        "urls": None,
        "url": None,
        "replica": index % replicas,
        "count": replicas,
        "store": {"run": run},
        "run": run,
        "host": "",
        "answered": None,
        "asked": False,
        "identity": None,
    }


def _shared_place(settings: Settings, given: Mapping[str, Any]) -> RunPlace:
    """What the workers of one session share on this machine."""
    ledger = settings.path("ledger") if "ledger" in settings.given else settings.rootdir / ".jevbench" / LEDGER
    return RunPlace(given["run"], join_folder(f"run-{given['run']}"), ledger.absolute())


def described(session: PartSession, collected: Mapping[str, list[str]]) -> list[Any]:
    """The parts of this process as plain JSON, with what it collected of each: None for all."""
    told = []
    for name, part in session.parts.items():
        numbers = {of: number for number, of in enumerate(part.run.by_node_id)}
        here = sorted(numbers[of] for of in collected.get(name, ()))
        told.append([json.loads(json.dumps(part.spec.to_json())), None if len(here) == len(numbers) else here])
    return told


def take_described(session: PartSession, told: list[Any]) -> None:
    """Plan what one worker described, on the controller."""
    session.workers += 1
    for spec, here in told:
        try:
            part = session.part(PartSpec(**spec), checked=True)
        except JevbenchError as error:
            raise pytest.UsageError(f"jevbench: a worker runs tests that cannot be planned here: {error}") from None
        names = list(part.run.by_node_id)
        part.results.workers = max(1, session.workers)
        part.results.collected.update(names if here is None else (names[number] for number in here))
