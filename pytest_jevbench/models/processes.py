"""Processes with all their children: started apart, told to end, ended.

Where the system has process groups, a program and what it starts form one group of their own: Ctrl-C in the
terminal does not reach it before us, and nothing of it is left behind. Elsewhere the program alone is ended.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Protocol

__all__ = [
    "OrphanGuard",
    "PlainProcesses",
    "Platform",
    "PosixGroups",
    "ProcessGroup",
    "guard_for_orphans",
    "this_platform",
]

_GRACE = 5.0


class Platform(Protocol):
    """What differs between systems."""

    def options(self) -> dict[str, Any]:
        """Arguments of ``Popen`` that put a program into a group of its own."""
        ...

    def ended(self, process: subprocess.Popen[bytes]) -> bool:
        """Whether the program has ended; its number stays taken until it is waited for."""
        ...

    def terminate(self, process: subprocess.Popen[bytes]) -> None:
        """Ask all of it to end."""
        ...

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        """End all that is left of it."""
        ...


class PosixGroups:
    """Sessions and process groups."""

    def options(self) -> dict[str, Any]:
        return {"start_new_session": True}

    def ended(self, process: subprocess.Popen[bytes]) -> bool:
        if process.returncode is not None:
            return True
        if not hasattr(os, "waitid"):
            return process.poll() is not None
        try:
            # looked at, not collected: while it is a zombie, nobody else can get its number
            return os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None
        except ChildProcessError:
            return process.poll() is not None

    def terminate(self, process: subprocess.Popen[bytes]) -> None:
        self._signal(process, signal.SIGTERM)

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        self._signal(process, signal.SIGKILL)

    def _signal(self, process: subprocess.Popen[bytes], number: signal.Signals) -> None:
        if process.returncode is not None:
            return  # collected: the number of the group may be another's by now
        # macOS denies the permission where only zombies are left
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, number)


class PlainProcesses:
    """The fallback: one process, ended by its handle."""

    def options(self) -> dict[str, Any]:
        flag = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
        return {"creationflags": flag} if flag else {}

    def ended(self, process: subprocess.Popen[bytes]) -> bool:
        return process.poll() is not None

    def terminate(self, process: subprocess.Popen[bytes]) -> None:
        process.terminate()

    def kill(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()


def this_platform() -> Platform:
    """The platform the code runs on."""
    return PosixGroups() if hasattr(os, "killpg") else PlainProcesses()


class ProcessGroup:
    """A running program with all its children. Raises ``OSError`` where it cannot be started."""

    def __init__(
        self,
        words: Sequence[str],
        *,
        stdin: int | IO[bytes] = subprocess.DEVNULL,
        stdout: int | IO[bytes] = subprocess.DEVNULL,
        stderr: int | IO[bytes] = subprocess.DEVNULL,
        env: Mapping[str, str] | None = None,
        platform: Platform | None = None,
    ) -> None:
        self._platform = platform or this_platform()
        self.process = subprocess.Popen(
            list(words), stdin=stdin, stdout=stdout, stderr=stderr, env=env, **self._platform.options()
        )

    @property
    def pid(self) -> int:
        return self.process.pid

    @property
    def ended(self) -> bool:
        """Whether the program itself has ended; children of it may be left."""
        return self._platform.ended(self.process)

    def exit_status(self) -> int | None:
        """The status a program ended with (minus the signal's number where it was killed); None while it runs."""
        return self.stop(0.0) if self.ended else None

    def stop(self, grace: float = _GRACE, sleep: Callable[[float], None] = time.sleep) -> int:
        """End the program and all its children, by force after ``grace`` seconds, and return its status."""
        process = self.process
        if not self.ended:
            self._platform.terminate(process)
            deadline = time.monotonic() + grace
            while not self.ended and time.monotonic() < deadline:
                sleep(0.02)
        self._platform.kill(process)
        return process.wait()


def guard_for_orphans() -> OrphanGuard | None:
    """A guard where the system has process groups, else None."""
    return OrphanGuard() if hasattr(os, "killpg") else None


class OrphanGuard:
    """A small process that ends the groups it was told of if this process dies without doing so, by SIGKILL too.

    It waits on a pipe that only this process holds open: the pipe closes when this process ends, however it ends. What
    has not ended ``grace`` seconds later is killed.
    """

    def __init__(self, grace: float = 3.0) -> None:
        script = Path(__file__).with_name("orphan_guard.py")
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", str(script), str(grace)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def watch(self, group: ProcessGroup, output: Path) -> None:
        """End this group, and remove its output file, if this process dies."""
        self._say(f"+{group.pid} {output}\n")

    def forget(self, group: ProcessGroup) -> None:
        """This group has been ended."""
        self._say(f"-{group.pid}\n")

    def close(self) -> None:
        """End the guard; what it still watches is ended with it."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        self._process.wait()

    def _say(self, line: str) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # without its guard a run is as good as before
            self._process.stdin.write(line.encode())
            self._process.stdin.flush()
