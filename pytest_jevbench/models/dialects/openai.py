"""Chat models behind an OpenAI-compatible endpoint, which write their probabilities as text under a strict JSON Schema.

One request asks a whole batch. Such probabilities are *verbalised*: the model says a number, and nothing ties it to how
probable its answers are. They are marked so wherever a score of them stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_jevbench.json_text import DuplicateKeys, JsonProblem, dumps, loads, shown
from pytest_jevbench.models.chat_text import Unusable, without_reasoning
from pytest_jevbench.models.dialect_names import CHAT
from pytest_jevbench.models.dialects.base import (
    VERBALISED,
    WHOLE,
    Dialect,
    Response,
    Route,
    by_key,
    error_in_200,
    model_of,
    usage_of,
)
from pytest_jevbench.models.dialects.chat_options import effective, longest_output, recorded
from pytest_jevbench.models.dialects.chat_prompt import SYSTEM, messages, prompt_digest, response_format
from pytest_jevbench.models.troubles import Trouble
from pytest_jevbench.questions import Request

__all__ = ["openai", "read_chat"]

ROUTE = Route("/chat/completions", ("/chat/completions",))


def openai(options: Mapping[str, Any] | None = None, *, system: str = SYSTEM) -> Dialect:
    """The dialect with further fields for each request; see :mod:`~pytest_jevbench.models.dialects.chat_options`.

    ``system`` is the first message of the conversation, which tells the model what to do and in what form. Another
    wording makes another model: its answers are kept apart.
    """
    given = dict(options or {})
    fields = effective(given)

    def write(request: Request, model: str) -> str:
        body: dict[str, Any] = {"model": model, "messages": messages(request, system)}
        if "response_format" not in given:
            body["response_format"] = response_format(request)
        return dumps({**body, **fields}, compact=True)

    return Dialect(
        name=CHAT,
        route=ROUTE,
        write=write,
        read=read_chat,
        probs_source=VERBALISED,
        details={"probs_source": VERBALISED, "request_options": recorded(given), "prompt": prompt_digest(system)},
        longest_output=longest_output(given),
    )


def read_chat(value: Any, request: Request) -> Response | Trouble:
    """The answers in a chat completion.

    The content must hold one JSON object; a code fence, marked reasoning and plain words around it are left out.
    Whatever leaves open what the model meant is refused: an object that is cut, several of them, no content.
    """
    content = _content(value)
    if isinstance(content, Trouble):
        return content
    found = _object(content)
    if isinstance(found, Trouble):
        return found
    answers = found.get("answers")
    if isinstance(found, DuplicateKeys):
        return _unreadable(f"key {shown(found.repeated[0])} stands twice in the model's object", content)
    if not isinstance(answers, Mapping):
        return _unreadable('the model\'s object has no "answers" object', content)
    typed = {key: _typed(answer, key, request) for key, answer in by_key(answers).items()}
    return Response(typed, model_of(value), usage_of(value.get("usage"), "prompt_tokens", "completion_tokens"))


def _content(value: Any) -> str | Trouble:
    """The text of a completion, or why there is none to be read."""
    choices = value.get("choices") if isinstance(value, Mapping) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, Mapping) else None
    error = error_in_200(value) if choice is None else error_in_200(choice)
    if error is not None:
        return error
    if not isinstance(choice, Mapping) or not isinstance(message, Mapping):
        what = 'whose "choices" are empty' if choices == [] else "without a choice that has a message"
        return _unreadable(f"the answer is JSON {what}", value)
    text, refusal = _texts(message)
    finish = choice.get("finish_reason")
    if refusal:
        return Trouble("refused", "the model refused to answer", 200, refusal)
    if finish == "content_filter":
        return Trouble("refused", "a content filter stopped the answer", 200, text or "")
    if finish == "length":
        return _unreadable(
            "the answer was cut at the limit of tokens (finish_reason length); a larger max_completion_tokens or "
            "max_tokens among the request options may help",
            text,
        )
    if text is None or not text.strip():
        if message.get("tool_calls") or message.get("function_call"):
            return _unreadable("the model called a tool instead of answering", message)
        return _unreadable("the answer has no content", message)
    return text


def _texts(message: Mapping[str, Any]) -> tuple[str | None, str]:
    """Content and refusal of a message; a content in parts is put together."""
    content, refusal = message.get("content"), message.get("refusal")
    said = refusal if isinstance(refusal, str) else ""
    if isinstance(content, list):
        parts = [part for part in content if isinstance(part, Mapping)]
        said = said or "".join(str(part["refusal"]) for part in parts if part.get("refusal"))
        content = "".join(part["text"] for part in parts if isinstance(part.get("text"), str))
    return (content if isinstance(content, str) else None), said


def _object(content: str) -> Mapping[str, Any] | Trouble:
    """The one object in a content. Braces outside it would leave open which object is meant."""
    try:
        text = without_reasoning(content)
    except Unusable as problem:
        return _unreadable(str(problem), content)
    start, end = text.find("{"), text.rfind("}")
    if start < 0:
        return _unreadable("there is no JSON object in the answer", content)
    try:
        value = loads(text[start : end + 1], mark_duplicates=True, allow_constants=True)
    except JsonProblem as problem:
        return _unreadable(f"the answer does not hold exactly one whole JSON object ({problem})", content)
    assert isinstance(value, Mapping)
    return value


def _typed(answer: Any, key: str, request: Request) -> Any:
    """An answer with the type of its question, which a chat model is not asked for."""
    question = request.questions.get(key)
    if question is None or not isinstance(answer, Mapping) or isinstance(answer, DuplicateKeys) or "type" in answer:
        return answer
    return {"type": question.type, **answer}


def _unreadable(message: str, found: Any) -> Trouble:
    return Trouble("format", message, 200, found if isinstance(found, str) else shown(found, WHOLE))
