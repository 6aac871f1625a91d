"""Folders in the system's temporary directory that are there for as long as their processes.

A process that is killed cannot remove its own. So each folder says whose it is, and whoever makes the next one removes
those whose owners are all known to be dead.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import astuple
from pathlib import Path

from pytest_jevbench.models.process_identity import ProcessId, surely_dead, this_process

__all__ = ["join_folder", "keep_folder", "leave_folder", "passing_folder", "sweep"]

_PREFIX = "jevbench-"
_OWNER = "owner-"


def passing_folder(kind: str) -> Path:
    """A new folder of this process, after the abandoned ones were removed. Raises ``OSError``."""
    sweep()
    folder = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{kind}-"))
    _own(folder)
    return folder


def join_folder(name: str) -> Path:
    """The folder of this name, for all processes that give it. Raises ``OSError``."""
    folder = Path(tempfile.gettempdir()) / f"{_PREFIX}{name}"
    if not (folder / _mark()).exists():
        sweep()
        folder.mkdir(mode=0o700, exist_ok=True)
        _own(folder)
    return folder


def leave_folder(folder: Path) -> None:
    """This process needs the folder no more; the last one removes it."""
    with suppress(OSError):
        (folder / _mark()).unlink(missing_ok=True)
        if not any(_owners(folder)):
            shutil.rmtree(folder, ignore_errors=True)


def keep_folder(folder: Path) -> None:
    """What is in the folder is worth keeping: nobody is to remove it."""
    for owner in _owners(folder):
        with suppress(OSError):
            owner.unlink()


def sweep() -> None:
    """Remove the folders of this user whose owners are all known to be dead."""
    with suppress(OSError):
        for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
            if _is_abandoned(folder):
                shutil.rmtree(folder, ignore_errors=True)


def _is_abandoned(folder: Path) -> bool:
    with suppress(OSError):
        # A folder that is not ours to judge: somebody else's, a link, or one that its maker has not marked yet.
        if folder.is_symlink() or not folder.is_dir() or folder.stat().st_uid != _user():
            return False
        owners = [_read(path) for path in _owners(folder)]
        return bool(owners) and all(owner is not None and surely_dead(owner) for owner in owners)
    return False


def _owners(folder: Path) -> Iterator[Path]:
    return folder.glob(f"{_OWNER}*")


def _mark() -> str:
    return f"{_OWNER}{this_process().pid}"


def _own(folder: Path) -> None:
    (folder / _mark()).write_text(json.dumps(astuple(this_process())), encoding="utf-8")


def _read(path: Path) -> ProcessId | None:
    try:
        host, pid, started = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, TypeError):
        return None
    return ProcessId(str(host), int(pid), str(started))


def _user() -> int:
    return os.getuid() if hasattr(os, "getuid") else 0
