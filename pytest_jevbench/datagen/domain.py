"""A domain: what its cases may be about, how their texts look, and what is asked of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, TypeAlias

from pytest_jevbench.datagen.rules import Kind, Rule
from pytest_jevbench.questions import Choice, Noul, Question, Score

__all__ = [
    "LANGUAGES",
    "MENTIONS",
    "AnswerRule",
    "Archetype",
    "BankQuestion",
    "Domain",
    "Fact",
    "FactOverride",
    "FactValue",
    "LengthBand",
    "Mention",
    "OptionText",
    "Style",
    "Wording",
    "value_name",
]

Mention = Literal["explicit", "implied", "absent"]
MENTIONS: tuple[Mention, ...] = ("explicit", "implied", "absent")
LANGUAGES: Mapping[str, str] = {"zh": "Simplified Chinese", "es": "Spanish"}

FactValue: TypeAlias = bool | int | str


def value_name(value: FactValue) -> str:
    """A value as the domain file writes it: ``yes`` and ``no`` for a boolean."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value)


@dataclass(frozen=True, slots=True)
class Wording:
    """How a fact, or one value of it, gets into a text and is found there.

    ``brief`` and ``hint`` are told to the writer: what is so, and how it may be implied. The patterns are what the
    offline check looks for: one of ``explicit`` where the fact is stated outright, one of ``implied`` where it is
    implied, none of ``against`` in either.
    """

    brief: str
    hint: str = ""
    mention: Mapping[Mention, int] = field(default_factory=lambda: {"explicit": 1})
    explicit: tuple[str, ...] = ()
    implied: tuple[str, ...] = ()
    against: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that is so or not so in a case.

    ``wordings`` has an entry for each value of a boolean (``yes``, ``no``) or enum; an integer or a name has the one
    entry ``""``. ``unsaid`` is the value that a reader assumes where the text says nothing. ``forbidden`` patterns
    may not occur in a text that does not mention the fact.
    """

    name: str
    kind: Kind
    about: str
    wordings: Mapping[str, Wording]
    weights: Mapping[str, int] = field(default_factory=dict)
    ranges: tuple[tuple[int, int], ...] = ()
    pool: tuple[str, ...] = ()
    only_if: Rule | None = None
    unsaid: str | None = None
    forbidden: tuple[str, ...] = ()
    threshold: str | None = None

    def wording(self, value: FactValue) -> Wording:
        """The wording of a value."""
        return self.wordings[value_name(value)] if self.kind in ("boolean", "enum") else self.wordings[""]


@dataclass(frozen=True, slots=True)
class FactOverride:
    """What an archetype says of a fact: other weights, other ranges, other mentions."""

    weights: Mapping[str, int] = field(default_factory=dict)
    ranges: tuple[tuple[int, int], ...] = ()
    mention: Mapping[Mention, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Archetype:
    """A kind of situation. ``styles`` are the styles it can be told in; empty means all."""

    name: str
    brief: str
    weight: int = 1
    facts: Mapping[str, FactOverride] = field(default_factory=dict)
    constraints: tuple[Rule, ...] = ()
    styles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Style:
    """A kind of document. ``form`` is ``text`` or ``json``; ``lengths`` are the bands it may have, empty for all."""

    name: str
    brief: str
    weight: int = 1
    form: Literal["text", "json"] = "text"
    lengths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LengthBand:
    """A range of words, both ends allowed."""

    name: str
    low: int
    high: int
    weight: int = 1


@dataclass(frozen=True, slots=True)
class AnswerRule:
    """The gold answer over the facts: answers with their conditions, the first that holds counts.

    A Noul has one branch, ``yes``; every other list ends with a branch that always holds (condition None). ``fact``
    names an enum fact whose value is the answer itself.
    """

    branches: tuple[tuple[str, Rule | None], ...] = ()
    fact: str | None = None

    @property
    def facts(self) -> tuple[str, ...]:
        """The facts that the answer depends on."""
        named = [name for _, rule in self.branches if rule is not None for name in rule.facts]
        return tuple(dict.fromkeys([*named, self.fact] if self.fact else named))


@dataclass(frozen=True, slots=True)
class OptionText:
    """An option's description or a level's text, its paraphrase (options alone) and translations by language."""

    text: str
    paraphrase: str = ""
    translations: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BankQuestion:
    """A question of the domain with everything declared for it.

    ``options`` holds a Choice's options by id or a Score's levels by index (``"0"`` is the lowest). ``requires`` are
    the facts that a text must give before the question can be asked of it; ``ask_if`` a further condition.
    """

    key: str
    type: Literal["noul", "choice", "score"]
    ask: str
    answer: AnswerRule
    requires: tuple[str, ...]
    paraphrases: tuple[str, ...]
    translations: Mapping[str, str]
    negation: str = ""
    options: Mapping[str, OptionText] = field(default_factory=dict)
    hierarchies: tuple[Mapping[str, tuple[str, ...]], ...] = ()
    ask_if: Rule | None = None

    def question(self, order: tuple[str, ...] = ()) -> Question:
        """The typed question, its options in the given order (the bank's own where none is given)."""
        if self.type == "noul":
            return Noul(self.ask)
        if self.type == "score":
            return Score(self.ask, tuple(level.text for level in self.options.values()))
        return Choice(self.ask, {option: self.options[option].text for option in order or self.options})


@dataclass(frozen=True)
class Domain:
    """A whole domain file."""

    name: str
    description: str
    file: Path
    setting: str
    facts: Mapping[str, Fact]
    archetypes: Mapping[str, Archetype]
    styles: Mapping[str, Style]
    lengths: Mapping[str, LengthBand]
    questions: Mapping[str, BankQuestion]
    constraints: tuple[Rule, ...] = ()
    voices: tuple[str, ...] = ()
    details: tuple[str, ...] = ()

    def of_type(self, kind: str) -> tuple[str, ...]:
        """The keys of the questions of a type, in the bank's order."""
        return tuple(key for key, question in self.questions.items() if question.type == kind)

    def ranges_of(self, fact: str, archetype: str) -> tuple[tuple[int, int], ...]:
        """The ranges from which an integer is drawn in a situation; none for a fact of another kind."""
        override = self.archetypes[archetype].facts.get(fact, FactOverride())
        return override.ranges or self.facts[fact].ranges
