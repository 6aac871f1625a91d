"""The pytest plugin. Until a suite is asked for it registers options, markers and one fixture, and nothing else.

A picture of who does what when a suite runs::

    controller (or the only process)                      worker (pytest-xdist)
    configure    settings, suite, plan, model source      the same, from the controller's command line
    sessionstart starts and checks the model  ── URLs ──> workerinput
    collect                                               collect: items of the plan
    logreport <── report.jevbench (plain JSON) ────────── setup asks and judges, call fails or passes
    terminal     summary, worst violations
    finish       card, exit status, model stopped
"""

from __future__ import annotations

import gc
from collections.abc import Generator
from pathlib import Path

import pytest

from pytest_jevbench.plugin import fixtures, hookspecs
from pytest_jevbench.plugin.keys import LEFT_ALONE
from pytest_jevbench.plugin.options import add_options
from pytest_jevbench.plugin.settings import MODEL_OPTIONS, asked_for, asks_tasks

__all__ = [
    "pytest_addhooks",
    "pytest_addoption",
    "pytest_cmdline_main",
    "pytest_collect_file",
    "pytest_configure",
    "pytest_generate_tests",
    "pytest_report_collectionfinish",
    "pytest_xdist_auto_num_workers",
]

MARKERS = (
    "jevbench: a test of a suite's plan",
    "jevbench_suite(suite=..., cases=..., relations=..., dimensions=..., groups=..., domains=..., seed=..., draws=..., "
    "fail_on=...): run the function for each test of a suite or of cases, as its argument jevbench_test",
    "jevbench_rep: a relation of representation consistency",
    "jevbench_bat: a relation of batch independence",
    "jevbench_mea: a relation of probability measure coherence",
    "jevbench_log: a relation of logical coherence",
    "jevbench_cho: a relation of choice-set coherence",
    "jevbench_diag: a diagnostic of response fields",
    "jevbench_own: a law of your own that counts in no dimension",
    "jevbench_judge: what must not sway a judge of answers",
    "jevbench_task: a labelled task",
    "jevbench_noul: a test about a yes/no question",
    "jevbench_choice: a test about a Choice",
    "jevbench_score: a test about a Score",
)


def pytest_addoption(parser: pytest.Parser) -> None:
    add_options(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    pluginmanager.add_hookspecs(hookspecs)


@pytest.hookimpl(wrapper=True)
def pytest_cmdline_main(config: pytest.Config) -> Generator[None, object, object]:
    """Choose the scheduler that keeps cases together, before xdist reads its options."""
    if asked_for(config) and getattr(config.option, "numprocesses", None):
        from pytest_jevbench.plugin.scheduling import choose_scheduler

        choose_scheduler(config)
    return (yield)


@pytest.hookimpl(optionalhook=True, tryfirst=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """``-n auto`` is one worker a replica, where the suite alone runs."""
    if not asked_for(config):
        return None
    from pytest_jevbench.plugin.scheduling import workers_for_replicas

    return workers_for_replicas(config)


def pytest_report_header(config: pytest.Config) -> str | None:
    """Say why a model that was named on the command line is not asked."""
    named = [f"--jevbench-{name}" for name in MODEL_OPTIONS if config.getoption(f"jevbench_{name}") is not None]
    if not named or asked_for(config):
        return None
    return (
        f"jevbench: {named[0]} names a model, and no suite is asked for: only marked functions and suite folders ask "
        "it (for a run, add --jevbench-suite=jevbench-mini)"
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a suite where its folder lies in the test tree."""
    if file_path.name != "manifest.json" or not parent.config.getini("jevbench_collect_suites"):
        return None
    from pytest_jevbench.plugin.suite_folders import suite_folder

    return suite_folder(file_path, parent)


def pytest_report_collectionfinish(config: pytest.Config) -> list[str]:
    """Say which suite folders were not collected."""
    return [
        f"jevbench: the suite in {folder} was left alone: nothing names a model to ask"
        for folder in config.stash.get(LEFT_ALONE, ())
    ]


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Give a function marked with ``jevbench_suite`` its tests."""
    marked = any(mark.name == "jevbench_suite" for mark in metafunc.definition.own_markers)
    if marked or "jevbench_test" in metafunc.fixturenames:
        from pytest_jevbench.plugin.marker import parametrize

        parametrize(metafunc)


class PartsOfWorkers:
    """Listens, on the controller, for a worker that found marked functions."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if hasattr(report, "jevbench_parts"):
            from pytest_jevbench.plugin.part_ending import take_parts

            take_parts(self._config, report)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    plugins = session.config.pluginmanager
    if plugins.has_plugin("dsession"):  # without workers nobody pays for a hook at every report
        plugins.register(PartsOfWorkers(session.config), "jevbench-parts-of-workers")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(fixtures, "jevbench-fixtures")
    for marker in MARKERS:
        config.addinivalue_line("markers", marker)
    if asked_for(config) and not (config.option.help or config.option.version):
        # Python's search for cycles would take a third of the time: everything that is made here stays to the end.
        searching = gc.isenabled()
        gc.disable()
        try:
            # Imported only now: a session that runs no suite does not pay for it.
            if asks_tasks(config):
                from pytest_jevbench.plugin.tasks_activation import activate_tasks

                activate_tasks(config)
            else:
                from pytest_jevbench.plugin.activation import activate

                activate(config)
        finally:
            if searching:
                gc.enable()
