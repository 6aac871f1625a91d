"""What the file system refuses and Ctrl-C, told in one line by the commands that write files."""

from __future__ import annotations

import argparse
import errno
import os
import re
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path

__all__ = ["INTERRUPTED", "plain_errors"]

INTERRUPTED = 130
"""The exit status of a command that was stopped by Ctrl-C."""

TEMPORARY = re.compile(r"\.(?P<name>.+)\.[0-9a-f]{8}\.tmp")
ADVICE = {
    errno.EACCES: "Give yourself the right to it, or name another place",
    errno.EPERM: "Give yourself the right to it, or name another place",
    errno.EROFS: "Name a place that can be written",
    errno.EEXIST: "A folder is needed here, and a file has its name; name another place",
    errno.ENOTDIR: "A folder is needed on the way there, and a file has its name; name another place",
    errno.EISDIR: "A file is needed here, and a folder has its name",
    errno.ENOSPC: "Make room and run again",
}


def plain_errors(run: Callable[[argparse.Namespace], int]) -> Callable[[argparse.Namespace], int]:
    """A command whose trouble with files is an :class:`InputError`, and which Ctrl-C ends with one line."""

    @wraps(run)
    def guarded(args: argparse.Namespace) -> int:
        from pytest_jevbench.errors import InputError, Place

        try:
            return run(args)
        except BrokenPipeError:  # our output has no reader any more: no trouble with a file
            raise
        except OSError as error:
            problem = (error.strerror or str(error) or type(error).__name__).lower()
            place = Place(_file(error.filename)) if error.filename is not None else Place()
            raise InputError(problem, place=place, advice=ADVICE.get(error.errno or 0, "")) from None
        except KeyboardInterrupt:
            print("pytest-jevbench: stopped", file=sys.stderr)  # noqa: T201
            return INTERRUPTED

    return guarded


def _file(name: object) -> Path:
    """The file that was meant where a temporary one beside it could not be written."""
    path = Path(os.fsdecode(name)) if isinstance(name, (str, bytes)) else Path(str(name))
    temporary = TEMPORARY.fullmatch(path.name)
    return path.with_name(temporary["name"]) if temporary else path
