"""Models that need no weights, for tests of the tests and for comparison.

``uniform``
    The same probability for every answer. It keeps many laws and knows nothing: what it scores shows that coherence
    is not quality.
``random``
    A distribution drawn from a hash of the state and the question as it is asked, its key aside: the same question
    gives the same answer, and every other wording, order or option id another one.
``luce``
    Each option has a utility of its own, drawn from a hash of the state, the instructions and the option's text,
    and the answer is their softmax: a Luce choice model. Ids, keys, order and the other questions play no part, so
    what is left of a menu keeps its proportions exactly; and a copy of an option doubles its share, which a
    coherent probability would not. A Score's levels are options with the level texts, a Noul's the words yes and
    no.
``luce_biased``
    ``luce`` with three defects of real models: it favours the first option, it reads the keys and ids, and the
    number of questions in the batch leaks into every answer.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from hashlib import sha256
from typing import Any, TypeAlias

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import JSON, dumps
from pytest_jevbench.models.plain_values import copied
from pytest_jevbench.models.protocol import Identity, Reply
from pytest_jevbench.questions import Request

__all__ = ["REFERENCE_NAMES", "ReferenceModel", "answer", "reference_model"]

Probabilities: TypeAlias = list[float]
Rule: TypeAlias = Callable[["Asked"], Probabilities]

REVISION = "1"
"""Changed with every change of what a reference model answers: kept answers of another revision are not its own."""

SPREAD = 1.0
FIRST_OPTION_BIAS = 0.7
KEY_WEIGHT = 0.5
BATCH_WEIGHT = 0.5


class Asked:
    """One question as a rule sees it: the texts of its options by id, in order, and what stands around them."""

    __slots__ = ("batch_size", "key", "options", "question", "state", "stem")

    def __init__(self, state: str, key: str, question: Mapping[str, Any], batch_size: int) -> None:
        self.state = state
        self.key = key
        self.question = question
        self.batch_size = batch_size
        self.options = _options(question)
        self.stem = sha256(_joined(state, _text(question.get("instructions"))))

    def utility(self, option_text: str) -> float:
        """A number within ±SPREAD that depends on state, instructions and this option's text alone."""
        return SPREAD * self._signed(option_text.encode("utf-8", "surrogatepass"))

    def leak(self, what: str, value: str, option_text: str) -> float:
        """A number in [−1, 1) that depends on something else besides, which should not count."""
        return self._signed(_joined(what, value, option_text))

    def _signed(self, data: bytes) -> float:
        hasher = self.stem.copy()
        hasher.update(data)
        return 2.0 * _unit(hasher.digest()) - 1.0


