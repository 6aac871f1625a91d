"""A scorer that only counts shared words: what it gets right can be had without understanding."""

from __future__ import annotations

import re
from collections.abc import Iterable

__all__ = ["overlap", "overlap_says_yes"]

HALF = 0.5
FUNCTION_WORDS = frozenset(
    word
    for line in (
        "a about after all also an and any are as at be been before being but by can could did do does each",
        "either for from had has have he her him his how i if in into is it its may me might more most must",
        "my no nor not of off on one or other our out over own shall she should since so some such than that",
        "the their them then there these they this those to too under until up us was we were what when where",
        "whether which while who whom whose why will with would yes yet you your",
    )
    for word in line.split()
)
SUFFIX = re.compile(r"(?:ies|ing|ed|es|s|e)$")


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z0-9]+", text.casefold())


def _stems(words: Iterable[str]) -> list[str]:
    return [SUFFIX.sub("", word) if len(word) > 4 else word for word in words]


def overlap(question: str, text: str) -> float:
    """The share of a question's content words that occur in the text, endings cut off; 0 where it has none."""
    asked = _stems(word for word in _words(question) if word not in FUNCTION_WORDS)
    there = set(_stems(_words(text)))
    return sum(stem in there for stem in asked) / len(asked) if asked else 0.0


def overlap_says_yes(question: str, text: str) -> bool:
    """The scorer's answer to a Noul: yes where at least half of the question's content words occur in the text."""
    return overlap(question, text) >= HALF
