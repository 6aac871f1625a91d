"""Whether a page shows what a command printed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

__all__ = ["missing", "plain"]

CHANGING = (
    (re.compile(r"(?<![\w.])\d+(?:\.\d+)? ?(?:ms|s|min|minutes|seconds|h)\b(?: \(\d+:\d\d:\d\d\))?"), "<time>"),
    (re.compile(r"\b\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d)?\b"), "<date>"),
    (re.compile(r"\b\d+(?:\.\d+)? [kM]B\b"), "<size>"),
    (re.compile(r"\b127\.0\.0\.1:\d+"), "<address>"),
    (re.compile(r"([=_-])\1{3,}"), r"\1\1\1"),
    (re.compile(r"\s+"), " "),
)
"""What differs from run to run or with the width of the terminal, and what stands for it."""


def plain(line: str) -> str:
    """A line without what changes from run to run."""
    for pattern, replacement in CHANGING:
        line = pattern.sub(replacement, line)
    return line.strip()


def _parts(shown: Iterable[str]) -> list[list[str]]:
    """The lines between those that are ``...``."""
    parts: list[list[str]] = [[]]
    for line in shown:
        if line.strip() == "...":
            parts.append([])
        elif line.strip():
            parts[-1].append(plain(line))
    return [part for part in parts if part]


def _is(line: str, printed: str) -> bool:
    return printed.startswith(line[:-3].rstrip()) if line.endswith("...") else line == printed


def missing(shown: Sequence[str], printed: str) -> str:
    """The first shown part that was not printed behind the one before it, or an empty text."""
    lines = [plain(line) for line in printed.splitlines() if line.strip()]
    at = 0
    for part in _parts(shown):
        starts = range(at, len(lines) - len(part) + 1)
        found = next((s for s in starts if all(map(_is, part, lines[s : s + len(part)]))), None)
        if found is None:
            return "\n".join(part)
        at = found + len(part)
    return ""
