"""The chat model in its two roles: writer of a text, reader of a text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager

from pytest_jevbench.chat.client import ChatModel
from pytest_jevbench.errors import InputError
from pytest_jevbench.json_text import JSON

__all__ = ["ChatReader", "ChatWriter", "open_chats"]


class ChatWriter:
    """Writes: some freedom of expression, and it says whether the text was cut."""

    def __init__(self, chat: ChatModel, temperature: float = 0.8) -> None:
        self._chat = chat
        self._temperature = temperature
        self.model = chat.model

    def __call__(self, system: str, user: str) -> tuple[str | None, bool]:
        answer = self._chat.complete(_conversation(system, user), self._temperature)
        return answer.content, answer.cut


class ChatReader:
    """Reads: the same answer to the same text, as far as the server allows."""

    def __init__(self, chat: ChatModel) -> None:
        self._chat = chat
        self.model = chat.model

    def __call__(self, system: str, user: str) -> str | None:
        return self._chat.complete(_conversation(system, user)).content


def _conversation(system: str, user: str) -> tuple[dict[str, str], dict[str, str]]:
    return {"role": "system", "content": system}, {"role": "user", "content": user}


@contextmanager
def open_chats(
    url: str | None,
    model: str | None,
    *,
    count: int,
    timeout: float,
    api_key: str | None,
    extra: Mapping[str, JSON] | None = None,
    option: str = "--url",
) -> Iterator[list[ChatModel]]:
    """``count`` connections to a chat model. ``extra`` are further fields of its requests, ``option`` gave the URL.

    Raises :class:`InputError` where its URL or name is missing.
    """
    if not url or not model:
        missing = option if not url else "--model"
        raise InputError(f"{missing} is missing", advice="A chat model is asked by its URL and its name")
    if count < 1 or timeout <= 0:
        raise InputError("--jobs and --timeout must be positive")
    with ExitStack() as stack:
        yield [
            stack.enter_context(ChatModel(url, model, api_key=api_key, timeout=timeout, extra=extra, option=option))
            for _ in range(count)
        ]
