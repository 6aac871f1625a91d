"""What a labelled run leaves and prints: its document, its figures."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timezone

import pytest

from pytest_jevbench.counting import counted
from pytest_jevbench.json_text import JSON, printable
from pytest_jevbench.labelled.document import LabelledDocument, build_document, write_labelled
from pytest_jevbench.labelled.runner import LabelledRun
from pytest_jevbench.plugin.keys import SETTINGS
from pytest_jevbench.plugin.tasks_items import result_words
from pytest_jevbench.plugin.tasks_keys import TASKS, TASKS_MODEL
from pytest_jevbench.plugin.tasks_opening import identity_json
from pytest_jevbench.reports.github import inert
from pytest_jevbench.reports.labelled_summary import labelled_summary

__all__ = ["Ended", "print_ended", "write_document"]

WRONG = 10
"""How many wrong answers are told without ``-v``."""


@dataclass(frozen=True)
class Ended:
    """A finished run: its document, and whether that could be written."""

    document: LabelledDocument
    written: bool
    wrong: tuple[str, ...]
    on_record: int
    """How many tasks were not asked, because an earlier run had."""


def write_document(config: pytest.Config, run: LabelledRun, *, seconds: float, started: float, stopped: str) -> Ended:
    """Write the document of what is there."""
    tasks, model, settings = config.stash[TASKS], config.stash[TASKS_MODEL], config.stash[SETTINGS]
    results = run.results()
    facts: dict[str, JSON] = {
        "started": datetime.fromtimestamp(started, timezone.utc).isoformat(timespec="seconds"),
        "seconds": round(seconds, 3),
        "asked_here": run.asked,
        "delay_s": run.delay,
    }
    identity = identity_json(run.model.identity)
    if settings.get("name"):
        identity["name"] = settings.get("name")
    document = build_document(tasks, results, model=identity, run=facts, stopped=printable(stopped))
    wrong = tuple(
        f"{task.id}: {result_words(task, result)}"
        for task, result in zip(tasks.tasks, results, strict=True)
        if result.verdict == "wrong"
    )
    try:
        write_labelled(model.outputs.document, document)
    except OSError:
        return Ended(document, False, wrong, run.on_record)
    return Ended(document, True, wrong, run.on_record)


def print_ended(config: pytest.Config, reporter: pytest.TerminalReporter, ended: Ended) -> None:
    """Print the figures; ``-qq`` prints nothing, ``-v`` every wrong answer."""
    verbosity = config.get_verbosity()
    if verbosity < -1:
        return
    if verbosity >= 0 and ended.wrong:
        reporter.section("jevbench: wrong answers")
        shown = ended.wrong if verbosity > 0 else ended.wrong[:WRONG]
        lines = [
            *shown,
            *([f"{len(ended.wrong) - len(shown)} more: -v tells all"] if len(shown) < len(ended.wrong) else []),
        ]
        for line in lines:
            reporter.write_line(inert(line))
    reporter.section("jevbench: labelled tasks")
    for line in labelled_summary(ended.document):
        reporter.write_line(inert(line))
    if ended.on_record > 0:
        reporter.write_line(f"on record from before, and not asked again: {counted(ended.on_record, 'task')}")
    shown_path = config.stash[SETTINGS].as_typed(config.stash[TASKS_MODEL].outputs.document)
    if ended.written:
        reporter.write_line(f"result: {shown_path}")
    else:
        advice = "run again to write it, what is on record is not asked again"
        reporter.write_line(f"result: {shown_path} could not be written; {advice}")
