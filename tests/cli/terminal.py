"""A command on a terminal of its own, with a person who waits for a question before typing."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

__all__ = ["CTRL_C", "CTRL_D", "typed_at_a_terminal"]

CTRL_C, CTRL_D = "\x03", "\x04"
SECONDS = 60.0
"""How long a question may take to appear; a machine under load is slow."""

_MAIN = (
    "import fcntl, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "  # so that Ctrl-C is a signal
    "from {module} import {function}; sys.exit({function}(sys.argv[1:]))"
)


def typed_at_a_terminal(
    words: Sequence[str],
    talk: Sequence[tuple[str, str]],
    folder: Path,
    run: str = "pytest_jevbench.cli:main",
    **environ: str,
) -> tuple[int, str]:
    """Exit status, and all that the terminal showed. ``talk`` is what has to appear, and what is then typed;
    ``run`` is the function that takes the words.

    A last Ctrl-C is typed until the command ends: Python does not see one that comes between a prompt and its reading.
    """
    import pty

    module, _, function = run.partition(":")
    code = _MAIN.format(module=module, function=function)
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", code, *words],
        cwd=folder, stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True, env={**os.environ, **environ},
    )  # fmt: skip
    os.close(theirs)
    seen = b""
    at = 0
    try:
        for awaited, keys in talk:
            while awaited.encode() not in seen[at:]:
                more = _read(ours)
                assert more, f"{awaited!r} did not appear:\n{seen.decode()}"
                seen += more
            at = len(seen)
            os.write(ours, keys.encode())
        patience = 1.0 if talk and talk[-1][1] == CTRL_C else SECONDS
        for _ in range(int(SECONDS / patience)):
            while more := _read(ours, patience):
                seen += more
            if patience == SECONDS or process.poll() is not None:
                break
            with contextlib.suppress(OSError):
                os.write(ours, CTRL_C.encode())
        return process.wait(SECONDS), seen.decode().replace("\r\n", "\n")
    finally:
        process.kill()
        process.wait()
        os.close(ours)


def _read(terminal: int, seconds: float = SECONDS) -> bytes:
    """What comes next; nothing where the other end is closed, or silent for too long."""
    if not select.select([terminal], [], [], seconds)[0]:
        return b""
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says so where nobody has the other end open any more
        return b""
