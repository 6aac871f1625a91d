"""What the tests of the answer store share: requests, replies, other processes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pytest_jevbench.models.protocol import Identity, Reply, Usage
from pytest_jevbench.models.store import AnswerStore, ModelAnswers
from pytest_jevbench.questions import Choice, Noul, Request

ROOT = Path(__file__).parents[2]
MODEL = Identity("systemone", "m")


def request(number: int) -> Request:
    """One of any number of distinct requests."""
    return Request(
        {"number": number},
        {"urgent": Noul("Is it urgent?"), "team": Choice("Which team?", {"a": "first", "b": "second"})},
    )


def reply(number: int, *, model: str | None = "m-2") -> Reply:
    """What the model answers to :func:`request` of the same number."""
    p = (number % 97) / 97
    return Reply(
        {"urgent": {"type": "noul", "noul": p}, "team": {"type": "choice", "probabilities": {"a": p, "b": 1 - p}}},
        model,
        Usage(100 + number, 20),
        1,
        0.02,
    )


def answer(asked: Request) -> Reply:
    """The model: knows a request by its state."""
    state: Any = asked.state
    return reply(state["number"])


class Counting:
    """The model, and how often each request was asked of it."""

    def __init__(self, model: Callable[[Request], Reply] = answer) -> None:
        self.asked: list[int] = []
        self._model = model

    def __call__(self, asked: Request) -> Reply:
        state: Any = asked.state
        self.asked.append(state["number"])
        return self._model(asked)


def of_model(store: AnswerStore, answered: str | None = "m-2") -> ModelAnswers:
    return store.answers_of(MODEL, answered)


def fill(path: Path, count: int) -> None:
    """A store of ``count`` answers, closed."""
    with AnswerStore.open(path) as store:
        answers = of_model(store)
        for number in range(count):
            answers.answer(request(number), answer)


@contextmanager
def other_process(script: str, **arguments: Any) -> Iterator[subprocess.Popen[str]]:
    """Run a function of ``store_scripts`` in a process of its own, its pipes open; killed in the end if it lives."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.models.store_scripts", script, json.dumps(arguments)],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def next_line(process: subprocess.Popen[str]) -> str:
    """The next line that the process prints."""
    assert process.stdout is not None
    return process.stdout.readline().strip()


def go_on(process: subprocess.Popen[str]) -> None:
    """Let a process continue that waits for a line."""
    assert process.stdin is not None
    process.stdin.write("\n")
    process.stdin.flush()


def asked_lines(log: Path) -> list[int]:
    """The numbers of the requests that all processes asked, in order."""
    return [int(line) for line in log.read_text().split()] if log.exists() else []
