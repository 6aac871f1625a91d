"""A chat model as writer or judge, with what it was asked and what that took."""

from __future__ import annotations

from dataclasses import dataclass, field
from threading import Lock
from typing import Protocol

from pytest_jevbench.chat.client import ChatAnswer, ChatModel
from pytest_jevbench.errors import ModelError

__all__ = ["Asker", "ChatAsker", "Failed", "Meter"]


class Asker(Protocol):
    """Sends a system and a user message to a chat model. Raises :class:`Failed`."""

    model: str

    def __call__(self, system: str, user: str) -> ChatAnswer: ...


class Failed(Exception):
    """A chat model gave no answer: the error, and which model it was."""

    def __init__(self, error: ModelError, asker: ChatAsker) -> None:
        super().__init__(str(error))
        self.error = error
        self.asker = asker


@dataclass
class Meter:
    """Requests answered and tokens used, counted from any thread; tokens are those that the server told of."""

    requests: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    untold: int = 0
    _lock: Lock = field(default_factory=Lock)

    def count(self, answer: ChatAnswer) -> None:
        """Count one answer."""
        with self._lock:
            self.requests += 1
            self.tokens_in += answer.tokens_in or 0
            self.tokens_out += answer.tokens_out or 0
            self.untold += answer.tokens_in is None or answer.tokens_out is None


class ChatAsker:
    """One connection in one role. ``variable`` is the environment variable that held its key."""

    def __init__(self, chat: ChatModel, meter: Meter, temperature: float, variable: str) -> None:
        self.model = chat.model
        self.option = chat.option
        self.variable = variable
        self._chat = chat
        self._meter = meter
        self._temperature = temperature

    def __call__(self, system: str, user: str) -> ChatAnswer:
        talk = ({"role": "system", "content": system}, {"role": "user", "content": user})
        try:
            answer = self._chat.complete(talk, self._temperature)
        except ModelError as error:
            raise Failed(error, self) from None
        self._meter.count(answer)
        return answer
