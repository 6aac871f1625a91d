"""What a labelled run leaves and prints: its document, its figures."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from pytest_jevbench.files import write_whole
from pytest_jevbench.json_text import JSON, dumps
from pytest_jevbench.labelled.private import Hiding
from pytest_jevbench.labelled.results import result_to_json
from pytest_jevbench.labelled.runner import LabelledRun
from pytest_jevbench.plugin.tasks_keys import TASKS, TASKS_MODEL
from pytest_jevbench.plugin.tasks_opening import identity_json

__all__ = ["Ended", "print_ended", "write_document"]


@dataclass(frozen=True)
class Ended:
    """A finished run: its document, and whether that could be written."""

    document: dict[str, JSON]
    written: bool


def write_document(config: pytest.Config, run: LabelledRun, *, seconds: float, started: float, stopped: str) -> Ended:
    """Write the document of what is there."""
    tasks, model = config.stash[TASKS], config.stash[TASKS_MODEL]
    hiding = Hiding(tasks.tasks)
    document: dict[str, JSON] = {
        "format": "jevbench-labelled",
        "dataset_hash": tasks.dataset_hash,
        "model": identity_json(run.model.identity),
        "results": [result_to_json(hiding.result(*pair)) for pair in zip(tasks.tasks, run.results(), strict=True)],
    }
    try:
        write_whole(model.outputs.document, dumps(document, indent=1))
    except OSError:
        return Ended(document, False)
    return Ended(document, True)


def print_ended(config: pytest.Config, reporter: pytest.TerminalReporter, ended: Ended) -> None:
    """Print the figures."""
    reporter.section("jevbench: labelled tasks")
