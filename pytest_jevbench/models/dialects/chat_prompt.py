"""What a chat model is told and asked, and the JSON Schema its answer must fit.

The user message is the body of the request as System One has it, byte for byte, so that order, ids and texts reach the
model as the relations made them.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from pytest_jevbench.questions import Noul, Question, Request, answer_ids

__all__ = ["SYSTEM", "messages", "prompt_digest", "response_format"]

SYSTEM = """\
You make decisions. The user message is one JSON object with a state and with questions about it, each under its id. \
Answer every question from the state alone, and say how probable each possible answer is.

Reply with one JSON object and nothing else: {"answers": {question id: answer, ...}}, one answer for each question, \
under exactly its id. What an answer looks like depends on the question's type:
- "noul" is a yes/no question. Its answer is {"noul": p}, where p is the probability of yes.
- "choice" asks for one of the options in its criteria, each given as id and description. Its answer is \
{"probabilities": {option id: p, ...}} with every option id. The probabilities sum to 1.
- "score" asks for one level of a scale. Its criteria describe the levels, the lowest first; they are numbered from 0. \
Its answer is {"probabilities": {"0": p, "1": p, ...}} with every level. The probabilities sum to 1.

A probability is a number from 0 to 1, such as 0.27. State what you believe and do not round to 0 or 1."""


def prompt_digest(system: str) -> str:
    """Tells wordings of the prompt apart: answers to one say nothing of another."""
    return sha256(system.encode()).hexdigest()[:12]


def messages(request: Request, system: str = SYSTEM) -> list[dict[str, str]]:
    """The conversation that asks a batch."""
    return [{"role": "system", "content": system}, {"role": "user", "content": request.body_text()}]


def response_format(request: Request) -> dict[str, Any]:
    """The strict JSON Schema of the answers, questions and options in their order."""
    answers = _object({key: _answer(question) for key, question in request.questions.items()})
    schema = _object({"answers": answers})
    return {"type": "json_schema", "json_schema": {"name": "decisions", "strict": True, "schema": schema}}


def _answer(question: Question) -> dict[str, Any]:
    if isinstance(question, Noul):
        return _object({"noul": {"type": "number"}})
    options = {answer: {"type": "number"} for answer in answer_ids(question)}
    return _object({"probabilities": _object(options)})


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}
