"""Labelled runs in a folder, and programs that make some and die: ``python -m tests.labelled.runs NAME ARGUMENTS``."""

from __future__ import annotations

import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from types import FrameType
from typing import Any

from pytest_jevbench.labelled.dataset_hash import dataset_hash
from pytest_jevbench.labelled.raw_files import RawFiles
from pytest_jevbench.labelled.records import Task
from pytest_jevbench.labelled.results_log import ResultsLog
from pytest_jevbench.labelled.runner import LabelledRun, Tariff
from pytest_jevbench.models.ledger import Ledger
from pytest_jevbench.models.money import Prices
from pytest_jevbench.models.protocol import Identity, Model, Reply, Usage
from pytest_jevbench.questions import Request
from tests.labelled.tasks import many

__all__ = ["PRICES", "run_in"]

PRICES = Prices(Decimal(1000), Decimal(2000))
"""A dollar buys a thousand tokens read or five hundred written."""


def run_in(folder: Path, model: Model, tasks: Sequence[Task], **more: Any) -> LabelledRun:
    """A run whose files lie in a folder, ready to ask."""
    digest = dataset_hash(tasks)
    header = {"dataset_hash": digest, "model": model.identity.name}
    run = LabelledRun(
        tasks,
        model,
        RawFiles(folder / "raw", model=model.identity.name, dataset=digest),
        ResultsLog(folder / "results.jsonl", header),
        **more,
    )
    try:
        run.preflight()
    except BaseException:
        run.close()
        raise
    return run


class Paid:
    """A model that notes in a file, safe from a kill, each request that it is paid for."""

    identity = Identity("callable", "paid")

    def __init__(self, log: str) -> None:
        self._file = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def ask(self, request: Request) -> Reply:
        os.write(self._file, f"{request.state}\n".encode())
        return Reply({"q": {"type": "noul", "noul": 0.75}}, "paid", Usage(10, 5), seconds=0.5)

    def close(self) -> None:
        os.close(self._file)


def run_and_die(folder: str, count: int, after: int, function: str = "") -> None:
    """Ask all tasks, and be killed at the ``after``-th line that runs in the code of the run, its files or its ledger.

    With a ``function`` only lines of functions of this name count.
    """
    place = Path(folder)
    kill_at_line(after, "labelled.", "models.ledger", "models.money", function=function)
    run = run_in(
        place,
        Paid(str(place / "paid")),
        many(count),
        ledger=Ledger(place / "ledger.jsonl", max_usd="100"),
        tariff=Tariff(PRICES),
    )
    for task in run.tasks:
        run.result(task)
    run.close()
    sys.stdout.write("survived\n")


def kill_at_line(after: int, *modules: str, function: str = "") -> None:
    """SIGKILL this process at the given line event in modules whose names begin so; 0 kills nobody."""
    left = after

    def trace(frame: FrameType, event: str, _: object) -> Callable[..., Any] | None:
        nonlocal left
        name = (frame.f_globals.get("__name__") or "").removeprefix("pytest_jevbench.")
        if not name.startswith(modules) or (function and frame.f_code.co_name != function):
            return None
        if event == "line":
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    if after:
        sys.settrace(trace)


if __name__ == "__main__":
    globals()[sys.argv[1]](**json.loads(sys.argv[2]))
