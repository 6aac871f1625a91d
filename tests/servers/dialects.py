"""Servers that speak the dialects, each by what its own form says and as strict about a request as real ones are.

A Noul is answered 0.25, the others evenly. What a request must look like is stated here again, apart from the package.
"""

from __future__ import annotations

import json
from typing import Any

from tests.servers.chat import completion
from tests.servers.scripted import Step, Talk, reply

__all__ = ["chat", "chat_answers", "decisions", "list_form", "openai_decisions"]


def _checked(body: Any, fields: set[str]) -> Any:
    assert set(body) == fields, f"fields {sorted(body)}"
    return body


def list_form(**extra: Any) -> Step:
    """``POST /decide`` with a list of questions; answers come in the reverse order, under their ids."""

    def step(talk: Talk) -> bool:
        assert talk.asked.path == "/decide"
        body = _checked(talk.asked.json, {"model", "state", "questions"})
        answers = [{"id": question["id"], **_native(question)} for question in body["questions"]]
        return reply({"answers": answers[::-1], **extra})(talk)

    return step


def decisions(**extra: Any) -> Step:
    """``POST /v1/decisions`` with the body of System One."""

    def step(talk: Talk) -> bool:
        assert talk.asked.path == "/v1/decisions"
        body = _checked(talk.asked.json, {"model", "state", "questions"})
        return reply({"answers": {key: _native(q) for key, q in body["questions"].items()}, **extra})(talk)

    return step


def _native(question: Any) -> dict[str, Any]:
    kind, criteria = question["type"], question.get("criteria")
    assert isinstance(question["instructions"], str)
    if kind == "noul":
        assert "criteria" not in question
        return {"type": kind, "noul": 0.25}
    ids = list(criteria) if kind == "choice" else [str(level) for level in range(len(criteria))]
    return {"type": kind, "probabilities": dict.fromkeys(ids, 1 / len(ids))}


def openai_decisions(**extra: Any) -> Step:
    """``POST /v1/decisions`` with an ``input`` and a list of questions; probabilities are arrays."""

    def step(talk: Talk) -> bool:
        assert talk.asked.path == "/v1/decisions"
        body = _checked(talk.asked.json, {"model", "input", "questions"})
        assert isinstance(body["input"], str)
        return reply({"answers": [_typed(question) for question in body["questions"]], **extra})(talk)

    return step


def _typed(question: Any) -> dict[str, Any]:
    name, kind = question["name"], question["type"]
    if kind == "predicate":
        assert set(question) == {"type", "name", "instructions"}
        return {"type": kind, "name": name, "probability": 0.25}
    if kind == "choice":
        values = [choice["value"] for choice in question["choices"]]
        even = [{"value": value, "probability": 1 / len(values)} for value in values]
        return {"type": kind, "name": name, "choice": values[0], "probabilities": even, "confidence": 0.0}
    assert kind == "score"
    labels = [level["label"] for level in question["levels"]]
    even = [{"value": i, "label": label, "probability": 1 / len(labels)} for i, label in enumerate(labels)]
    return {"type": kind, "name": name, "score": (len(labels) - 1) / 2, "probabilities": even, "confidence": 0.0}


def chat_answers(schema: Any) -> Any:
    """The value that a strict JSON Schema asks for, made from the schema alone: no word of the question is read."""
    if schema == {"type": "number"}:
        return 0.25
    assert set(schema) == {"type", "properties", "required", "additionalProperties"}
    assert schema["type"] == "object"
    assert schema["additionalProperties"] is False
    assert schema["required"] == list(schema["properties"])
    value = {name: chat_answers(inner) for name, inner in schema["properties"].items()}
    if value and all(isinstance(item, float) for item in value.values()) and list(value) != ["noul"]:
        return dict.fromkeys(value, 1 / len(value))
    return value


def chat(**extra: Any) -> Step:
    """``POST /v1/chat/completions`` under a strict JSON Schema."""

    def step(talk: Talk) -> bool:
        assert talk.asked.path == "/v1/chat/completions"
        body = talk.asked.json
        form = body["response_format"]
        assert form["type"] == "json_schema"
        assert form["json_schema"]["strict"] is True
        content = json.dumps(chat_answers(form["json_schema"]["schema"]))
        usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
        return reply({**completion(content), "model": "chat-1", "usage": usage, **extra})(talk)

    return step
