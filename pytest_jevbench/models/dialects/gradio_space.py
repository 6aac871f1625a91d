"""A demo form served by Gradio, such as a Hugging Face Space: one call of its API for each question.

The form's fields are text: the state, the type, the instructions, and the answers allowed with a delimiter between
them. Its options are bare names, so their descriptions are appended to the instructions. A label that the form would
cut or trim is refused, not rewritten.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_jevbench.errors import InputError, Place, Refused
from pytest_jevbench.json_text import DuplicateKeys, JsonProblem, dumps, loads, shown
from pytest_jevbench.models.dialects.base import WHOLE, Dialect, Response, Route
from pytest_jevbench.models.dialects.rubric import with_rubric
from pytest_jevbench.models.troubles import Trouble, error_words
from pytest_jevbench.questions import Noul, Question, Request, answer_ids

__all__ = ["GRADIO", "gradio_space", "read_streams", "stream_outcome"]

GRADIO = "gradio_space"

FIELDS = ("state", "type", "instructions", "options")
FORM: Mapping[str, Any] = {"api_name": "predict", "inputs": list(FIELDS), "delimiter": ",", "prefix": "/gradio_api"}
"""The form that is asked where nothing else is said."""

_RATE_LIMIT = re.compile(
    r"rate.?limit|too many requests|\bquota\b|\b429\b|try again (in|after|later)|queue is full", re.IGNORECASE
)


def gradio_space(options: Mapping[str, Any] | None = None) -> Dialect:
    """The dialect of a form. ``options`` are ``api_name``, the names of its ``inputs`` in order, its ``delimiter`` and
    the ``prefix`` of its API ("" for Gradio 4).

    Raises :class:`InputError` for a form that cannot be.
    """
    form = _checked({**FORM, **{name: value for name, value in (options or {}).items() if value is not None}})

    def write(request: Request, model: str) -> str:
        calls = [{"key": key, "data": _data(request, one, form)} for key, one in request.questions.items()]
        return dumps(calls, compact=True)

    tail = f"{form['prefix']}/call/{form['api_name']}"
    return Dialect(
        name=GRADIO,
        route=Route(tail, (tail,), version=""),
        write=write,
        read=read_streams,
        details={"form": dumps({name: form[name] for name in FORM}, compact=True)},
        wire=_wire,
    )


def _wire(connection: Any) -> Any:
    from pytest_jevbench.models.gradio_wire import GradioWire

    return GradioWire(connection)


def _checked(form: dict[str, Any]) -> dict[str, Any]:
    place = Place(field="request options")
    for name in form:
        if name not in FORM:
            raise InputError.unexpected(name, f"one of {', '.join(FORM)}", place)
    name, inputs, delimiter, prefix = (form[field] for field in FORM)
    if not isinstance(name, str) or not re.fullmatch(r"/?[\w.-]+", name):
        raise InputError.unexpected(name, "the name of an API endpoint of the app", place.at("api_name"))
    if not isinstance(inputs, list) or not {"state", "instructions"} <= set(map(str, inputs)) <= set(FIELDS):
        raise InputError.unexpected(
            inputs, f"the form's fields in order, out of {', '.join(FIELDS)}", place.at("inputs")
        )
    if not isinstance(delimiter, str) or not delimiter.strip():
        raise InputError.unexpected(delimiter, "the text between two options", place.at("delimiter"))
    if not isinstance(prefix, str) or not re.fullmatch(r"(/[\w.-]+)*", prefix):
        raise InputError.unexpected(prefix, 'a path such as "/gradio_api", or ""', place.at("prefix"))
    return {**form, "api_name": name.removeprefix("/")}


def _data(request: Request, question: Question, form: Mapping[str, Any]) -> list[str]:
    """The values of the form's fields, in their order. Raises :class:`Refused` for a label that would not arrive."""
    labels = () if isinstance(question, Noul) else answer_ids(question)
    delimiter = form["delimiter"]
    for label in labels:
        if delimiter.strip() in label or label != label.strip() or "\n" in label:
            raise Refused(
                f"not sent: the form takes its options as one text with {delimiter!r} between them, and the label "
                f"{shown(label)} would not arrive as it is",
                attempts=0,
            )
    state = request.state
    values = {
        "state": state if isinstance(state, str) else dumps(state, compact=True),
        "type": question.type,
        "instructions": with_rubric(question),
        "options": f"{delimiter.strip()} ".join(labels),
    }
    return [values[name] for name in form["inputs"]]


