"""Getting ready to run a suite: everything a user can have typed wrong is refused here, before anything starts."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from difflib import get_close_matches
from functools import cache, partial

import pytest

from pytest_jevbench.errors import InputError, JevbenchError
from pytest_jevbench.models.protocol import Identity
from pytest_jevbench.plugin import collect, garbage, reporting
from pytest_jevbench.plugin.ahead import Ahead
from pytest_jevbench.plugin.budget import check_budget
from pytest_jevbench.plugin.card_building import score_settings
from pytest_jevbench.plugin.case_file import with_case_file
from pytest_jevbench.plugin.controller import Controller
from pytest_jevbench.plugin.early import EarlyStop, rule_of
from pytest_jevbench.plugin.gating import known_violations, read_gate_of
from pytest_jevbench.plugin.html_page import register_page
from pytest_jevbench.plugin.keys import GATE, KNOWN, MODEL, NODE_IDS, ORDER, PLACE, REPLICA, RESULTS, RUN, SETTINGS
from pytest_jevbench.plugin.model_source import find_model_source
from pytest_jevbench.plugin.opening import Opener, check_no_dialect, model_spec, open_store, run_place
from pytest_jevbench.plugin.outputs import check_outputs
from pytest_jevbench.plugin.own_laws import LateConftests, check_counted, own_relations
from pytest_jevbench.plugin.replica import replica_count
from pytest_jevbench.plugin.settings import read_settings
from pytest_jevbench.plugin.tests_asked_for import filters_of, suite_asked_for
from pytest_jevbench.plugin.waiting import WaitLines
from pytest_jevbench.plugin.workers import Worker, check_workers, handed_over, is_far, replica_of
from pytest_jevbench.runs.ask_ahead import Stop
from pytest_jevbench.runs.gathering import Results
from pytest_jevbench.runs.planning import Run, plan_run
from pytest_jevbench.runs.process_model import NOBODY_YET, ProcessModel
from pytest_jevbench.slugs import slug

__all__ = ["activate"]


def activate(config: pytest.Config) -> None:
    """Read settings, load and plan the suite, find the model, and register the hooks of a run.

    Raises ``pytest.UsageError`` with one line.
    """
    given = handed_over(config)
    settings = read_settings(config)
    with usage_errors():
        relations = own_relations(config, settings)
        if settings.planned == "cases":
            settings = with_case_file(settings, relations)
        suite = suite_asked_for(settings, relations, worker=given is not None)
        run = plan_run(
            suite,
            filters_of(settings),
            shard=settings.get("shard", (1, 1)),
            repeats=settings.get("repeats", 1),
            checked=given is not None,
        )
        check_counted(settings, {test.id.relation for test in run.tests}, relations)
    source = find_model_source(config, settings)
    if source.from_option:
        with usage_errors():
            model_spec(settings, source, given["urls"] if given else None)
    else:
        check_no_dialect(settings)
    count = replica_count(settings, source)
    with usage_errors():
        has_budget = check_budget(settings)
    if given is None:
        check_workers(config, launches=source.kind == "launch", has_budget=has_budget)
    how = score_settings(settings, run)
    with usage_errors():
        check_outputs(settings)
        if settings.get("minimize") or "minimize_requests" in settings.typed:
            from pytest_jevbench.plugin.minimizing import check_minimize

            check_minimize(config, settings, source)
        gate = read_gate_of(config, settings, run, how)
        if settings.get("stop_when_decided") and run.shard[1] > 1:
            raise InputError("--jevbench-stop-when-decided: a shard decides nothing", advice="Leave out one of both")
    settings = replace(settings, has_gate_section=gate.decides)
    config.stash[SETTINGS] = settings
    config.stash[GATE] = gate
    config.stash[KNOWN] = known_violations(gate, run, how)
    config.stash[RUN] = run
    config.stash[NODE_IDS] = _take_node_ids(config, run)  # a worker has the arguments that were typed, too
    rule = rule_of(gate, run, how) if settings.get("stop_when_decided") else None
    if rule is not None:
        config.stash[ORDER] = tuple(rule.order)
    stop = Stop()
    place = config.stash[PLACE] = cache(partial(run_place, settings, given))
    replica = config.stash[REPLICA] = replica_of(given, count)
    known = given is not None and given["identity"] is not None
    config.stash[MODEL] = ProcessModel(
        Opener(config, settings, source, given, place=place, stop=stop, tell=WaitLines(config)),
        partial(open_store, config, settings, given, stop),
        settings.tolerance,
        stop,
        far=is_far(given),
        slot=replica.index if source.from_option else 0,
        answered=given["answered"] if given and given["asked"] else NOBODY_YET,
        identity=Identity(**given["identity"]) if given and known else None,
    )
    config.pluginmanager.register(collect, "jevbench-collect")
    config.pluginmanager.register(reporting, "jevbench-reporting")
    config.pluginmanager.register(garbage, "jevbench-garbage")
    config.pluginmanager.register(LateConftests(config), "jevbench-late-conftests")
    config.add_cleanup(gc.unfreeze)  # a process that goes on, a notebook's say, gets everything back
    if given is not None:
        config.pluginmanager.register(Worker(config), "jevbench-worker")
    else:
        config.stash[RESULTS] = Results(run)
        early = EarlyStop(config, gate, rule, how) if rule is not None else None
        if early is not None:
            config.pluginmanager.register(early, "jevbench-early")
        config.pluginmanager.register(Controller(config, source, early, count), "jevbench-controller")
        register_page(config, settings)
    config.pluginmanager.register(Ahead(config), "jevbench-ahead")


@contextmanager
def usage_errors() -> Iterator[None]:
    """What a user can have typed wrong, told in pytest's way: one line and exit status 4."""
    try:
        yield
    except JevbenchError as error:
        raise pytest.UsageError(f"jevbench: {error}") from None


def _take_node_ids(config: pytest.Config, run: Run) -> tuple[str, ...]:
    """Take the suite's node ids out of the arguments; without a path given, the suite alone is collected."""
    own = slug(run.suite.name)
    taken = [arg for arg in config.args if arg == own or arg.startswith(f"{own}::")]
    rest = [arg for arg in config.args if arg not in taken]
    known = _known_names(run) if taken else {}
    for name in taken:
        if name not in known:
            near = get_close_matches(name, known, n=3)
            advice = f" Did you mean {', '.join(near)}?" if near else ""
            raise pytest.UsageError(f"jevbench: {name} is no test of what was selected.{advice}")
    if config.args_source is not pytest.Config.ArgsSource.ARGS or (taken and not rest):
        rest = []
    config.args[:] = rest
    return () if own in taken else tuple(taken)


def _known_names(run: Run) -> dict[str, None]:
    """Every node id of the run: the suite's, its cases', its tests'."""
    known: dict[str, None] = {slug(run.suite.name): None}
    for name in run.by_node_id:
        known[name.rpartition("::")[0]] = None
        known[name] = None
    return known
