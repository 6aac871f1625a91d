"""The folder ``.jevbench`` of a project, which keeps itself out of version control."""

from __future__ import annotations

from pathlib import Path

from pytest_jevbench.files import write_whole

__all__ = ["NAME", "make_folder"]

NAME = ".jevbench"


def make_folder(folder: Path) -> None:
    """Make a folder and its parents; ours gets a ``.gitignore`` of its own. Raises ``OSError``."""
    folder.mkdir(parents=True, exist_ok=True)
    if folder.name == NAME and not (folder / ".gitignore").exists():
        write_whole(folder / ".gitignore", "*\n")
