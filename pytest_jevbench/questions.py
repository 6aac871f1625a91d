"""What a decision model is asked: typed questions, requests, cases.

Order is meaning here: the order of questions and of options is kept by every type and every function,
because a model may read it and two relations test exactly that it does not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import Any, TypeAlias

from pytest_jevbench.errors import MISSING, InputError, Place
from pytest_jevbench.json_text import JSON, dumps, find_surrogate

__all__ = [
    "MAX_LEVELS",
    "MAX_OPTIONS",
    "Case",
    "Choice",
    "KnownTexts",
    "Noul",
    "Question",
    "Request",
    "Score",
    "Threshold",
    "answer_ids",
    "case_from_json",
    "question_from_json",
]

MAX_OPTIONS = 255
MAX_LEVELS = 10
_LEVELS = tuple(str(level) for level in range(MAX_LEVELS))


@dataclass(frozen=True, slots=True)
class Noul:
    """A yes/no question. Its distribution has the answers ``false`` and ``true``."""

    instructions: str

    @property
    def type(self) -> str:
        return "noul"

    def to_json(self) -> dict[str, JSON]:
        return {"type": "noul", "instructions": self.instructions}


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several named options: ``options`` maps each option id to its description, in order."""

    instructions: str
    options: Mapping[str, str]

    @property
    def type(self) -> str:
        return "choice"

    def to_json(self) -> dict[str, JSON]:
        return {"type": "choice", "instructions": self.instructions, "criteria": dict(self.options)}


@dataclass(frozen=True, slots=True)
class Score:
    """A level on an ordered scale: the level texts, lowest first. Its answers are the level indices as text."""

    instructions: str
    levels: tuple[str, ...]

    @property
    def type(self) -> str:
        return "score"

    def to_json(self) -> dict[str, JSON]:
        return {"type": "score", "instructions": self.instructions, "criteria": list(self.levels)}


Question: TypeAlias = Noul | Choice | Score


def answer_ids(question: Question) -> tuple[str, ...]:
    """The declared answers of a question, in their order."""
    if isinstance(question, Noul):
        return ("false", "true")
    if isinstance(question, Choice):
        return tuple(question.options)
    return _LEVELS[: len(question.levels)]


class KnownTexts:
    """The wire texts of a state and of the questions that most requests about it repeat."""

    def __init__(self, state: JSON, questions: Mapping[str, Question]) -> None:
        self.state = dumps(state, compact=True)
        # By identity: requests refer to a case's own question objects, and comparing questions costs more than writing.
        self._questions = {id(q): (q, dumps(q.to_json(), compact=True)) for q in questions.values()}
        self._keys = {key: f"{dumps(key)}:" for key in questions}
        self._entries = {(key, id(q)): self._entry(key, q) for key, q in questions.items()}

    def of(self, questions: Mapping[str, Question]) -> str:
        """The wire text of a batch of questions."""
        entries = self._entries
        return ",".join([entries.get((key, id(q))) or self._entry(key, q) for key, q in questions.items()])

    def _entry(self, key: str, question: Question) -> str:
        known = self._questions.get(id(question))
        text = known[1] if known is not None else dumps(question.to_json(), compact=True)
        return (self._keys.get(key) or f"{dumps(key)}:") + text


