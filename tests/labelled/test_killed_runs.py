"""A labelled run that is killed goes on: what was paid for is charged, what was answered is not asked again."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest

from pytest_jevbench.models.ledger import Ledger

ROOT = Path(__file__).parents[2]
COST = Decimal("0.02")
"""10 tokens read at a tenth of a cent each, 5 written at a fifth."""
COUNT = 4


def killed(folder: Path, after: int, function: str = "") -> bool:
    """Whether the run was killed before its end."""
    command = [sys.executable, "-m", "tests.labelled.runs", "run_and_die"]
    arguments = json.dumps({"folder": str(folder), "count": COUNT, "after": after, "function": function})
    ran = subprocess.run([*command, arguments], cwd=ROOT, capture_output=True, text=True, check=False)
    assert ran.returncode in (0, -signal.SIGKILL), ran.stderr
    return ran.returncode != 0


def paid(folder: Path) -> list[str]:
    return (folder / "paid").read_text().splitlines() if (folder / "paid").exists() else []


def charged(folder: Path) -> Decimal:
    return Ledger(folder / "ledger.jsonl").spent().charged


def recorded(folder: Path) -> list[str]:
    path = folder / "results.jsonl"
    return [json.loads(line)["id"] for line in path.read_text().splitlines()[1:]]


def check_whole_run(folder: Path, *kills: int) -> int:
    """Kill a run at each of these lines, let it end, and look at what is there; how often it was killed."""
    folder.mkdir()
    count = 0
    for after in kills:
        count += killed(folder, after)
        assert charged(folder) >= COST * len(paid(folder))
        kept = len(recorded(folder)) if (folder / "results.jsonl").exists() else 0
        raw = len(list((folder / "raw").glob("t?.json")))
        assert kept <= raw <= len(paid(folder))
    assert not killed(folder, 0)
    assert recorded(folder) == [f"t{i}" for i in range(COUNT)]
    assert len(paid(folder)) <= COUNT + count
    assert max(Counter(paid(folder)).values()) <= 1 + count
    assert charged(folder) >= COST * len(paid(folder))
    results = [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()[1:]]
    assert {(row["verdict"], row["given"]) for row in results} == {("correct", "yes")}
    assert all(row["cost_usd"] == float(COST) for row in results)
    return count


@pytest.mark.parametrize(
    ("function", "asked_again"),
    [("write", True), ("settle", False), ("append", False)],
    ids=["before the raw file", "before settling", "before recording"],
)
def test_a_run_killed_after_payment_has_paid(tmp_path: Path, function: str, asked_again: bool) -> None:
    """The reservation of a request that was not settled stays charged, by the ledger alone and in the next run."""
    assert killed(tmp_path, 1, function)
    assert paid(tmp_path) == ["State 0."]
    assert recorded(tmp_path) == []
    held = charged(tmp_path)
    settled = function == "append"
    assert held == COST if settled else held > COST
    assert not killed(tmp_path, 0)
    assert paid(tmp_path) == [f"State {i}." for i in ([0, 0, 1, 2, 3] if asked_again else range(4))]
    assert recorded(tmp_path) == [f"t{i}" for i in range(COUNT)]
    settled_here = (4 if asked_again else 3) * COST
    assert charged(tmp_path) == held + settled_here
    rows = [json.loads(line) for line in (tmp_path / "results.jsonl").read_text().splitlines()[1:]]
    assert [row["cost_usd"] for row in rows] == [0.02] * 4
    assert all(row["reserved_usd"] is None for row in rows)


@pytest.mark.parametrize("seed", range(3))
def test_a_run_killed_at_any_line_goes_on(tmp_path: Path, seed: int) -> None:
    assert check_whole_run(tmp_path / "run", random.Random(seed).randint(300, 2200)) == 1


@pytest.mark.slow
def test_runs_killed_twice_at_any_of_many_lines_go_on(tmp_path: Path) -> None:
    draw = random.Random(7)
    killed = [check_whole_run(tmp_path / str(n), draw.randint(1, 2300), draw.randint(1, 1500)) for n in range(40)]
    assert sum(killed) >= 60
