"""The pieces of a state, coarse to fine: members of objects and arrays; paragraphs, lines and sentences of texts."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeAlias

from pytest_jevbench.json_text import JSON

__all__ = ["Pieces", "grains", "pieces_of"]

Path: TypeAlias = tuple[str | int, ...]

_SENTENCE_ENDS = r"(?:(?<=[.!?…][\"'”’)\]])|(?<=[.!?…])(?<!\b\w\.))\s+(?![a-z])|(?<=[。！？])\s*"
_TEXT_GRAINS = tuple(map(re.compile, (r"\n[ \t]*\n\s*", r"\n\s*", rf"\n\s*|{_SENTENCE_ENDS}")))
"""What stands between paragraphs, lines, sentences. Some abbreviations are cut: a piece needs no sense."""


@dataclass(frozen=True, slots=True)
class Pieces:
    """A state cut into ``count`` pieces; ``join`` gives the state that has some of them alone, by number."""

    count: int
    join: Callable[[Collection[int]], JSON]


def grains(state: JSON) -> int:
    """How many grains there are: the depth of objects and arrays, and the three of texts."""
    return _depth(state) + len(_TEXT_GRAINS)


def pieces_of(state: JSON, grain: int) -> Pieces:
    """The state cut at one grain, 0 the coarsest. All pieces together give the state itself.

    Of what stood between two pieces that are joined, what has most line breaks stays.

    >>> pieces_of("It came. It is broken.\\n\\nSend another.", 2).join([0, 2])
    'It came.\\n\\nSend another.'
    """
    depth = _depth(state)
    if grain < depth:
        members = [path for path, _ in _nodes(state) if len(path) == grain + 1]
        return Pieces(len(members), lambda kept: _only(state, {members[i] for i in kept}, grain + 1))
    between = _TEXT_GRAINS[grain - depth]
    texts = {path: _cut(text, between) for path, text in [((), state), *_nodes(state)] if isinstance(text, str)}
    where = [(path, i) for path, cut in texts.items() for i in range(len(cut))]

    def join(kept: Collection[int]) -> JSON:
        chosen: dict[Path, list[int]] = {path: [] for path in texts}
        for number in sorted(kept):
            path, i = where[number]
            chosen[path].append(i)
        return _with_texts(state, {path: _joined(texts[path], numbers) for path, numbers in chosen.items()})

    return Pieces(len(where), join)


def _cut(text: str, between: re.Pattern[str]) -> list[tuple[str, str]]:
    """Pieces that are not blank, each with what stands between it and the next one."""
    cut: list[tuple[str, str]] = []
    start = 0
    for gap in between.finditer(text):
        if text[start : gap.start()].strip():
            cut.append((text[start : gap.start()], gap.group()))
            start = gap.end()
    rest = text[start:]
    if rest.strip() or not cut:
        return [*cut, (rest, "")]
    return [*cut[:-1], (cut[-1][0], cut[-1][1] + rest)]


def _joined(cut: Sequence[tuple[str, str]], kept: Sequence[int]) -> str:
    if len(kept) == len(cut):
        return "".join(piece + gap for piece, gap in cut)
    parts = [cut[number][0] for number in kept]
    for i, (here, following) in enumerate(pairwise(kept)):
        parts[i] += max((gap for _, gap in cut[here:following]), key=lambda gap: gap.count("\n"))
    return "".join(parts) + (cut[-1][1] if kept and kept[-1] == len(cut) - 1 else "")


def _depth(value: JSON) -> int:
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return max((1 + _depth(member) for member in members), default=0)


def _nodes(value: JSON, at: Path = ()) -> Iterator[tuple[Path, JSON]]:
    """Every member of objects and arrays, at any depth, with its path."""
    members: Any = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, member in members:
        yield (*at, name), member
        yield from _nodes(member, (*at, name))


def _only(value: JSON, kept: Collection[Path], depth: int, at: Path = ()) -> JSON:
    """The value with, of the members at one depth, those kept alone."""

    def stays(path: Path) -> bool:
        return len(path) < depth or path in kept

    if len(at) >= depth:
        return value
    if isinstance(value, dict):
        return {k: _only(v, kept, depth, (*at, k)) for k, v in value.items() if stays((*at, k))}
    if isinstance(value, list):
        return [_only(v, kept, depth, (*at, i)) for i, v in enumerate(value) if stays((*at, i))]
    return value


def _with_texts(value: JSON, texts: dict[Path, str], at: Path = ()) -> JSON:
    if isinstance(value, str):
        return texts[at]
    if isinstance(value, dict):
        return {k: _with_texts(v, texts, (*at, k)) for k, v in value.items()}
    if isinstance(value, list):
        return [_with_texts(v, texts, (*at, i)) for i, v in enumerate(value)]
    return value
