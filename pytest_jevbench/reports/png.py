"""An SVG as a PNG, by resvg, which comes with the extra ``png``.

A renderer without a font for a text leaves the text out and says nothing. That would be a picture without figures,
so it is found here and told.
"""

from __future__ import annotations

import re
from functools import lru_cache
from html import unescape
from typing import NamedTuple

from pytest_jevbench.errors import InputError, Place

__all__ = ["Drawn", "png_of_svg"]

SCALE = 2.0
"""Pixels a unit of the SVG: sharp on screens of today, and in print up to a page's width."""


class Drawn(NamedTuple):
    """A PNG, and the characters of its texts that no font here can show."""

    png: bytes
    missing: tuple[str, ...]


def png_of_svg(svg: str, path: str, *, scale: float = SCALE) -> Drawn:
    """Draw an SVG, in its light colours. ``path`` is where it goes, for errors.

    Raises :class:`InputError` where the extra is not installed, or no font is.
    """
    try:
        import resvg_py
    except ImportError:
        raise InputError(
            "a PNG is drawn by resvg, which is not installed",
            place=Place(path),
            advice="pip install 'pytest-jevbench[png]', or write to a path that ends in .svg",
        ) from None
    if not _is_drawn("A"):
        raise InputError(
            "no font is installed here, and the picture would be without its texts",
            place=Place(path),
            advice="Install one (on Debian: fonts-dejavu-core), or write to a path that ends in .svg",
        )
    texts = unescape("".join(re.findall(r">([^<]+)</text>", svg)))
    missing = tuple(c for c in dict.fromkeys(texts) if not (c.isascii() or c.isspace() or _is_drawn(c)))
    return Drawn(bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=scale)), missing)


UNASSIGNED = "\u0378"
"""A character that no font has: what stands for it stands for whatever is missing."""


def _is_drawn(character: str) -> bool:
    """Whether a font here has the character: its picture is neither empty nor that of a missing one."""
    return _sample(character) not in (_sample(" "), _sample(UNASSIGNED))


@lru_cache(maxsize=1024)
def _sample(character: str) -> bytes:
    import resvg_py

    text = f"<text x='4' y='24' font-size='20' font-family='sans-serif'>&#{ord(character)};</text>"
    svg = f"<svg xmlns='http://www.w3.org/2000/svg' width='32' height='32'>{text}</svg>"
    return bytes(resvg_py.svg_to_bytes(svg_string=svg))
