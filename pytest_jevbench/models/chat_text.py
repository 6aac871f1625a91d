"""The text that a chat model means, out of what it sends: without its reasoning."""

from __future__ import annotations

import re

__all__ = ["Unusable", "without_reasoning"]

REASONING = re.compile(r"<(think|thinking|reasoning|analysis)>.*?</\1>", re.DOTALL | re.IGNORECASE)
REASONING_END = re.compile(r"\A.*</(?:think|thinking|reasoning|analysis)>", re.DOTALL | re.IGNORECASE)
REASONING_START = re.compile(r"<(?:think|thinking|reasoning|analysis)>", re.IGNORECASE)
CHANNEL = re.compile(r"\A.*<\|channel\|>\s*final\s*<\|message\|>", re.DOTALL)
TOKEN = re.compile(r"<\|[a-z_]+\|>")


class Unusable(ValueError):
    """An answer that holds nothing usable; the message says why."""


def without_reasoning(content: str | None) -> str:
    """The text without marked reasoning and control tokens. Raises :class:`Unusable` where nothing follows it."""
    if content is None:
        raise Unusable("the answer has no content")
    text = REASONING.sub("", content)
    text = REASONING_END.sub("", text)
    if REASONING_START.search(text):
        raise Unusable("the answer ends within its reasoning")
    return TOKEN.sub("", CHANNEL.sub("", text)).strip()
