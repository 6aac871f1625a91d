"""Recorded preferences of judges between two answers, each pair shown in both orders."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

from pytest_jevbench.errors import MISSING, InputError, Place
from pytest_jevbench.json_text import dumps, find_surrogate, shown
from pytest_jevbench.judges.json_places import read_checked
from pytest_jevbench.judges.problems import Problems
from pytest_jevbench.judges.scrubbing import LICENSE, check_declarations, check_texts

__all__ = [
    "MATCHED",
    "JudgedPair",
    "Matched",
    "PairFile",
    "judged_pairs",
    "markup_density",
    "pairs_from_json",
    "read_pairs",
]

Matched: TypeAlias = Literal["length", "markup"]
MATCHED: tuple[Matched, ...] = get_args(Matched)

_FIELDS = ("synthetic", "license", "pairs")
_PAIR_FIELDS = ("judge", "a", "b", "forward", "swapped", "judge_model", "a_model", "b_model", "matched", "id", "label")

_MARKUP = re.compile(
    r"^\s{0,3}(?:\#{1,6}\s|>|```|~~~|[-*+]\s|\d{1,9}[.)]\s|\|.*\||(?:[-*_]\s*){3,}$)"
    r"|\*\*\S|__\S|`[^`]+`|\[[^\]]+\]\([^)]*\)|(?<!\w)[*_][^\s*_][^*_]*[*_](?!\w)"
)


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """One judge on one pair of answers.

    ``forward`` is P(the first answer wins) with A shown first, ``swapped`` the same with B first; None where the judge
    gave no answer. ``judge_model``, ``a_model`` and ``b_model`` say who wrote what, where it is known. ``matched`` says
    that both answers are equally good and differ in length or in markup alone. ``label`` is the better answer, ``tie``
    where they are equally good, None where nobody said.
    """

    judge: str
    a: str
    b: str
    forward: float | None
    swapped: float | None
    judge_model: str | None = None
    a_model: str | None = None
    b_model: str | None = None
    matched: Matched | None = None
    label: Literal["a", "b", "tie"] | None = None
    id: str = ""

    @property
    def preference(self) -> float | None:
        """P(A is better), averaged over both orders: (forward + 1 - swapped) / 2."""
        if self.forward is None or self.swapped is None:
            return None
        return (self.forward + 1.0 - self.swapped) / 2.0


@dataclass(frozen=True)
class PairFile:
    """Pairs that were read, what to call them, and a SHA-256 of their content."""

    pairs: tuple[JudgedPair, ...]
    name: str = ""
    digest: str = ""
    private: bool = False
    demo: bool = False

    @property
    def judges(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(pair.judge for pair in self.pairs))

    def to_json(self) -> dict[str, Any]:
        declared = {} if self.private else {"synthetic": True, "license": LICENSE}
        return {**declared, "pairs": [_pair_json(pair) for pair in self.pairs]}


def _pair_json(pair: JudgedPair) -> dict[str, Any]:
    row = {name: getattr(pair, name) for name in _PAIR_FIELDS}
    return {name: value for name, value in row.items() if name in ("forward", "swapped") or value not in (None, "")}


def markup_density(text: str) -> float:
    """The share of the lines that are not blank which hold Markdown: headings, lists, quotes, tables, emphasis, links.

    >>> markup_density("Four.")
    0.0
    >>> markup_density("## Answer" + chr(10) + "- Four." + chr(10) + "That is all.")
    0.6666666666666666
    """
    lines = [line for line in text.splitlines() if line.strip()]
    return sum(_MARKUP.search(line) is not None for line in lines) / len(lines) if lines else 0.0


def read_pairs(path: Path | str, *, private: bool = False) -> PairFile:
    """Read a file of pairs. Raises :class:`InputError` with everything that is wrong with it."""
    return read_checked(path, partial(pairs_from_json, private=private))


def pairs_from_json(value: object, place: Place | None = None, *, private: bool = False) -> PairFile:
    """Pairs from the JSON value of a file, checked in full. Raises :class:`InputError` with all problems at once."""
    place = place or Place()
    if not isinstance(value, dict):
        raise InputError.unexpected(value, "an object with pairs", place)
    half = find_surrogate(value)
    if half is not None:
        raise InputError("the text has a lone surrogate (half of a character)", place=place.at(half or "text"))
    if "items" in value and "pairs" not in value:
        raise InputError(
            "this is a fixture, and pairs are wanted", place=place, advice="judge bench and judge calibrate take it"
        )
    problems = Problems(place)
    problems.near_misses(value, _FIELDS, "")
    if not private:
        check_declarations(value, problems)
    pairs = _pairs(value.get("pairs", MISSING), problems)
    if not private:
        check_texts(((f"pairs[{i}].{n}", getattr(p, n)) for i, p in enumerate(pairs) for n in ("a", "b")), problems)
    problems.settle()
    return PairFile(
        pairs=tuple(pairs),
        name=Path(place.file).stem if place.file is not None else "",
        digest=sha256(dumps(value, compact=True).encode()).hexdigest(),
        private=private,
    )


def judged_pairs(rows: Iterable[Mapping[str, Any]] | Sequence[JudgedPair]) -> tuple[JudgedPair, ...]:
    """Pairs from plain rows with the fields of :class:`JudgedPair` (``judge`` may be left out), for Python.

    Raises :class:`InputError` with all problems at once.
    """
    given: list[Any] = list(rows)
    if given and all(isinstance(row, JudgedPair) for row in given):
        return tuple(given)
    problems = Problems(Place())
    values = [{"judge": "judge", **row} if isinstance(row, Mapping) else row for row in given]
    pairs = _pairs(values, problems)
    problems.settle()
    return tuple(pairs)


def _pairs(value: object, problems: Problems) -> list[JudgedPair]:
    if not isinstance(value, list) or not value:
        problems.unexpected("pairs", value, "a list of pairs that is not empty")
        return []
    pairs = [
        pair if isinstance(pair, JudgedPair) else _pair(pair, f"pairs[{i}]", problems) for i, pair in enumerate(value)
    ]
    seen: dict[tuple[str, str], int] = {}
    for i, pair in enumerate(pairs):
        if pair.id and seen.setdefault((pair.judge, pair.id), i) != i:
            first = seen[pair.judge, pair.id]
            problems.add(f"pairs[{i}].id", f"the id {shown(pair.id)} is that of pairs[{first}]", "Give each its own")
    return pairs


def _pair(value: object, at: str, problems: Problems) -> JudgedPair:
    if not isinstance(value, dict):
        problems.unexpected(at, value, "an object with judge, a, b, forward and swapped")
        return JudgedPair("", "", "", None, None)
    problems.near_misses(value, _PAIR_FIELDS, at)
    models = {name: _optional_text(value, name, at, problems) for name in ("judge_model", "a_model", "b_model", "id")}
    for name, allowed in (("matched", MATCHED), ("label", ("a", "b", "tie"))):
        if value.get(name) is not None and value[name] not in allowed:
            problems.unexpected(f"{at}.{name}", value[name], f"one of {', '.join(allowed)}, or leave it out")
    pair = JudgedPair(
        judge=problems.text(value, "judge", at),
        a=problems.text(value, "a", at, blank=True),
        b=problems.text(value, "b", at, blank=True),
        forward=_answer(value, "forward", at, problems),
        swapped=_answer(value, "swapped", at, problems),
        judge_model=models["judge_model"],
        a_model=models["a_model"],
        b_model=models["b_model"],
        matched=value.get("matched") if value.get("matched") in MATCHED else None,
        label=value.get("label") if value.get("label") in ("a", "b", "tie") else None,
        id=models["id"] or "",
    )
    if pair.matched == "length" and len(pair.a) == len(pair.b):
        problems.add(f"{at}.matched", "both answers are of one length", "Match answers that differ in it")
    if pair.matched == "markup" and markup_density(pair.a) == markup_density(pair.b):
        problems.add(f"{at}.matched", "both answers have equally much markup", "Match answers that differ in it")
    return pair


def _answer(value: Mapping[str, Any], name: str, at: str, problems: Problems) -> float | None:
    if name not in value:
        problems.add(
            f"{at}.{name}", f"there is no {name!r}", "Give P(the first answer wins), null where none was given"
        )
        return None
    return None if value[name] is None else problems.probability(value[name], f"{at}.{name}")


def _optional_text(value: Mapping[str, Any], name: str, at: str, problems: Problems) -> str | None:
    return None if value.get(name) is None else problems.text(value, name, at) or None