@dataclass(frozen=True)
class Request:
    """One request to a model: a state and a batch of questions by key, in order.

    ``repeat`` tells apart the times that the same is asked, from 0; the model does not learn of it.
    """

    state: JSON
    questions: Mapping[str, Question]
    known: KnownTexts | None = field(default=None, compare=False, repr=False)
    """Wire texts that many requests share; they change nothing but the time it takes to write one."""
    repeat: int = 0

    def body(self) -> dict[str, Any]:
        """The wire form, without the model's name."""
        return {
            "state": self.state,
            "questions": {key: question.to_json() for key, question in self.questions.items()},
        }

    def body_text(self) -> str:
        """The wire form as compact strict JSON."""
        known = self.known or KnownTexts(self.state, {})
        return f'{{"state":{known.state},"questions":{{{known.of(self.questions)}}}}}'

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the wire form, order of keys included: equal requests and no others share it."""
        return sha256(self.body_text().encode()).hexdigest()

    @cached_property
    def key(self) -> str:
        """What tells apart all that is asked, repeats too: the digest, of a repeat with its number."""
        return f"{self.digest}#{self.repeat}" if self.repeat else self.digest

    def repeats(self, count: int) -> tuple[Request, ...]:
        """The same request, to be asked so many times; the first is this one."""
        return (self, *(replace(self, repeat=number) for number in range(1, count)))


@dataclass(frozen=True, slots=True)
class Threshold:
    """A quantity that the state declares: ``subject`` (plural noun phrase) and its integer ``value``."""

    subject: str
    value: int


@dataclass(frozen=True)
class Case:
    """A fixed state with a batch of typed questions; the source of every follow-up request.

    ``hierarchies`` maps a Choice's key to ways of grouping its options into blocks. ``gold`` is never
    part of it: relations must not see labels.
    """

    id: str
    state: JSON
    questions: Mapping[str, Question]
    domain: str = ""
    thresholds: tuple[Threshold, ...] = ()
    hierarchies: Mapping[str, tuple[Mapping[str, tuple[str, ...]], ...]] = field(default_factory=dict)
    metadata: Mapping[str, JSON] = field(default_factory=dict)

    @cached_property
    def _known(self) -> KnownTexts:
        return KnownTexts(self.state, self.questions)

    @cached_property
    def _base(self) -> Request:
        return Request(self.state, self.questions, self._known)

    def request(self) -> Request:
        """The base request: the case's own batch."""
        return self._base

    def follow_up(self, batch: Mapping[str, Question]) -> Request:
        """A request with another batch about the same state."""
        return Request(self.state, batch, self._known)

    def of_type(self, kind: type[Noul] | type[Choice] | type[Score]) -> tuple[str, ...]:
        """The keys of all questions of one type, in order."""
        return tuple(key for key, question in self.questions.items() if isinstance(question, kind))

    def restricted(self, keys: Iterable[str]) -> Case:
        """The same case with only these questions, in the case's own order."""
        kept = set(keys)
        return Case(
            id=self.id,
            state=self.state,
            questions={key: q for key, q in self.questions.items() if key in kept},
            domain=self.domain,
            thresholds=self.thresholds,
            hierarchies=self.hierarchies,
            metadata=self.metadata,
        )


