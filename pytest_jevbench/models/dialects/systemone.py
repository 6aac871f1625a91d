"""System One: the form that most decision models are served in."""

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
    model_of,
    usage_of,
)
from pytest_jevbench.models.troubles import Trouble
from pytest_jevbench.questions import Request

__all__ = ["SYSTEMONE", "read_systemone", "write_systemone"]


def write_systemone(request: Request, model: str) -> str:
    """``{"model", "state", "questions"}`` and no other field: some servers refuse any."""
    return f'{{"model":{dumps(model)},{request.body_text()[1:]}'


def read_systemone(value: Any, request: Request | None = None) -> Response | Trouble:
    """``{"answers": {key: answer}, "model"?, "usage"?}``."""
    fields = value if isinstance(value, Mapping) else {}
    answers = fields.get("answers")
    if isinstance(answers, Mapping) and (answers or not fields.get("error")):
        return Response(by_key(answers), model_of(fields), usage_of(fields.get("usage")))
    trouble = error_in_200(value)
    if trouble is not None:
        return trouble
    what = 'whose "answers" is no object' if "answers" in fields else 'without an "answers" object'
    return Trouble("format", f"the answer is JSON {what}", 200, shown(value, WHOLE))


SYSTEMONE = Dialect("systemone", Route("/systemone", ("/systemone", "/decisions")), write_systemone, read_systemone)
