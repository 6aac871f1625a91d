"""The list form: ``POST /decide`` with the questions as a list, one answer a question."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_jevbench.json_text import dumps, shown
from pytest_jevbench.models.dialects.base import (
    WHOLE,
    Dialect,
    Response,
    Route,
    by_key,
    error_in_200,
    in_list,
    model_of,
    usage_of,
)
from pytest_jevbench.models.troubles import Trouble
from pytest_jevbench.questions import Request

__all__ = ["LIST", "read_list", "write_list"]


def write_list(request: Request, model: str) -> str:
    """``{"model", "state", "questions": [{"id", "type", "instructions", "criteria"?}, ...]}``."""
    questions = [{"id": key, **question.to_json()} for key, question in request.questions.items()]
    return dumps({"model": model, "state": request.state, "questions": questions}, compact=True)


def read_list(value: Any, request: Request) -> Response | Trouble:
    """``{"answers": [{"id", ...}, ...]}``, or the list alone; answers without ids are those of the questions in order.

    An answer has the fields of System One. An object of answers by id is taken too.
    """
    fields: Mapping[str, Any] = value if isinstance(value, Mapping) else {"answers": value}
    answers = fields.get("answers")
    found: Mapping[str, Any] | Trouble
    if isinstance(answers, list) and (answers or not fields.get("error")):
        found = in_list(answers, request, "id")
    elif isinstance(answers, Mapping) and answers:
        found = by_key(answers)
    else:
        what = 'whose "answers" is no list' if "answers" in fields else 'without an "answers" list'
        found = error_in_200(value) or Trouble("format", f"the answer is JSON {what}", 200, shown(value, WHOLE))
    if isinstance(found, Trouble):
        return found
    return Response(found, model_of(fields), usage_of(fields.get("usage")))


LIST = Dialect("list", Route("/decide", ("/decide",), version=""), write_list, read_list)
