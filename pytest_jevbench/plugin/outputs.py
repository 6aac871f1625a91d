"""What a finished run leaves for CI beside its card: Markdown summary, job summary, badge, annotations."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pytest

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.files import append_text, write_whole
from pytest_jevbench.json_text import JSON
from pytest_jevbench.plugin.card_place import CardPlace, place_of_card
from pytest_jevbench.plugin.finishing import worst_violations
from pytest_jevbench.plugin.keys import GATE, RUN, SETTINGS
from pytest_jevbench.plugin.settings import Settings
from pytest_jevbench.reports.badge import badge_text
from pytest_jevbench.reports.github import Annotation, annotations_of
from pytest_jevbench.reports.markdown import JOB_SUMMARY, Files, job_summary
from pytest_jevbench.runs.results import TestResult
from pytest_jevbench.scoring.card import write_card
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.compared_cards import compare_with
from pytest_jevbench.scoring.gate import GateResult
from pytest_jevbench.scoring.gate_card import forecast_card
from pytest_jevbench.scoring.pairs import Changes
from pytest_jevbench.warning import notify

__all__ = ["Finished", "check_outputs", "finished", "in_github", "write_outputs"]


@dataclass(frozen=True)
class Finished:
    """A finished run: its card, its results in plan order, what its gate and its baseline say."""

    card: Card
    results: list[TestResult]
    gate: GateResult | None
    changes: Changes | None
    annotations: tuple[Annotation, ...] = ()
    place: CardPlace | None = None
    """Where the card goes, if anywhere."""
    card_lost: bool = False
    """Whether it could not be written there."""


def in_github() -> bool:
    """Whether the output is read by a runner of GitHub Actions."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def check_outputs(settings: Settings) -> None:
    """Refuse, before anything is asked, a place where no file can be written. Raises :class:`InputError`."""
    paths = {name: settings.path(name) for name in ("html", "markdown", "badge") if settings.get(name) is not None}
    if settings.card is not None:
        paths["card"] = settings.card
    for name, path in paths.items():
        _check_file(path, f"--jevbench-{name}")
        above = next(parent for parent in path.absolute().parents if parent.exists())
        if not above.is_dir():
            raise InputError(f"{above} is a file", place=Place(path), advice=f"Give --jevbench-{name}=FILE")
        if not os.access(path if path.exists() else above, os.W_OK):
            raise InputError("it cannot be written", place=Place(path), advice=f"Give --jevbench-{name}=FILE elsewhere")
    if settings.get("store") not in (None, "off"):
        _check_file(settings.path("store"), "--jevbench-store")


def _check_file(path: Path, flag: str) -> None:
    """Refuse a directory, a device, a pipe: writing would put a file in its place."""
    if path.is_dir():
        raise InputError(
            "this is a directory, not a file", place=Place(path), advice=f"Give {flag}=FILE, or {flag}=off"
        )
    if path.exists() and not path.is_file():
        raise InputError("this is no regular file", place=Place(path), advice=f"Give {flag}=FILE, or {flag}=off")


def finished(
    config: pytest.Config,
    card: Card,
    results: list[TestResult],
    gate: GateResult | None,
    *,
    failed: bool,
    interrupted: bool,
) -> Finished:
    """What a run comes to, with annotations where a runner of GitHub reads the output.

    A run that a person ``interrupted`` is a part of what it was to be.
    """
    changes = config.stash[GATE].changes(card)
    made: list[Annotation] = []
    if in_github():
        told = worst_violations(config, results, new_only=True)
        kind = "violated" if changes is None else "newly violated"
        new = [(f"{one.test.relation} {kind}", one.in_short) for one in told]
        made = annotations_of(card, gate, new, failed=failed)
    reported = [result for result in results if not interrupted or result.reason != "lost"]
    return Finished(card, results, gate, changes, tuple(made), _card_place(config, reported))


def _card_place(config: pytest.Config, results: list[TestResult]) -> CardPlace | None:
    settings, run = config.stash[SETTINGS], config.stash[RUN]
    if settings.card is None:
        return None
    whole = not run.filters.any and len(results) == len(run.tests)
    if whole or "card" in settings.typed:
        return CardPlace(settings.card)
    return place_of_card(settings.card, run.suite.digest, [result.id for result in results])


def write_outputs(config: pytest.Config, end: Finished, card: Mapping[str, JSON]) -> bool:
    """Write the card and the files that were asked for. One that cannot be written is a warning: the run counts.

    Returns whether the card lies where it was to go.
    """
    settings = config.stash[SETTINGS]
    written = end.place is None or _write(end.place.path, lambda path: write_card(path, card))
    job = os.environ.get(JOB_SUMMARY)
    if settings.get("markdown") is not None or job:
        text = _markdown(config, end)
        if settings.get("markdown") is not None:
            _write(settings.path("markdown"), partial(_whole, text))
        if job:
            _write(Path(job), lambda path: append_text(path, text))
    if settings.get("badge") is not None:
        decision = end.gate.decision if end.gate is not None else None
        _write(settings.path("badge"), partial(_whole, badge_text(end.card, decision)))
    return written


def _markdown(config: pytest.Config, end: Finished) -> str:
    settings, asked, baseline = config.stash[SETTINGS], config.stash[GATE].config, config.stash[GATE].baseline
    return job_summary(
        end.card,
        gate=end.gate,
        compared=None if baseline is None else compare_with(end.card, baseline),
        forecast=() if asked is None else forecast_card(asked, end.card),
        worst=worst_violations(config, end.results, new_only=True),
        files=Files(
            "" if end.place is None else settings.as_typed(end.place.path),
            "" if baseline is None else settings.as_typed(settings.path("baseline")),
        ),
    )


def _write(path: Path, write: Callable[[Path], None]) -> bool:
    try:
        write(path)
    except OSError as error:
        notify(f"jevbench: {path} could not be written ({error.strerror or error})")
        return False
    return True


def _whole(text: str, path: Path) -> None:
    path.resolve().parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, text)
