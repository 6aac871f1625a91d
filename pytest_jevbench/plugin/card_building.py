"""From what the controller gathered to the card."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from pytest_jevbench.json_text import JSON
from pytest_jevbench.plugin.keys import MODEL, RESULTS, RUN, SETTINGS
from pytest_jevbench.plugin.settings import Settings
from pytest_jevbench.plugin.tests_asked_for import source_of
from pytest_jevbench.runs.planning import Run
from pytest_jevbench.runs.results import TestResult
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.run_card import card_of_run
from pytest_jevbench.scoring.scores import ScoreSettings

__all__ = ["build_run_card", "score_settings"]


def score_settings(settings: Settings, run: Run) -> ScoreSettings:
    """What scores depend on, as this run was asked to judge."""
    return ScoreSettings(
        tolerance=settings.tolerance,
        min_n=settings.get("min_n", run.suite.min_n),
        bootstrap=settings.get("bootstrap", 1000),
    )


def build_run_card(
    config: pytest.Config,
    results: Sequence[TestResult],
    *,
    seconds: float,
    started: float,
    stopped: str,
    details: Mapping[str, JSON],
) -> tuple[dict[str, JSON], Card]:
    """The card of the run, as a JSON value and as what is computed with.

    ``seconds`` is its wall time, ``started`` its beginning in seconds since 1970.
    """
    run, settings = config.stash[RUN], config.stash[SETTINGS]
    return card_of_run(
        run,
        config.stash[MODEL],
        config.stash[RESULTS],
        results,
        score_settings(settings, run),
        name=settings.get("name", ""),
        seconds=seconds,
        started=started,
        stopped=stopped,
        details={**details, **_asked_for(settings), **_prices(settings), **_shard_details(run, settings)},
    )


def _asked_for(settings: Settings) -> dict[str, JSON]:
    """The option that names the tests as it was given, for commands that ask one of them again."""
    planned = settings.planned
    if settings.of_part or planned is None:
        return {}
    return {"tests": f"--jevbench-{planned}={settings.shown(planned)}"}


def _prices(settings: Settings) -> dict[str, JSON]:
    """Dollars for a million tokens that the model reads and writes, where both are known."""
    prices = {name: settings.get(name) for name in ("price_in", "price_out")}
    return {} if None in prices.values() else {name: float(price) for name, price in prices.items()}


def _shard_details(run: Run, settings: Settings) -> dict[str, JSON]:
    """What a merge needs to know of a shard: which one it is, and where the suite was found."""
    if run.shard[1] == 1:
        return {}
    return {"shard": f"{run.shard[0]}/{run.shard[1]}", **source_of(settings)}
