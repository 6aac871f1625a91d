"""What a run will ask for, told before it starts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_jevbench.json_text import loads
from pytest_jevbench.rewrites.making import Due, Effort
from pytest_jevbench.rewrites.prompts import JUDGE, WRITER, checks_of, writing_prompt
from pytest_jevbench.rewrites.sources import Source

__all__ = ["Expected", "expected"]

_BYTES_A_TOKEN = 4
_VERDICT_TOKENS = 40
_FRAME_TOKENS = 12
"""Around each text of an answer: braces, quotes, the field's name."""
_DIRECTIONS = 2


@dataclass(frozen=True, slots=True)
class Expected:
    """Requests and tokens of one model: in the first try of every text, tokens by a rule of thumb and without what a
    model reasons; ``most`` is the number of requests if no try succeeds and no answer has to be asked for again."""

    requests: int
    tokens_in: int
    tokens_out: int
    most: int


def expected(work: Sequence[Due], effort: Effort) -> tuple[Expected, Expected]:
    """What the writer and what the judge will be asked."""
    asked = [item for item in work if item.rounds and not item.open]
    prompts = [_tokens(WRITER + writing_prompt(item.source, effort.count(item.source))) for item in asked]
    written = [effort.count(item.source) * (_tokens(item.source.text) + _FRAME_TOKENS) for item in asked]
    writer = Expected(len(asked), sum(prompts), sum(written), sum(item.rounds for item in work))
    votes = reading = most = 0
    for item in work:
        candidates = item.open or effort.count(item.source)
        votes += _DIRECTIONS * candidates
        most += _DIRECTIONS * (item.open + item.rounds * effort.count(item.source))
        reading += candidates * sum(_tokens(JUDGE + message) for _, message in _checks(item.source))
    return writer, Expected(votes, reading, votes * _VERDICT_TOKENS, most)


def _checks(source: Source) -> tuple[tuple[str, str], tuple[str, str]]:
    return checks_of(source, loads(source.text) if source.language else source.text)


def _tokens(text: str) -> int:
    return -(-len(text.encode()) // _BYTES_A_TOKEN)
