"""A chat model that counts common words: a stand-in for pages that show a chat model."""

from __future__ import annotations

import json
import re
from typing import Any

from tests.datagen.domains import text_of
from tests.servers.chat import completion
from tests.servers.scripted import Step, Talk, reply

__all__ = ["NAME", "chat_model"]

NAME = "qwen3-4b"


def _words(text: Any) -> set[str]:
    return set(re.findall(r"\w+", json.dumps(text).lower()))


def _answers(request: dict[str, Any]) -> dict[str, Any]:
    state = _words(request["state"])

    def shares(texts: dict[str, str]) -> dict[str, float]:
        weights = {id_: 1 + len(state & _words([id_, text])) for id_, text in texts.items()}
        return {id_: round(weight / sum(weights.values()), 2) for id_, weight in weights.items()}

    answers: dict[str, Any] = {}
    for key, question in request["questions"].items():
        if question["type"] == "noul":
            found = _words(question["instructions"]) & state
            answers[key] = {"noul": round(min(0.9, 0.1 + 0.1 * len(found)), 2)}
            continue
        criteria = question["criteria"]
        texts = criteria if question["type"] == "choice" else {str(level): text for level, text in enumerate(criteria)}
        answers[key] = {"probabilities": shares(texts)}
    return answers


def chat_model() -> Step:
    """``POST /v1/chat/completions``. A request of System One gets probabilities of two digits, a brief gets a
    text that fits."""

    def step(talk: Talk) -> bool:
        if talk.asked.path != "/v1/chat/completions":
            return reply({"error": {"message": f"there is no {talk.asked.path}"}}, 404)(talk)
        asked = talk.asked.json["messages"][-1]["content"]
        content = json.dumps({"answers": _answers(json.loads(asked))}) if asked.startswith("{") else text_of(asked)
        return reply({**completion(content), "model": NAME})(talk)

    return step
