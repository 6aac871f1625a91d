"""Pieces of GitHub's Markdown from texts that nobody has vetted: states, answers, error messages, names.

None of them can start a table cell, a heading, a link, an HTML element or a mention.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Sequence

from pytest_jevbench.json_text import printable

__all__ = ["code", "details", "escaped", "fenced", "table"]

_SPECIAL = re.compile(r"[&<>|`*\[\]\\~$]|(?<![^\W_])_|_(?![^\W_])|:(?=//)|(?<=www)\.")
_TICKS = re.compile("`+")
_MENTION = re.compile(r"@(?=\w)")
_ZERO_WIDTH_SPACE = "\u200b"


def escaped(text: str) -> str:
    """A text as prose on one line. What Markdown or HTML would read as markup stands as a character reference.

    >>> escaped("a|b <img> *c*")
    'a&#124;b &#60;img&#62; &#42;c&#42;'
    """
    inert = _SPECIAL.sub(lambda found: f"&#{ord(found[0])};", _one_line(text))
    return _MENTION.sub(f"@{_ZERO_WIDTH_SPACE}", inert)


def code(text: str) -> str:
    """A text as a code span, whatever backticks it holds.

    >>> code("a`b")
    '``a`b``'
    """
    flat = _one_line(text) or " "
    ticks = "`" * (_longest(flat) + 1)
    gap = " " if flat[0] == "`" or flat[-1] == "`" or flat != flat.strip() else ""
    return f"{ticks}{gap}{flat}{gap}{ticks}"


def fenced(lines: Iterable[str]) -> list[str]:
    """Lines as a block of code that nothing in them can end."""
    inner = [printable(line) for of in lines for line in (of.split("\n") or [""])]
    fence = "`" * max(3, 1 + max((_longest(line) for line in inner), default=0))
    return [f"{fence}text", *inner, fence]


def details(summary: str, lines: Iterable[str]) -> list[str]:
    """Lines of Markdown that a reader opens by a click; ``summary`` is plain text."""
    return [f"<details><summary>{html.escape(_one_line(summary))}</summary>", "", *lines, "", "</details>"]


def table(head: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1) -> list[str]:
    """A table of cells that are Markdown already; the first ``left`` columns are set flush left, the others right."""
    marks = ["---" if i < left else "---:" for i in range(len(head))]
    return [_row(head), _row(marks), *(_row(row) for row in rows)]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


def _one_line(text: str) -> str:
    return " ".join(printable(text).split())


def _longest(text: str) -> int:
    return max((len(ticks) for ticks in _TICKS.findall(text)), default=0)
