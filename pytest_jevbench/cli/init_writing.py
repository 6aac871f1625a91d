"""All files or none."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path

from pytest_jevbench.cli.init_files import Written
from pytest_jevbench.files import write_whole

__all__ = ["write_all"]


def write_all(files: Sequence[Written]) -> list[Written]:
    """Write the files that are not yet as they should be, and give these.

    Where one cannot be written, those before it are put back as they were, and the ``OSError`` is raised.
    """
    wanted = [one for one in files if not one.is_there]
    before: list[tuple[Path, bytes | None]] = []
    folders: list[Path] = []
    try:
        for one in wanted:
            missing = [place for place in one.path.parents if not place.exists()]
            for place in reversed(missing):
                place.mkdir()
                folders.append(place)
            old = one.path.read_bytes() if one.path.is_file() else None
            write_whole(one.path, one.data)
            before.append((one.path, old))
    except BaseException:
        with contextlib.suppress(OSError):
            for path, old in reversed(before):
                if old is None:
                    path.unlink()
                else:
                    write_whole(path, old)
            for place in reversed(folders):
                place.rmdir()
        raise
    return wanted
