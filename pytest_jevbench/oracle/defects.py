"""Twelve general defects of the kinds that models have, each wrapped round a model that has none.

A defect sees requests and the answers of the model inside it, and nothing else: neither relations nor what a request
was made for. ``CONTROL`` is no defect: how exactly a server prints must break no law.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256
from itertools import pairwise
from math import exp
from typing import Any, TypeAlias

from pytest_jevbench.oracle.oracle import Answers, Asker

__all__ = ["CONTROL", "DEFECTS", "Defect"]

Question: TypeAlias = Mapping[str, Any]
P: TypeAlias = dict[str, float]
Change: TypeAlias = Callable[[str, Question, P], P]
"""(key, question, its distribution) to the distribution that the defect makes of it."""
Defect: TypeAlias = Callable[[Asker], Asker]


def _distribution(question: Question, answer: Mapping[str, Any]) -> P:
    if question["type"] == "noul":
        return {"no": 1.0 - answer["noul"], "yes": answer["noul"]}
    return dict(answer["probabilities"])


def _answer(question: Question, p: P) -> dict[str, Any]:
    if question["type"] == "noul":
        return {"type": "noul", "noul": p["yes"]}
    return {"type": question["type"], "probabilities": p}


def _noul(model: Asker, state: Any, instructions: str) -> float:
    """What a model answers to one yes/no question."""
    question = {"type": "noul", "instructions": instructions}
    return float(model(state, {"q": question})["q"]["noul"])


def _each(change: Change) -> Defect:
    """A defect of single answers."""

    def defect(model: Asker) -> Asker:
        def ask(state: Any, questions: Mapping[str, Question]) -> Answers:
            right = model(state, questions)
            return {
                key: _answer(question, change(key, question, _distribution(question, right[key])))
                for key, question in questions.items()
            }

        return ask

    return defect


def _tilted(p: P, pull: Mapping[str, float]) -> P:
    """Each probability times exp(its pull), normalised."""
    weights = {answer: mass * exp(pull[answer]) for answer, mass in p.items()}
    total = sum(weights.values())
    return {answer: weight / total for answer, weight in weights.items()}


def _drawn_to(p: P, answer: str, share: float) -> P:
    """A share of all mass given to one answer."""
    return {a: (1 - share) * mass + (share if a == answer else 0.0) for a, mass in p.items()}


def _noise(text: str) -> float:
    """A number in [-1, 1] that hangs on a text alone."""
    return int.from_bytes(sha256(text.encode()).digest()[:6], "big") / 2**47 - 1.0


def _texts(question: Question) -> dict[str, str]:
    """What each answer says, by answer."""
    if question["type"] == "noul":
        return {"no": "", "yes": "yes"}
    if question["type"] == "choice":
        return dict(question["criteria"])
    return {str(i): level for i, level in enumerate(question["criteria"])}


def _first_option(key: str, question: Question, p: P) -> P:
    """Order bias: a Choice's first option draws mass."""
    return _drawn_to(p, next(iter(p)), 0.25) if question["type"] == "choice" else p


def _first_level(key: str, question: Question, p: P) -> P:
    """Order bias: a Score's first level draws mass."""
    return _drawn_to(p, "0", 0.25) if question["type"] == "score" else p


def _key_reading(key: str, question: Question, p: P) -> P:
    """The key of a question is read for what it might say about the answers."""
    pull = {answer: 3.0 * _noise(f"{key} {text}") if text else 0.0 for answer, text in _texts(question).items()}
    return _tilted(p, pull)


def _id_reading(key: str, question: Question, p: P) -> P:
    """The ids of options are read, not only their descriptions."""
    return _tilted(p, {option: 3.0 * _noise(option) for option in p}) if question["type"] == "choice" else p


def _wording_noise(key: str, question: Question, p: P) -> P:
    """The same thing in other words gets another answer."""
    asked = question["instructions"]
    pull = {answer: 3.0 * _noise(f"{asked} {text}") if text else 0.0 for answer, text in _texts(question).items()}
    return _tilted(p, pull)


def _overconfidence(key: str, question: Question, p: P) -> P:
    """Every answer is sharpened: what is likely becomes more likely."""
    cubes = {answer: mass**3 for answer, mass in p.items()}
    total = sum(cubes.values())
    return {answer: cube / total for answer, cube in cubes.items()}


def _rounded(digits: int) -> Change:
    def change(key: str, question: Question, p: P) -> P:
        rounded = {answer: round(mass, digits) for answer, mass in p.items()}
        return rounded if any(rounded.values()) else p

    return change


NEGATIVE = re.compile(r"\b(no|not|nobody|never|false|wrong|incorrect|other than|different)\b", re.IGNORECASE)


def _negation_blindness(key: str, question: Question, p: P) -> P:
    """A yes/no question with a negative word is answered as if the word were not there."""
    if question["type"] == "noul" and NEGATIVE.search(question["instructions"]):
        return {"no": p["yes"], "yes": p["no"]}
    return p


