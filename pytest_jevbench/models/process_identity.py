"""Telling whether the process that claimed something still lives, on this machine, at once.

A process number alone is not enough: numbers are used again, and containers have numbers of their own.
"""

from __future__ import annotations

import os
import socket
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

__all__ = ["ProcessId", "surely_dead", "this_process"]

_PROC = Path("/proc")
_DEAD_STATES = ("Z", "X", "x")


@dataclass(frozen=True, slots=True)
class ProcessId:
    """One process: the machine (its boot and container too), the number, and when it started, as the system tells."""

    host: str
    pid: int
    started: str


def this_process() -> ProcessId:
    """The process that asks; also right after a fork."""
    return _identity_of(os.getpid())


@lru_cache(maxsize=4)
def _identity_of(pid: int) -> ProcessId:
    state = _state_and_start(pid)
    return ProcessId(_host(), pid, state[1] if state else "")


def surely_dead(process: ProcessId) -> bool:
    """Whether the process is known to have ended: False wherever that cannot be told, as on another host."""
    if process.host != _host() or os.name != "posix":
        return False
    if process.pid == os.getpid():
        return process.started != this_process().started
    try:
        with suppress(PermissionError):  # it lives, and belongs to someone else
            os.kill(process.pid, 0)
    except (ProcessLookupError, OverflowError):
        return True
    state = _state_and_start(process.pid)
    if state is None:
        return False
    return state[0] in _DEAD_STATES or bool(process.started and state[1] and state[1] != process.started)


@lru_cache(maxsize=1)
def _host() -> str:
    """A name that two processes share only if they see the same process numbers."""
    boot = container = ""
    with suppress(OSError):
        boot = (_PROC / "sys" / "kernel" / "random" / "boot_id").read_text("ascii").strip()
    with suppress(OSError):
        container = str((_PROC / "self" / "ns" / "pid").readlink())
    return f"{socket.gethostname()}/{boot}/{container}"


def _state_and_start(pid: int) -> tuple[str, str] | None:
    """The scheduler state's letter and the start time of a process; None where the system does not tell."""
    try:
        text = (_PROC / str(pid) / "stat").read_text("utf-8", "replace")
    except OSError:
        return None if _PROC.is_dir() or os.name != "posix" else _from_ps(pid)
    # The program's name stands in parentheses and may hold any character, so the fields are counted behind it.
    fields = text.rpartition(")")[2].split()
    return (fields[0], fields[19]) if len(fields) > 19 else None


def _from_ps(pid: int) -> tuple[str, str] | None:
    try:
        done = subprocess.run(
            ["ps", "-o", "stat=,lstart=", "-p", str(pid)],
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
    except (OSError, subprocess.SubprocessError):
        return None
    state, _, started = done.stdout.strip().partition(" ")
    return (state[0], " ".join(started.split())) if state else None
