"""SVG text that a notebook shows as a picture."""

from __future__ import annotations

import os
from pathlib import Path

from pytest_jevbench.files import write_whole

__all__ = ["Svg"]


class Svg(str):
    """The text of an SVG."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write it to a file, whole or not at all. Raises ``OSError``."""
        write_whole(Path(path), str(self))
        return Path(path)
