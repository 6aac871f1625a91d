"""From what a chat model sends to the document or the object that was asked for.

Models wrap their answers: in code fences, in a sentence before them, in reasoning; and they stop in the
middle. What cannot be unwrapped is refused with a reason.
"""

from __future__ import annotations

import re
from json import JSONDecodeError, JSONDecoder
from typing import Any

from pytest_jevbench.json_text import JsonProblem, loads, shown
from pytest_jevbench.models.chat_text import Unusable, without_reasoning

__all__ = ["Unusable", "document", "json_object"]

FENCE = re.compile(r"^```[^\n`]*\n(.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)
PREFACE = re.compile(r"\A(?:sure|certainly|of course|okay|ok|here)\b[^\n]*:\s*\n", re.IGNORECASE)


def document(content: str | None) -> str:
    """The document in an answer: without reasoning, fence and preface. Raises :class:`Unusable`."""
    text = without_reasoning(content)
    fences = FENCE.findall(text)
    if len(fences) == 1 and not FENCE.sub("", PREFACE.sub("", text)).strip():
        text = fences[0]
    elif text.startswith("```"):
        raise Unusable("several code fences" if fences else "the code fence is not closed: the answer was cut")
    text = PREFACE.sub("", text).strip()
    if not text:
        raise Unusable("the answer is empty")
    return text


def json_object(content: str | None) -> dict[str, Any]:
    """The JSON object in an answer, whatever stands around it. Raises :class:`Unusable`."""
    text = without_reasoning(content)
    best = ""
    decoder = JSONDecoder()
    at = text.find("{")
    while at >= 0:
        try:
            _, end = decoder.raw_decode(text, at)
        except (JSONDecodeError, RecursionError):
            at = text.find("{", at + 1)
            continue
        if end - at > len(best):
            best = text[at:end]
        at = text.find("{", end)
    if not best:
        cut = "the JSON object is cut or malformed" if "{" in text else "there is no JSON object"
        raise Unusable(f"{cut}: {shown(text[-60:])}")
    # an inner object that is whole says nothing where the outer one is cut
    if text.count("{", 0, text.find(best)) > text.count("}", 0, text.find(best)):
        raise Unusable(f"the JSON object is cut or malformed: {shown(text[-60:])}")
    try:
        value = loads(best)
    except JsonProblem as problem:
        raise Unusable(str(problem)) from None
    assert isinstance(value, dict)
    return value