def read_streams(value: Any, request: Request) -> Response | Trouble:
    """The answers in the event streams of the calls."""
    streams = value.get("streams") if isinstance(value, Mapping) else None
    if not isinstance(streams, Mapping):
        return Trouble(
            "format", "the app started no call: there is no event_id in its answer", 200, shown(value, WHOLE)
        )
    answers: dict[str, Any] = {}
    for key, text in streams.items():
        outcome = stream_outcome(text)
        if isinstance(outcome, Trouble):
            return outcome
        answers[key] = _answer(outcome, request.questions[key])
    return Response(answers)


def stream_outcome(text: str) -> list[Any] | Trouble:
    """The outputs of a call, or what its event stream says instead."""
    for name, data in _events(text):
        try:
            value = loads(data, mark_duplicates=True, allow_constants=True)
        except JsonProblem as problem:
            return Trouble("format", f"the app's event {name} is {problem}", 200, data)
        if name == "complete":
            if isinstance(value, list) and value:
                return value
            return Trouble("format", "the app's call ended without an output", 200, data)
        if name == "error":
            words = value if isinstance(value, str) else error_words(value) or "it does not say why"
            limited = _RATE_LIMIT.search(words) is not None
            message = "the app limits its use" if limited else "the app's call failed"
            return Trouble("again", message, 429 if limited else 500, words)
    return Trouble("again", "the app's event stream ended without a result", 200, text)


def _events(text: str) -> Iterator[tuple[str, str]]:
    """The events of a stream, by name; those that say nothing of the outcome are left out."""
    for block in re.split(r"\r?\n\r?\n", text):
        lines = [line.partition(":") for line in block.splitlines()]
        name = next((value.strip() for field, _, value in lines if field == "event"), "")
        if name in ("complete", "error"):
            yield name, "\n".join(value.removeprefix(" ") for field, _, value in lines if field == "data")


def _answer(outputs: list[Any], question: Question) -> Any:
    """The first output as System One has it: an object of its fields, JSON text of one, or a Label of Gradio's."""
    output = outputs[0]
    if isinstance(output, str):
        try:
            output = loads(output, mark_duplicates=True, allow_constants=True)
        except JsonProblem:
            return outputs[0]
    if isinstance(output, float) and isinstance(question, Noul):
        return {"type": "noul", "noul": output}
    if not isinstance(output, Mapping) or isinstance(output, DuplicateKeys):
        return output
    if isinstance(output.get("confidences"), list):
        output = {"probabilities": _of_label(output["confidences"])}
    probabilities = output.get("probabilities")
    if isinstance(question, Noul) and "noul" not in output and isinstance(probabilities, Mapping):
        return _noul(probabilities) or output
    return output if "type" in output else {"type": question.type, **output}


def _of_label(confidences: list[Any]) -> Mapping[str, Any]:
    pairs = [(str(row.get("label")), row.get("confidence")) for row in confidences if isinstance(row, Mapping)]
    found = DuplicateKeys(pairs)
    names = [name for name, _ in pairs]
    found.repeated = tuple(dict.fromkeys(name for name in names if names.count(name) > 1))
    return found if found.repeated else dict(pairs)


def _noul(probabilities: Mapping[str, Any]) -> dict[str, Any] | None:
    """The answer to a yes/no question given as two probabilities; None where they are no two that go together."""
    for yes, no in (("yes", "no"), ("true", "false")):
        if set(probabilities) == {yes, no}:
            both = [probabilities[yes], probabilities[no]]
            if all(type(p) in (int, float) for p in both) and abs(sum(both) - 1.0) <= 2e-2:
                return {"type": "noul", "noul": both[0]}
    return None
