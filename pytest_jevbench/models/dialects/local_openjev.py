"""An OpenJev-like model that runs in this process, with the runtime that a user has.

Two kinds of runtime are taken. One has a method ``predict(state=, questions=)`` and is given the typed question (the
model that ``wev.load()`` returns has it). Any other is a form: a function, or an object with a method ``decide``, that
is called with ``state``, ``instructions``, ``type`` and ``options``. A form's options are bare names, so what describes
them is appended to the instructions. Either returns an answer as System One has it, and may say ``"truncated": true``
where it cut the state.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import JSON, shown
from pytest_jevbench.models.dialects.base import Called, Dialect, InProcess, Route
from pytest_jevbench.models.dialects.rubric import with_rubric
from pytest_jevbench.questions import Noul, Question, answer_ids

__all__ = ["LOCAL_OPENJEV", "local_openjev"]

LOCAL_OPENJEV = "local_openjev"
_KEY = "q"


def local_openjev(options: Mapping[str, Any] | None = None) -> Dialect:
    """The dialect; it has no options. Raises :class:`InputError` for some."""
    if options:
        raise InputError(
            f"found {shown(sorted(options))}, and the dialect {LOCAL_OPENJEV} has no further fields",
            place=Place(field="request options"),
            advice="Set the runtime up in the module that makes it",
        )
    return Dialect(
        name=LOCAL_OPENJEV,
        route=Route("", (), version=""),
        write=lambda request, _: request.body_text(),
        read=lambda value, _: value,
        in_process=InProcess(_call, _read),
    )


def _call(runtime: Any, state: JSON, question: Question) -> Called:
    predict = getattr(runtime, "predict", None)
    if callable(predict):
        sent: dict[str, JSON] = {"state": state, "questions": {_KEY: question.to_json()}}
        whole = predict(**sent)
        answers = whole.get("answers") if isinstance(whole, Mapping) else None
        if not isinstance(answers, Mapping) or _KEY not in answers:
            return Called(sent, whole)
        beside = {name: whole[name] for name in ("truncated",) if name in whole}
        return Called(sent, {**answers[_KEY], **beside} if isinstance(answers[_KEY], Mapping) else answers[_KEY])
    sent = {
        "state": state,
        "instructions": with_rubric(question),
        "type": question.type,
        "options": [] if isinstance(question, Noul) else list(answer_ids(question)),
    }
    decide = getattr(runtime, "decide", runtime)
    return Called(sent, decide(**sent))


def _read(received: Any, question: Question) -> Any:
    if isinstance(received, (int, float)) and isinstance(question, Noul):
        received = {"noul": received}
    if not isinstance(received, Mapping):
        return received
    probabilities = received.get("probabilities")
    ids = answer_ids(question)
    if isinstance(probabilities, (list, tuple)) and len(probabilities) == len(ids) and not isinstance(question, Noul):
        received = {**received, "probabilities": dict(zip(ids, probabilities, strict=True))}
    return received if "type" in received else {"type": question.type, **received}