def _text(value: object, place: Place, field_name: str, what: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise InputError.unexpected(value, f"{what} as non-empty text", place.at(field_name))
    return value


def question_from_json(value: object, place: Place) -> Question:
    """A question from its wire form. Raises :class:`InputError` naming the field that is wrong."""
    if not isinstance(value, dict):
        raise InputError.unexpected(value, "a question object with type and instructions", place)
    kind = value.get("type", MISSING)
    instructions = _text(value.get("instructions", MISSING), place, "instructions", "the question")
    criteria = value.get("criteria", MISSING)
    unknown = [name for name in value if name not in ("type", "instructions", "criteria")]
    if unknown:
        raise InputError(
            f"unknown field {unknown[0]!r}",
            place=place,
            advice="A question has type, instructions and criteria alone",
        )
    if kind == "noul":
        if criteria is not MISSING and criteria is not None:
            raise InputError(
                "a Noul has criteria", place=place.at("criteria"), advice="Leave them out, or ask a Choice"
            )
        return Noul(instructions)
    if kind == "choice":
        return Choice(instructions, _options(criteria, place))
    if kind == "score":
        return Score(instructions, _levels(criteria, place))
    raise InputError.unexpected(kind, 'one of "noul", "choice", "score"', place.at("type"))


def _options(value: object, place: Place) -> dict[str, str]:
    if not isinstance(value, dict) or not 2 <= len(value) <= MAX_OPTIONS:
        raise InputError.unexpected(value, f"an object of 2 to {MAX_OPTIONS} options", place.at("criteria"))
    for option, description in value.items():
        if not isinstance(option, str) or not option:
            raise InputError.unexpected(option, "an option id as non-empty text", place.at("criteria"))
        if not isinstance(description, str) or not description.strip():
            wanted = "the option's description as non-empty text"
            raise InputError.unexpected(description, wanted, place.at("criteria").at(option))
    return value


def _levels(value: object, place: Place) -> tuple[str, ...]:
    if not isinstance(value, list) or not 2 <= len(value) <= MAX_LEVELS:
        raise InputError.unexpected(value, f"a list of 2 to {MAX_LEVELS} levels, lowest first", place.at("criteria"))
    levels = tuple(value)
    for index, level in enumerate(levels):
        if not isinstance(level, str) or not level.strip():
            wanted = "the level's text as non-empty text"
            raise InputError.unexpected(level, wanted, place.at("criteria").at(str(index)))
    if len(set(levels)) != len(levels):
        raise InputError("two levels have the same text", place=place.at("criteria"), advice="Make the levels distinct")
    return levels


def case_from_json(value: object, place: Place) -> Case:
    """A case from one line of ``cases.jsonl``. Raises :class:`InputError` naming line and field."""
    if not isinstance(value, dict):
        raise InputError.unexpected(value, "a case object with id, state and questions", place)
    surrogate = find_surrogate(value)
    if surrogate is not None:
        raise InputError(
            "the text has a lone surrogate (half of a character)",
            place=place.at(surrogate),
            advice="Repair the text where it was exported; no server can be sent this",
        )
    case_id = value.get("id", MISSING)
    if not isinstance(case_id, str) or not case_id:
        raise InputError.unexpected(case_id, "an id as non-empty text", place.at("id"))
    if "state" not in value or not isinstance(value["state"], (str, dict, list)):
        raise InputError.unexpected(
            value.get("state", MISSING), "the state as text, object or array", place.at("state")
        )
    questions = _questions(value.get("questions", MISSING), place.at("questions"))
    domain = value.get("domain", "")
    if not isinstance(domain, str):
        raise InputError.unexpected(domain, "the domain as text", place.at("domain"))
    known = ("id", "state", "questions", "domain", "thresholds", "hierarchies")
    return Case(
        id=case_id,
        state=value["state"],
        questions=questions,
        domain=domain,
        thresholds=_thresholds(value.get("thresholds"), place.at("thresholds")),
        hierarchies=_hierarchies(value.get("hierarchies"), questions, place.at("hierarchies")),
        metadata={name: item for name, item in value.items() if name not in known},
    )


def _questions(value: object, place: Place) -> dict[str, Question]:
    if not isinstance(value, dict) or not value:
        raise InputError.unexpected(value, "an object of at least one question by key", place)
    for key in value:
        if not key:
            raise InputError.unexpected(key, "a question key as non-empty text", place)
    return {key: question_from_json(item, place.at(key)) for key, item in value.items()}


def _thresholds(value: object, place: Place) -> tuple[Threshold, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise InputError.unexpected(value, 'a list of {"subject", "value"}', place)
    result = []
    for index, item in enumerate(value):
        inner = place.at(str(index))
        if not isinstance(item, dict):
            raise InputError.unexpected(item, '{"subject": text, "value": integer}', inner)
        number = item.get("value", MISSING)
        if isinstance(number, bool) or not isinstance(number, int) or number < 0:
            raise InputError.unexpected(number, "an integer of at least 0", inner.at("value"))
        result.append(Threshold(_text(item.get("subject", MISSING), inner, "subject", "the subject"), number))
    return tuple(result)


def _hierarchies(
    value: object, questions: Mapping[str, Question], place: Place
) -> dict[str, tuple[dict[str, tuple[str, ...]], ...]]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise InputError.unexpected(value, "an object by question key", place)
    result: dict[str, tuple[dict[str, tuple[str, ...]], ...]] = {}
    for key, groupings in value.items():
        question = questions.get(key)
        if not isinstance(question, Choice):
            raise InputError(
                "there is no Choice of this key in the case",
                place=place.at(key),
                advice="Hierarchies are declared for Choices",
            )
        if not isinstance(groupings, list):
            raise InputError.unexpected(groupings, "a list of {block: [option ids]}", place.at(key))
        result[key] = tuple(_blocks(item, question, place.at(key)) for item in groupings)
    return result


def _blocks(value: object, question: Choice, place: Place) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict) or len(value) < 2:
        raise InputError.unexpected(value, "at least two blocks of option ids", place)
    blocks = {
        block: tuple(o for o in members if isinstance(o, str)) if isinstance(members, list) else ()
        for block, members in value.items()
    }
    listed = [option for members in blocks.values() for option in members]
    if not all(blocks.values()) or sorted(listed) != sorted(question.options):
        raise InputError.unexpected(value, "blocks that hold every option of the Choice exactly once", place)
    return blocks
