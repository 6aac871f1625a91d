"""The texts of cases: read from draft files, counted in words, compared with each other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from pytest_jevbench.counting import counted
from pytest_jevbench.datagen.domain import LengthBand
from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.files import read_bytes, read_json
from pytest_jevbench.json_text import JSON, dumps, shown

__all__ = [
    "LEAST_WORDS",
    "MOST_WORDS",
    "Draft",
    "draft_of",
    "form_problems",
    "jaccard",
    "nearest",
    "read_draft",
    "shingles",
]

LEAST_WORDS, MOST_WORDS = 80, 350
SHINGLE = 5
SLACK = 0.1
"""How far past its length band a text may be, as a share; never past the limits of all texts."""

STOCK_PHRASES = (
    "hope this email finds you",
    "hope this message finds you",
    "hope you are doing well",
    "i am writing to express",
    "please do not hesitate",
    "do not hesitate to contact",
    "if you need any further information",
    "let me know if you need anything else",
    "thank you for your attention to this matter",
    "thank you for your prompt attention",
    "as an ai",
    "lorem ipsum",
    "[your name]",
    "john doe",
    "jane doe",
    "acme",
)


@dataclass(frozen=True)
class Draft:
    """A text with what is made of it. ``flat`` is the text itself, or the lines ``key path: value`` of a record."""

    state: JSON
    flat: str
    words: int

    @property
    def digest(self) -> str:
        """SHA-256 of the state as it stands in a case."""
        return sha256(dumps(self.state, compact=True).encode()).hexdigest()


def read_draft(path: Path) -> Draft:
    """The text or record of a draft file. Raises :class:`InputError`."""
    if path.suffix == ".json":
        return draft_of(read_json(path), Place(path))
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"not UTF-8 ({error.reason})", place=Place(path), advice="Save it as UTF-8") from None
    return draft_of(text, Place(path))


def draft_of(state: JSON, place: Place) -> Draft:
    """A draft from its state: text without blank edges, or a JSON object. Raises :class:`InputError`."""
    if isinstance(state, dict) and state:
        lines = list(_leaves(state, ()))
        words = sum(len(line.split()) for line in _texts(state))
        return Draft(state, "\n".join(lines), words)
    if not isinstance(state, str) or not state.strip():
        raise InputError.unexpected(state, "a text, or a JSON object with fields", place)
    text = "\n".join(line.rstrip() for line in state.replace("\r\n", "\n").strip().split("\n"))
    return Draft(text, text, len(text.split()))


def _leaves(value: JSON, path: tuple[str, ...]) -> Iterator[str]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _leaves(item, (*path, key.replace("_", " ")))
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item, path)
    else:
        yield f"{' '.join(path)}: {_leaf(value)}"


def _texts(value: JSON) -> Iterator[str]:
    """The keys and values of a record in order, each key once."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)
    else:
        yield _leaf(value)


def _leaf(value: JSON) -> str:
    return value if isinstance(value, str) else dumps(value)


def form_problems(draft: Draft, band: LengthBand, form: str) -> list[str]:
    """What is wrong with a draft before its facts are looked at: form, length, phrases of no document."""
    problems = []
    if isinstance(draft.state, dict) != (form == "json"):
        problems.append(f"the style wants {'a JSON object' if form == 'json' else 'plain text'}")
    low = max(LEAST_WORDS, round(band.low * (1 - SLACK)))
    high = min(MOST_WORDS, round(band.high * (1 + SLACK)))
    if not low <= draft.words <= high:
        problems.append(f"{counted(draft.words, 'word')}, and {low} to {high} are allowed ({band.name})")
    lowered = " ".join(draft.flat.split()).casefold()
    problems += [f"the stock phrase {shown(phrase)}" for phrase in STOCK_PHRASES if phrase in lowered]
    if form == "text" and re.search(r"^(```|#{1,6} |\*\*)", draft.flat, re.MULTILINE):
        problems.append("Markdown, where plain text is wanted")
    return problems


def shingles(draft: Draft) -> frozenset[tuple[str, ...]]:
    """The sets of five words in a row, small letters, no punctuation."""
    words = re.findall(r"\w+", "\n".join(_texts(draft.state)).casefold())
    return frozenset(tuple(words[i : i + SHINGLE]) for i in range(len(words) - SHINGLE + 1))


def jaccard(a: frozenset[tuple[str, ...]], b: frozenset[tuple[str, ...]]) -> float:
    """|A ∩ B| / |A ∪ B|, 0 for two empty sets."""
    both = len(a | b)
    return len(a & b) / both if both else 0.0


def nearest(
    one: frozenset[tuple[str, ...]], others: Sequence[tuple[str, frozenset[tuple[str, ...]]]]
) -> tuple[str, float]:
    """The most similar of the others and how similar it is; an empty name where there is none."""
    best = ("", 0.0)
    for name, other in others:
        alike = jaccard(one, other)
        if alike > best[1]:
            best = (name, alike)
    return best
