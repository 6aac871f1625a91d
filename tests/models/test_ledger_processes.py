"""One ledger for several processes, some of which are killed."""

from __future__ import annotations

import json
import random
import signal
from contextlib import ExitStack
from decimal import Decimal
from pathlib import Path
from subprocess import Popen

import pytest

from pytest_jevbench.errors import OverBudget
from pytest_jevbench.models.ledger import Ledger
from tests.models.stored import next_line, other_process

CAP = Decimal("1.00")


def charged_along(path: Path) -> list[Decimal]:
    """What was charged after each row, summed here from the file alone."""
    held: dict[str, Decimal] = {}
    known = Decimal(0)
    sums = []
    for line in path.read_text().splitlines():
        row = json.loads(line)
        if row["row"] == "reserve":
            held[row["id"]] = Decimal(row["usd"])
        elif row["row"] == "settle" and row["usd"] is not None:
            known += Decimal(row["usd"])
            del held[row["id"]]
        sums.append(known + sum(held.values()))
    return sums


def run_schedules(tmp_path: Path, count: int) -> None:
    """The same ledgers used by four processes at once, each by a random schedule of its own."""
    with ExitStack() as stack:
        workers = [stack.enter_context(other_process("spend_at_random", cap=str(CAP))) for _ in range(4)]
        for number in range(count):
            path = tmp_path / f"{number}.jsonl"
            for index, worker in enumerate(workers):
                send(worker, [str(path), 10 * number + index])
            assert [next_line(worker) for worker in workers] == ["done"] * 4
            along = charged_along(path)
            assert max(along) <= CAP
            spent = Ledger(path).spent()
            assert (spent.charged, spent.unreadable, spent.max_usd) == (along[-1], 0, CAP)


def send(worker: Popen[str], message: object) -> None:
    assert worker.stdin is not None
    worker.stdin.write(json.dumps(message) + "\n")
    worker.stdin.flush()


def test_four_processes_never_pass_the_cap(tmp_path: Path) -> None:
    run_schedules(tmp_path, 25)


@pytest.mark.slow
def test_four_processes_never_pass_the_cap_in_a_thousand_schedules(tmp_path: Path) -> None:
    run_schedules(tmp_path, 1000)


def killed_while_spending(folder: Path, after: int) -> bool:
    """Kill a process at one line of the ledger's code; what it paid must be charged. Whether it was killed."""
    folder.mkdir()
    path, log = folder / "ledger.jsonl", folder / "paid"
    with other_process("spend_and_die", path=str(path), log=str(log), count=6, after=after) as run:
        survived = next_line(run) == "survived"
        run.wait()
    assert survived or run.returncode == -signal.SIGKILL
    paid = Decimal("0.04") * len(log.read_text().split()) if log.exists() else Decimal(0)
    told: list[str] = []
    book = Ledger(path, max_usd="5.00", warn=told.append)
    spent = book.spent()
    assert paid <= spent.charged <= CAP
    assert spent.open <= 1
    assert spent.unreadable == 0
    if survived or paid:
        assert spent.max_usd == CAP
        assert len(told) == 1  # that the cap is not raised
        for _ in range(int((CAP - spent.charged) / Decimal("0.10"))):
            book.reserve("0.10")
        with pytest.raises(OverBudget):
            book.reserve("0.10")
        assert CAP - Decimal("0.10") < book.spent().charged <= CAP
    return not survived


@pytest.mark.parametrize("seed", range(3))
def test_a_run_killed_between_paying_and_settling_has_paid(tmp_path: Path, seed: int) -> None:
    assert killed_while_spending(tmp_path / "run", random.Random(seed).randint(300, 900))


@pytest.mark.slow
def test_a_run_killed_at_any_of_many_lines_has_paid(tmp_path: Path) -> None:
    draw = random.Random(11)
    killed = [killed_while_spending(tmp_path / str(number), draw.randint(1, 950)) for number in range(40)]
    assert sum(killed) >= 35
