"""A candidate beside its source, as text for a terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from pytest_jevbench.json_text import JsonProblem, dumps, loads, printable
from pytest_jevbench.rewrite_bank import TRANSLATE
from pytest_jevbench.rewrites.bank_file import Candidate

__all__ = ["beside", "candidate_text", "listed"]

_NARROW = 72
"""Below so many columns the rewrite stands under its source."""
_GAP = "   "


def candidate_text(row: Candidate, where: str, width: int) -> str:
    """All that a person needs to judge one, in lines of at most ``width`` columns."""
    lines = ["", f"{where}   {row.kind}   {row.id}   {state_of(row)}"]
    if row.kind == "negation":
        lines.append("(to be the exact opposite: yes wherever the source is no, and no wherever it is yes)")
    for name, source, rewrite in _parts(row):
        lines += [name] if name else []
        lines += beside(source, rewrite, width)
    reason = row.text("reason")
    lines += list(_wrapped(f"judge: {reason}", width)) if reason else []
    return "\n".join(printable(line) for line in [*lines, ""])


def state_of(row: Candidate) -> str:
    """What was decided about a candidate, and by whom."""
    judge = row.text("judge") or "nobody"
    said = "not judged yet" if row.open else f"{'accepted' if row.accepted else 'refused'} by {judge}"
    warning = f" ({row.text('warning')})" if row.text("warning") else ""
    audit = {True: "; confirmed by an audit", False: "; rejected by an audit", None: ""}[row.audited]
    return said + warning + audit


def listed(row: Candidate) -> str:
    """A candidate in three lines, or four with a reason."""
    source, rewrite = (_flat(value) for value in (_value(row.source, row), row.rewrite))
    lines = [f"{row.id}  {row.kind}  {state_of(row)}", f"    source   {source}", f"    rewrite  {rewrite}"]
    if row.refusal:
        lines.append(f"    reason   {row.refusal}")
    return "\n".join(printable(line).replace("\n", " ") for line in lines) + "\n"


def _flat(value: Any) -> str:
    return value if isinstance(value, str) else dumps(value)


def _value(source: str, row: Candidate) -> Any:
    if not row.kind.startswith(TRANSLATE):
        return source
    try:
        return loads(source)
    except JsonProblem:
        return source


def _parts(row: Candidate) -> Iterator[tuple[str, str, str]]:
    """The texts to compare, each pair under a name: one, or those of a translated question."""
    source, rewrite = _value(row.source, row), row.rewrite
    if not isinstance(source, dict) or not isinstance(rewrite, dict):
        yield "", _flat(source), _flat(rewrite)
        return
    yield "", _flat(source.get("instructions")), _flat(rewrite.get("instructions"))
    yield from _criteria(source.get("criteria"), rewrite.get("criteria"))


def _criteria(source: Any, rewrite: Any) -> Iterator[tuple[str, str, str]]:
    if isinstance(source, dict) and isinstance(rewrite, dict):
        for option in dict.fromkeys([*source, *rewrite]):
            yield f"  {option}", _flat(source.get(option, "")), _flat(rewrite.get(option, ""))
    elif isinstance(source, list) and isinstance(rewrite, list):
        for level, (one, two) in enumerate(zip_longest(source, rewrite, fillvalue="")):
            yield f"  level {level}", _flat(one), _flat(two)
    elif source is not None or rewrite is not None:
        yield "  criteria", _flat(source), _flat(rewrite)


def beside(source: str, rewrite: str, width: int) -> list[str]:
    """Two texts beside each other in ``width`` columns; in a narrow terminal one under the other."""
    if width < _NARROW:
        return [f"  {line}" for text in (source, rewrite) for line in _wrapped(text, width - 2)]
    column = (width - len(_GAP) - 2) // 2
    pairs = zip_longest(_wrapped(source, column), _wrapped(rewrite, column), fillvalue="")
    return [f"  {one}{' ' * (column - columns(one))}{_GAP}{two}".rstrip() for one, two in pairs]


def columns(text: str) -> int:
    """How many columns of a terminal a text takes; Chinese characters take two."""
    return sum(_columns(character) for character in text)


def _columns(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def _wrapped(text: str, width: int) -> Iterator[str]:
    """The lines of a text, broken at spaces, and within a word where one is wider than a line."""
    line = ""
    for word in printable(text).split():
        if line and columns(line) + 1 + columns(word) > width:
            yield line
            line = ""
        line = f"{line} {word}" if line else word
        while columns(line) > width:
            head = _head(line, width)
            yield head
            line = line[len(head) :]
    yield line


def _head(text: str, width: int) -> str:
    """The longest start of a text that fits, at least one character."""
    used = 0
    for index, character in enumerate(text):
        used += _columns(character)
        if used > width:
            return text[: max(1, index)]
    return text
