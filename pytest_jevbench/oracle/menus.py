"""Options and levels as events, and how a menu of them shares out the mass."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from pytest_jevbench.oracle.joint import Vector
from pytest_jevbench.oracle.propositions import Propositions
from pytest_jevbench.oracle.table import AmbiguousText, UnknownText
from pytest_jevbench.oracle.texts import FACTS, OFF_TOPIC

__all__ = ["conditioned", "joint_of_two", "level_strengths", "option_strengths", "yes_or_no"]

WHATEVER_IS_LEFT = "All of the other options are wrong"
RESTATED = "In other words: "
ONE_OF = "One of these: "
BEYOND = re.compile(r'Even higher on the scale than "(?P<level>.+)"')
WITH_FACT = re.compile(r"(?P<option>.+) \(and (?P<fact>[^()]+)\)")
YES_AND_NO = {"The answer is yes": "yes", "The answer is no": "no", "Yes": "yes", "No": "no"}


@dataclass(frozen=True)
class Claim:
    """What one option says: an event, and in every world how strongly it claims its share of it."""

    event: Vector | None
    strength: Vector | float = 1.0


def conditioned(weights: Vector, strengths: Sequence[Vector | None]) -> list[float]:
    """The probabilities of a menu.

    In each world its mass goes to the options that are true there, by strength; an option of strength None takes the
    worlds in which no other is true; worlds in which nothing on the menu is true are conditioned away. Uniform where
    no mass is left.
    """
    stated = [strength for strength in strengths if strength is not None]
    total = np.sum(stated, axis=0)
    filled = [(total == 0).astype(float) if strength is None else strength for strength in strengths]
    total = np.sum(filled, axis=0)
    shares = np.divide(filled, total, out=np.zeros((len(filled), len(weights))), where=total > 0)
    mass = shares @ weights
    if mass.sum() <= 0:
        return [1 / len(filled)] * len(filled)
    return [float(share) for share in mass / mass.sum()]


def _single(text: str, readings: Iterator[Claim | None]) -> Claim:
    found = [claim for claim in readings if claim is not None]
    if not found:
        raise UnknownText(text)
    if len(found) > 1:
        raise AmbiguousText(text)
    return found[0]


def _any_of(text: str, known: Mapping[str, str]) -> set[str] | None:
    """The answers of several quoted texts joined by 'or'."""
    for size in range(2, len(known) + 1):
        if text.count('" or "') + 1 < size:
            break
        for members in permutations(known, size):
            if text == " or ".join(f'"{member}"' for member in members):
                return {known[member] for member in members}
    return None


def option_strengths(read: Propositions, key: str, descriptions: Sequence[str]) -> list[Vector | None]:
    """How strongly each description of a menu claims each world; None for 'none of the others'."""
    restated = {text[len(RESTATED) :] for text in descriptions if text.startswith(RESTATED)}
    claims = [
        Claim(None) if text == WHATEVER_IS_LEFT else _single(text, _option_readings(read, key, text, restated))
        for text in descriptions
    ]
    return [None if claim.event is None else claim.event * claim.strength for claim in claims]


def _option_readings(read: Propositions, key: str, text: str, restated: set[str]) -> Iterator[Claim | None]:
    own = read.table.options[key]
    worlds = read.answers[key]
    if text in own:
        share = read.joint.share(f"{key} {own[text]}") if text in restated else 1.0
        yield Claim(worlds[own[text]], share)
    if text in OFF_TOPIC:
        yield Claim(read.joint.nothing)
    if text.startswith(RESTATED) and text[len(RESTATED) :] in own:
        option = own[text[len(RESTATED) :]]
        yield Claim(worlds[option], 1.0 - read.joint.share(f"{key} {option}"))
    if text.startswith(ONE_OF):
        members = _any_of(text[len(ONE_OF) :], own)
        if members:
            yield Claim(np.sum([worlds[option] for option in members], axis=0))
    with_fact = WITH_FACT.fullmatch(text)
    if with_fact and with_fact["option"] in own and with_fact["fact"] in FACTS:
        name, holds = FACTS[with_fact["fact"]]
        fact = read.joint.event(name)
        yield Claim(worlds[own[with_fact["option"]]] * (fact if holds else 1.0 - fact))


def level_strengths(read: Propositions, key: str, levels: Sequence[str]) -> list[Vector | None]:
    """How strongly each level of a scale claims each world."""
    known = read.table.levels[key]
    worlds = read.answers[key]
    top = max(worlds, key=int)
    further = read.joint.event(f"beyond {key}")
    extended = any(BEYOND.fullmatch(text) for text in levels)

    def readings(text: str) -> Iterator[Claim | None]:
        if text in known:
            cut = 1.0 - further if extended and known[text] == top else 1.0
            yield Claim(worlds[known[text]] * cut)
        members = _any_of(text, known)
        if members:
            yield Claim(np.sum([worlds[level] for level in members], axis=0))
        beyond = BEYOND.fullmatch(text)
        if beyond and known.get(beyond["level"]) == top:
            yield Claim(worlds[top] * further)

    return [_single(text, readings(text)).event for text in levels]


def yes_or_no(yes: Vector, texts: Sequence[str]) -> list[Vector | None]:
    """A yes/no question with its two answers written out."""
    if sorted(YES_AND_NO.get(text, text) for text in texts) != ["no", "yes"]:
        raise UnknownText(f"answers to a yes/no question: {texts}")
    return [yes if YES_AND_NO[text] == "yes" else 1.0 - yes for text in texts]


JOINTLY = "Which pair of answers is correct for these two questions? "
PAIR = re.compile(r"The answer to question \(1\) is (yes|no) and the answer to question \(2\) is (yes|no)")


def joint_of_two(read: Propositions, instructions: str, descriptions: Sequence[str]) -> list[Vector | None] | None:
    """Two yes/no questions asked at once; None if that is not what the instructions ask."""
    if not instructions.startswith(JOINTLY):
        return None
    for members in read.numbered(instructions[len(JOINTLY) :]):
        a, b = (read.own(member) for member in members) if len(members) == 2 else (None, None)
        if a is not None and b is not None:
            return [_pair(text, a, b) for text in descriptions]
    raise UnknownText(instructions)


def _pair(text: str, a: Vector, b: Vector) -> Vector:
    found = PAIR.fullmatch(text)
    if not found:
        raise UnknownText(text)
    first, second = (
        event if word == "yes" else 1.0 - event for event, word in zip((a, b), found.groups(), strict=True)
    )
    return first * second
