"""Checking a System One request, as a server receives it.

A server is asked by clients of every kind, so this is laxer than what the project itself sends: texts may be
objects or arrays, a Noul may have criteria or no instructions, an option may lack its description.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from pytest_jevbench.json_text import JSON
from pytest_jevbench.questions import MAX_LEVELS, MAX_OPTIONS

__all__ = ["WireProblem", "WireRequest", "read_wire_request"]

Location: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class WireProblem:
    """One thing wrong with a request, and where in its body."""

    location: Location
    message: str

    def to_json(self) -> dict[str, JSON]:
        return {"type": "value_error", "loc": ["body", *self.location], "msg": self.message}


@dataclass(frozen=True, slots=True)
class WireRequest:
    """A request that can be answered. Questions are in wire form, by key, in order."""

    model: str
    state: JSON
    questions: Mapping[str, Mapping[str, Any]]


def read_wire_request(body: Any) -> WireRequest | list[WireProblem]:
    """The request in a decoded body, or all that is wrong with it."""
    if not isinstance(body, dict):
        return [WireProblem((), "the body must be a JSON object")]
    problems: list[WireProblem] = []
    model, state, questions = body.get("model"), body.get("state"), body.get("questions")
    if not isinstance(model, str) or not model:
        problems.append(WireProblem(("model",), "must be a non-empty string"))
    if not isinstance(state, (str, dict, list)):
        problems.append(WireProblem(("state",), "must be a string, an object or an array"))
    if not isinstance(questions, dict) or not questions:
        problems.append(WireProblem(("questions",), "must be an object with at least one question"))
    else:
        for key, question in questions.items():
            problems += _question_problems(question, ("questions", key))
    if problems:
        return problems
    return WireRequest(body["model"], body["state"], body["questions"])


def _question_problems(question: Any, at: Location) -> list[WireProblem]:
    if not at[-1]:
        return [WireProblem(at, "a question id must not be empty")]
    if not isinstance(question, dict):
        return [WireProblem(at, "a question must be an object")]
    kind = question.get("type")
    check = _CRITERIA.get(kind) if isinstance(kind, str) else None
    if check is None:
        return [WireProblem((*at, "type"), f"must be one of {', '.join(_CRITERIA)}")]
    instructions = question.get("instructions")
    optional = kind == "noul"
    problems = []
    if not _is_text(instructions) and not (optional and instructions is None):
        problems.append(WireProblem((*at, "instructions"), "must be a non-empty string, an object or an array"))
    message = check(question.get("criteria"))
    if message:
        problems.append(WireProblem((*at, "criteria"), message))
    return problems


def _is_text(value: Any) -> bool:
    return isinstance(value, (dict, list)) or (isinstance(value, str) and bool(value))


def _noul_criteria(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, dict) or any(side not in ("true", "false") for side in value):
        return 'must be absent, or an object with "true" and "false"'
    return "" if all(text is None or _is_text(text) for text in value.values()) else "must hold texts"


def _choice_criteria(value: Any) -> str:
    if not isinstance(value, dict) or not 2 <= len(value) <= MAX_OPTIONS:
        return f"must be an object of 2 to {MAX_OPTIONS} options"
    if "" in value:
        return "an option id must not be empty"
    return (
        "" if all(text is None or isinstance(text, (str, dict, list)) for text in value.values()) else "must hold texts"
    )


def _score_criteria(value: Any) -> str:
    if not isinstance(value, list) or not 2 <= len(value) <= MAX_LEVELS:
        return f"must be an array of 2 to {MAX_LEVELS} levels, lowest first"
    return "" if all(_is_text(text) for text in value) else "every level must be a text"


_CRITERIA = {"noul": _noul_criteria, "choice": _choice_criteria, "score": _score_criteria}
