"""Programs that the tests of store and ledger run as processes of their own: ``python -m ... NAME ARGUMENTS``."""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import sys
from decimal import Decimal
from pathlib import Path
from types import FrameType
from typing import Any

from pytest_jevbench.errors import OverBudget
from pytest_jevbench.models.ledger import Ledger
from pytest_jevbench.models.protocol import Reply
from pytest_jevbench.models.replicas import ReplicaSlots
from pytest_jevbench.models.store import AnswerStore
from pytest_jevbench.questions import Request
from tests.models.stored import answer, of_model, request


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def wait() -> None:
    sys.stdin.readline()


class Logged:
    """The model, noting each request in a file before it is answered, so that a kill loses no note."""

    def __init__(self, log: str) -> None:
        self._file = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def __call__(self, asked: Request) -> Reply:
        state: Any = asked.state
        os.write(self._file, f"{state['number']}\n".encode())
        return answer(asked)


def ask_and_hold(path: str, log: str) -> None:
    """Claim request 0, say so, and answer it when told to."""
    logged = Logged(log)

    def ask(asked: Request) -> Reply:
        say("asking")
        wait()
        return logged(asked)

    with AnswerStore.open(Path(path)) as store:
        got, hit = of_model(store).answer(request(0), ask)
    say(f"{'hit' if hit else 'asked'} {got.answers['urgent']['noul']}")


def ask_after_waiting(path: str, log: str) -> None:
    """Want request 0, and say so at each time it has to wait for another process."""

    def sleep(_: float) -> None:
        say("waiting")
        wait()

    with AnswerStore.open(Path(path), sleep=sleep) as store:
        got, hit = of_model(store).answer(request(0), Logged(log))
    say(f"{'hit' if hit else 'asked'} {got.answers['urgent']['noul']}")


def ask_all(path: str, log: str, count: int, seed: int) -> None:
    """Want all requests, in an order of its own."""
    numbers = list(range(count))
    random.Random(seed).shuffle(numbers)
    ask = Logged(log)
    wait()
    wrong = 0
    with AnswerStore.open(Path(path)) as store:
        answers = of_model(store)
        for number in numbers:
            wrong += answers.answer(request(number), ask).reply.answers != answer(request(number)).answers
    say(f"wrong {wrong}")


def die_somewhere(path: str, log: str, done: str, count: int, after: int) -> None:
    """Want all requests, and be killed at the ``after``-th line that runs in the code of the store, or from outside."""
    ask = Logged(log)
    finished = os.open(done, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    if after:
        kill_at_line(after, "store", "model_answers", "stored_reply")
    with AnswerStore.open(Path(path)) as store:
        answers = of_model(store)
        for number in range(count):
            answers.answer(request(number), ask)
            os.write(finished, f"{number}\n".encode())
            if not after:
                say(str(number))
    say("survived")


def spend_and_die(path: str, log: str, count: int, after: int) -> None:
    """Reserve, pay and settle, and be killed at the ``after``-th line that runs in the code of the ledger."""
    paid = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    kill_at_line(after, "ledger", "money")
    ledger = Ledger(Path(path), max_usd="1.00")
    for number in range(count):
        try:
            reservation = ledger.reserve("0.10")
        except OverBudget:
            break
        os.write(paid, b"0.04\n")
        ledger.settle(reservation, None if number % 3 == 2 else "0.04")
    say("survived")


def spend_at_random(cap: str) -> None:
    """For each ledger and seed that come in: a random sequence of reservations, settlements and omissions."""
    for line in sys.stdin:
        path, seed = json.loads(line)
        draw = random.Random(seed)
        ledger = Ledger(Path(path), max_usd=cap)
        opened: list[tuple[str, Decimal]] = []
        for _ in range(draw.randint(1, 6)):
            if opened and draw.random() < 0.4:
                reservation, worst = opened.pop(draw.randrange(len(opened)))
                real = worst * draw.randint(0, 100) / 100
                ledger.settle(reservation, None if draw.random() < 0.2 else real)
                continue
            worst = Decimal(draw.randint(0, 40)) / 100
            with contextlib.suppress(OverBudget):
                opened.append((ledger.reserve(worst), worst))
        say("done")


def hold_a_slot(folder: str) -> None:
    """Hold the only slot of a replica until told to let go."""
    with ReplicaSlots(Path(folder), 0).hold() as slot:
        say(f"holding {slot}")
        wait()


def kill_at_line(after: int, *modules: str) -> None:
    """SIGKILL this process at the given line event in modules of ``models`` whose names begin so."""
    left = after

    def trace(frame: FrameType, event: str, _: object) -> Any:
        nonlocal left
        name = (frame.f_globals.get("__name__") or "").rpartition("pytest_jevbench.models.")[2]
        if not name.startswith(modules):
            return None
        if event == "line":
            left -= 1
            if left <= 0:
                os.kill(os.getpid(), signal.SIGKILL)
        return trace

    sys.settrace(trace)


if __name__ == "__main__":
    globals()[sys.argv[1]](**json.loads(sys.argv[2]))
