"""The decisions form of OpenAI: an ``input``, a list of questions, probabilities as arrays, refusals a question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_jevbench.json_text import DuplicateKeys, dumps, shown
from pytest_jevbench.models.dialects.base import (
    WHOLE,
    Dialect,
    Response,
    Route,
    error_in_200,
    in_list,
    model_of,
    usage_of,
)
from pytest_jevbench.models.troubles import Trouble
from pytest_jevbench.questions import Choice, Noul, Question, Request

__all__ = ["OPENAI_DECISIONS", "read_openai_decisions", "write_openai_decisions"]


def write_openai_decisions(request: Request, model: str) -> str:
    """``{"model", "input": text, "questions": [{"type", "name", "instructions", "choices"? or "levels"?}, ...]}``.

    A state that is no text is sent as compact JSON.
    """
    state = request.state if isinstance(request.state, str) else dumps(request.state, compact=True)
    questions = [_question(key, question) for key, question in request.questions.items()]
    return dumps({"model": model, "input": state, "questions": questions}, compact=True)


def _question(key: str, question: Question) -> dict[str, Any]:
    common = {"name": key, "instructions": question.instructions}
    if isinstance(question, Noul):
        return {"type": "predicate", **common}
    if isinstance(question, Choice):
        choices = [{"value": option, "description": text} for option, text in question.options.items()]
        return {"type": "choice", **common, "choices": choices}
    return {"type": "score", **common, "levels": [{"label": text} for text in question.levels]}


def read_openai_decisions(value: Any, request: Request) -> Response | Trouble:
    """``{"answers": [{"type", "name", "probability" or "probabilities": [{"value", "probability"}, ...]}, ...]}``."""
    fields = value if isinstance(value, Mapping) else {}
    answers = fields.get("answers")
    if not isinstance(answers, list) or (not answers and fields.get("error")):
        what = 'whose "answers" is no list' if "answers" in fields else 'without an "answers" list'
        return error_in_200(value) or Trouble("format", f"the answer is JSON {what}", 200, shown(value, WHOLE))
    found = in_list(answers, request, "name")
    if isinstance(found, Trouble):
        return found
    return Response(
        {key: _answer(answer) for key, answer in found.items()}, model_of(fields), usage_of(fields.get("usage"))
    )


def _answer(answer: Any) -> Any:
    """An answer as System One has it; whatever is no such answer stays as it came."""
    if not isinstance(answer, Mapping) or isinstance(answer, DuplicateKeys):
        return answer
    kind = answer.get("type")
    rest = {name: value for name, value in answer.items() if name not in ("name", "probability", "probabilities")}
    if kind == "predicate":
        return {**rest, "type": "noul", **({"noul": answer["probability"]} if "probability" in answer else {})}
    if "probabilities" not in answer:
        return rest
    return {**rest, "probabilities": _by_value(answer["probabilities"])}


def _by_value(entries: Any) -> Any:
    """Probabilities by option or level; a list in which a value is missing or no text or level stays as it is."""
    if not isinstance(entries, list):
        return entries
    values: dict[str, Any] = {}
    twice: dict[str, None] = {}
    for entry in entries:
        value = entry.get("value") if isinstance(entry, Mapping) else None
        if isinstance(value, bool) or not isinstance(value, (str, int)):
            return entries
        if isinstance(entry, DuplicateKeys) or str(value) in values:
            twice[str(value)] = None
        values[str(value)] = entry.get("probability")
    if not twice:
        return values
    marked = DuplicateKeys(values)
    marked.repeated = tuple(twice)
    return marked


OPENAI_DECISIONS = Dialect(
    "openai-decisions", Route("/decisions", ("/decisions",)), write_openai_decisions, read_openai_decisions
)
