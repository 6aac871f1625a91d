"""Ends process groups when whoever started this script is gone.

Run as a script, never imported: it reads lines ``+GROUP FILE`` and ``-GROUP`` from its standard input, and when
that closes it ends every group that was added and not taken back, and removes its file.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import time
from pathlib import Path


def end_groups(groups: dict[int, str], grace: float) -> None:
    """Terminate the groups, kill what is left of them after ``grace`` seconds, and remove their files."""
    for number in groups:
        _signal(number, signal.SIGTERM)
    deadline = time.monotonic() + grace
    while time.monotonic() < deadline and any(_signal(number, 0) for number in groups):
        time.sleep(0.05)
    for number in groups:
        _signal(number, signal.SIGKILL)
    for path in groups.values():
        with contextlib.suppress(OSError):
            Path(path).unlink()


def _signal(number: int, what: int) -> bool:
    try:
        os.killpg(number, what)
    except OSError:
        return False
    return True


def main() -> None:
    groups: dict[int, str] = {}
    for line in sys.stdin:
        number, _, path = line[1:].rstrip("\n").partition(" ")
        if line.startswith("+"):
            groups[int(number)] = path
        else:
            groups.pop(int(number), None)
    end_groups(groups, float(sys.argv[1]))


if __name__ == "__main__":
    main()