def answer(name: str, state: JSON, questions: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """The answers of a reference model to questions in wire form, by key."""
    rule = _RULES[name]
    text = _text(state)
    return {
        key: _answer(question, rule(Asked(text, key, question, len(questions)))) for key, question in questions.items()
    }


class ReferenceModel:
    """A reference model by its name."""

    def __init__(self, name: str) -> None:
        self._identity = Identity("reference", name, REVISION)

    def __repr__(self) -> str:
        return f"ReferenceModel({self._identity.name!r})"

    @property
    def identity(self) -> Identity:
        return self._identity

    def ask(self, request: Request) -> Reply:
        """The answers to one request; never fails."""
        questions = {key: question.to_json() for key, question in request.questions.items()}
        return Reply(answer(self._identity.name, request.state, questions), self._identity.name)

    def close(self) -> None:
        """Nothing is held."""


def reference_model(name: str) -> ReferenceModel:
    """A reference model. Raises :class:`InputError` for a name that is none."""
    if name not in _RULES:
        near = get_close_matches(name, REFERENCE_NAMES, 1)
        raise InputError.unexpected(
            name,
            f"one of {', '.join(REFERENCE_NAMES)}" + (f"; did you mean {near[0]}?" if near else ""),
            Place(field="reference model"),
        )
    return ReferenceModel(name)


def _uniform(asked: Asked) -> Probabilities:
    return [1.0 / len(asked.options)] * len(asked.options)


def _random(asked: Asked) -> Probabilities:
    # The order of a question's fields and a null stand for nothing; the order of its options is part of it.
    fields = [asked.question.get(name) for name in ("type", "instructions", "criteria")]
    seed = sha256(_joined(asked.state, dumps(fields))).digest()
    # squares spread the mass more than even draws do, and are the same on every machine
    draws = [_unit(sha256(seed + index.to_bytes(4, "big")).digest()) ** 2 for index in range(len(asked.options))]
    total = math.fsum(draws)
    return [draw / total for draw in draws]


def _luce(asked: Asked) -> Probabilities:
    return _softmax([asked.utility(text) for text in asked.options.values()])


def _luce_biased(asked: Asked) -> Probabilities:
    utilities = []
    for index, (option, text) in enumerate(asked.options.items()):
        utility = asked.utility(text)
        utility += FIRST_OPTION_BIAS if index == 0 else 0.0
        utility += KEY_WEIGHT * (asked.leak("key", asked.key, text) + asked.leak("id", option, text))
        utility += BATCH_WEIGHT * asked.leak("batch", str(asked.batch_size), text)
        utilities.append(utility)
    return _softmax(utilities)


_RULES: Mapping[str, Rule] = {
    "uniform": _uniform,
    "random": _random,
    "luce": _luce,
    "luce_biased": _luce_biased,
}
REFERENCE_NAMES: tuple[str, ...] = tuple(_RULES)


def _options(question: Mapping[str, Any]) -> dict[str, str]:
    """The texts of a question's options by answer id; an option without a description is its id."""
    kind = question["type"]
    criteria: Any = question.get("criteria")
    if kind == "noul":
        given = criteria or {}
        return {side: word if given.get(side) is None else _text(given[side]) for side, word in _NOUL_WORDS.items()}
    if kind == "choice":
        return {option: option if text is None else _text(text) for option, text in criteria.items()}
    return {str(level): _text(text) for level, text in enumerate(criteria)}


_NOUL_WORDS = {"false": "no", "true": "yes"}


def _answer(question: Mapping[str, Any], probabilities: Probabilities) -> dict[str, Any]:
    """The wire form of an answer."""
    kind = question["type"]
    criteria: Any = question.get("criteria")
    if kind == "noul":
        return {"type": "noul", "noul": probabilities[1]}
    top = max(range(len(probabilities)), key=probabilities.__getitem__)
    if kind == "choice":
        ids = list(criteria)
        return {
            "type": "choice",
            "choice": ids[top],
            "probabilities": dict(zip(ids, probabilities, strict=True)),
            "confidence": _choice_confidence(probabilities),
        }
    return {
        "type": "score",
        "score": math.fsum(level * p for level, p in enumerate(probabilities)),
        "legend": {str(level): copied(text) for level, text in enumerate(criteria)},
        "probabilities": {str(level): p for level, p in enumerate(probabilities)},
        "confidence": _score_confidence(probabilities, top),
    }


def _choice_confidence(probabilities: Sequence[float]) -> float:
    """How far the largest probability is above that of the uniform answer: 0 uniform, 1 certain."""
    even = 1.0 / len(probabilities)
    return min(1.0, max(0.0, (max(probabilities) - even) / (1.0 - even)))


def _score_confidence(probabilities: Sequence[float], top: int) -> float:
    """1 − the mean distance from the most probable level, as a share of the uniform answer's from its middle."""
    levels = range(len(probabilities))
    distance = math.fsum(abs(level - top) * p for level, p in enumerate(probabilities))
    even = min(sum(abs(level - middle) for level in levels) for middle in levels) / len(probabilities)
    return min(1.0, max(0.0, 1.0 - distance / even))


def _softmax(utilities: Sequence[float]) -> Probabilities:
    top = max(utilities)
    weights = [math.exp(utility - top) for utility in utilities]
    total = math.fsum(weights)
    return [weight / total for weight in weights]


def _text(value: Any) -> str:
    """A text as it is, anything else as JSON, nothing as the empty text."""
    if isinstance(value, str):
        return value
    return "" if value is None else dumps(value)


def _joined(*parts: str) -> bytes:
    """Bytes from which the parts can be told apart."""
    encoded = [part.encode("utf-8", "surrogatepass") for part in parts]
    return b"".join(len(part).to_bytes(8, "big") + part for part in encoded)


def _unit(digest: bytes) -> float:
    """The number in (0, 1) that a hash stands for."""
    return (int.from_bytes(digest[:6], "big") + 0.5) / 2.0**48
