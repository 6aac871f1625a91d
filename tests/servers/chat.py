"""A chat server that answers as a test says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.servers.scripted import Step, reply

__all__ = ["completion", "says", "speaks"]


def completion(content: Any, finish: str = "stop") -> dict[str, Any]:
    """The body of a chat completion."""
    return {"choices": [{"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": finish}]}


def says(content: Any, finish: str = "stop") -> Step:
    """One answer."""
    return reply(completion(content, finish))


def speaks(answer: Callable[[str], Any]) -> Step:
    """An answer made from the last message of the conversation."""

    def step(talk: Any) -> bool:
        return reply(completion(answer(talk.asked.json["messages"][-1]["content"])))(talk)

    return step
