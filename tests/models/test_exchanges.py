"""Programs that print without end, leave something behind, or do not end: a question to one stays bounded."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pytest_jevbench.errors import AnswerFormatError
from pytest_jevbench.models.command import CommandModel
from pytest_jevbench.models.exchanges import KEPT_OF_ERRORS, Exchanged, exchange
from pytest_jevbench.models.processes import PlainProcesses, Platform, ProcessGroup
from tests.models.conftest import ONE_NOUL

LONG = 600


def run(
    script: str, body: bytes = b"", timeout: float = 60.0, *, most: int = 1_000_000, platform: Platform | None = None
) -> Exchanged:
    pipe = subprocess.PIPE
    words = [sys.executable, "-c", script]
    return exchange(
        ProcessGroup(words, stdin=pipe, stdout=pipe, stderr=pipe, platform=platform), body, timeout, most=most
    )


@pytest.mark.parametrize("platform", [None, PlainProcesses()], ids=["groups", "fallback"])
def test_more_than_a_pipe_holds_goes_through_both_ways(platform: Platform | None) -> None:
    script = (
        "import sys; d = sys.stdin.buffer.read(); sys.stderr.write('e' * 200_000 + '.'); sys.stdout.buffer.write(d)"
    )
    body = bytes(range(256)) * 2000
    found = run(script, body, platform=platform)
    assert (found.status, found.out, found.too_much) == (0, body, False)
    assert (len(found.err), found.err[-1:]) == (KEPT_OF_ERRORS, b".")


@pytest.mark.parametrize("platform", [None, PlainProcesses()], ids=["groups", "fallback"])
def test_output_without_end_is_cut_off(platform: Platform | None) -> None:
    found = run("while True: print('y' * 1000)", most=100_000, platform=platform)
    assert found.too_much
    assert len(found.out) < 200_000


def test_what_a_program_leaves_behind_does_not_hold_up_its_answer(tmp_path: Path) -> None:
    """A child in its group is ended with it; one that left the group goes on, and nobody waits for it."""
    fifo = tmp_path / "held"
    os.mkfifo(fifo)
    reader = os.open(fifo, os.O_RDONLY | os.O_NONBLOCK)
    start = f"""
import os, subprocess, sys
held = os.open({str(fifo)!r}, os.O_WRONLY)
child = [sys.executable, "-c", "import time; time.sleep({LONG})"]
p = subprocess.Popen(child, pass_fds=[held], start_new_session=APART)
print(p.pid)
"""
    started = time.monotonic()
    assert run(start.replace("APART", "False")).status == 0
    assert select.select([reader], [], [], LONG)[0], "the child holds its end no more"
    assert os.read(reader, 1) == b""
    apart = run(start.replace("APART", "True"))
    os.kill(int(apart.out), signal.SIGKILL)
    os.close(reader)
    assert apart.status == 0
    assert time.monotonic() - started < LONG


def test_the_time_is_up() -> None:
    found = run(f"import sys, time; print('half', flush=True); time.sleep({LONG})", timeout=0.7)
    assert (found.status, found.out) == (None, b"half\n")
    closed = run(f"import os, time; os.close(1); os.close(2); time.sleep({LONG})", timeout=0.7)
    assert closed.status is None


def test_input_that_nobody_reads() -> None:
    assert run("print(1)", b"x" * 5_000_000).out == b"1\n"


def test_a_model_that_prints_without_end_gave_no_answer() -> None:
    with pytest.raises(AnswerFormatError, match="it printed more than 16,777,216 bytes"):
        CommandModel([sys.executable, "-c", "while True: print('y' * 100_000)"]).ask(ONE_NOUL)