def _batch_leak(model: Asker) -> Asker:
    """A yes/no answer leaks into the next yes/no question of the batch, the last one's into the first."""

    def ask(state: Any, questions: Mapping[str, Question]) -> Answers:
        answers = model(state, questions)
        nouls = [key for key, question in questions.items() if question["type"] == "noul"]
        carried = {later: earlier for earlier, later in pairwise(nouls)}
        if len(nouls) > 1:
            carried[nouls[0]] = nouls[-1]
        leaked = {
            key: {"type": "noul", "noul": 0.3 * answers[key]["noul"] + 0.7 * answers[other]["noul"]}
            for key, other in carried.items()
        }
        return {**answers, **leaked}

    return ask


def _clone_splitting(model: Asker) -> Asker:
    """A description that stands on a menu twice, as a copy or as a restatement, counts twice."""

    def ask(state: Any, questions: Mapping[str, Question]) -> Answers:
        return {key: answer(state, question) for key, question in questions.items()}

    def answer(state: Any, question: Question) -> dict[str, Any]:
        if question["type"] != "choice":
            return model(state, {"q": question})["q"]
        said = {option: text.removeprefix("In other words: ") for option, text in question["criteria"].items()}
        first = {text: option for option, text in reversed(said.items())}
        menu = {option: text for option, text in question["criteria"].items() if first[said[option]] == option}
        alone = model(state, {"q": {**question, "criteria": menu}})["q"]["probabilities"]
        counted = {option: alone[first[text]] for option, text in said.items()}
        total = sum(counted.values())
        return {"type": "choice", "probabilities": {option: mass / total for option, mass in counted.items()}}

    return ask


COMPOUND = (
    re.compile(r"\(1\) (?P<a>.+\?) \(2\) (?P<b>.+\?) \(3\) (?P<c>.+\?)"),
    re.compile(r"\(1\) (?P<a>.+\?) \(2\) (?P<b>.+\?)"),
    re.compile(r'answer to "(?P<a>.+\?)",? (?:and also|or) to "(?P<b>.+\?)"'),
    re.compile(r"First question: (?P<a>.+\?) Second question: (?P<b>.+\?) Is the answer yes"),
)


def _averaging(model: Asker) -> Asker:
    """A compound of questions is as probable as its members are on average; a negated one as its opposite is not."""

    def ask(state: Any, questions: Mapping[str, Question]) -> Answers:
        return {key: answer(state, question) for key, question in questions.items()}

    def answer(state: Any, question: Question) -> dict[str, Any]:
        text = question["instructions"]
        found = next((m for m in (pattern.search(text) for pattern in COMPOUND) if m), None)
        if question["type"] != "noul" or found is None:
            return model(state, {"q": question})["q"]
        members = [_noul(model, state, member) for member in found.groups()]
        mean = sum(members) / len(members)
        return {"type": "noul", "noul": 1 - mean if NEGATIVE.search(text[: found.start()]) else mean}

    return ask


GREATER = re.compile(r"(?P<before>.*(?:greater|more) than )(?P<k>[0-9]+)(?P<after>.*)", re.DOTALL)


def _numbers_as_text(model: Asker) -> Asker:
    """Numbers are compared as texts are: 9 comes after 11."""

    def ask(state: Any, questions: Mapping[str, Question]) -> Answers:
        return {key: answer(state, question) for key, question in questions.items()}

    def answer(state: Any, question: Question) -> dict[str, Any]:
        found = GREATER.fullmatch(question["instructions"])
        if question["type"] != "noul" or found is None:
            return model(state, {"q": question})["q"]
        after = sum(mass for n, mass in amounts(state, found["before"], found["after"]) if str(n) > found["k"])
        return {"type": "noul", "noul": min(1.0, after)}

    def amounts(state: Any, before: str, after: str) -> Iterator[tuple[int, float]]:
        above = 1.0
        n = 0
        while above > 1e-12 and n < 200:
            more = _noul(model, state, f"{before}{n}{after}")
            yield n, above - more
            above = more
            n += 1

    return ask


DEFECTS: Mapping[str, Defect] = {
    "first_option": _each(_first_option),
    "first_level": _each(_first_level),
    "key_reading": _each(_key_reading),
    "id_reading": _each(_id_reading),
    "wording_noise": _each(_wording_noise),
    "overconfidence": _each(_overconfidence),
    "negation_blindness": _each(_negation_blindness),
    "batch_leak": _batch_leak,
    "clone_splitting": _clone_splitting,
    "averaging": _averaging,
    "numbers_as_text": _numbers_as_text,
    "rounding_1": _each(_rounded(1)),
}
CONTROL: Defect = _each(_rounded(2))
"""Two digits, as many servers print."""
