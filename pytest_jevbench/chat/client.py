"""A chat model behind an OpenAI-compatible endpoint.

Importing this module imports the HTTP library; import it where a model is asked, never earlier.
"""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from typing import Any

from pytest_jevbench.errors import InputError, Place, Refused, Unreachable
from pytest_jevbench.json_text import JSON, JsonProblem, dumps, loads, shown
from pytest_jevbench.models.http import Connection
from pytest_jevbench.models.protocol import Reply
from pytest_jevbench.models.proxies import proxy_for
from pytest_jevbench.models.reading_replies import Received, Trouble, decoded, read_response
from pytest_jevbench.models.redaction import LogFilter, Redactor
from pytest_jevbench.models.retry_after import asked_wait
from pytest_jevbench.models.retrying import Retrier, RetryPolicy
from pytest_jevbench.models.urls import endpoint

__all__ = ["ChatAnswer", "ChatModel", "Message"]

Message = Mapping[str, str]
"""``{"role": "system" | "user" | "assistant", "content": text}``."""

COMPLETIONS = "/chat/completions"


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """What a chat model said. ``content`` is None where it said nothing; ``cut`` where it ran out of room.

    ``tokens_in`` and ``tokens_out`` are what the server says that it read and wrote, None where it does not say.
    """

    content: str | None
    cut: bool = False
    tokens_in: int | None = None
    tokens_out: int | None = None


class ChatModel:
    """One connection to a chat model, used by one thread at a time.

    ``url`` is the server's root, its ``/v1`` or the full path. ``timeout`` bounds one attempt, in seconds;
    ``retries`` are the attempts after the first. ``extra`` are fields of every request beside the conversation; None
    takes a field out (``{"temperature": None}``). ``option`` is what the user called the URL. ``sleep`` is injected.
    Raises :class:`InputError` for a URL that cannot be used.
    """

    def __init__(
        self,
        url: str,
        model: str,
        *,
        api_key: str | None = None,
        timeout: float = 300.0,
        retries: int = 4,
        extra: Mapping[str, JSON] | None = None,
        option: str = "--url",
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        # the System One endpoint is taken apart by the same rules; only the end of the path differs
        root = re.sub(rf"{COMPLETIONS}/?(?=\?|$)", "/systemone", url.strip())
        parts = endpoint(root, Place(field=option))
        self.model = model
        self.option = option
        self._extra = dict(extra or {})
        self.address = _completions(parts.address)
        self._url = _completions(parts.ask)
        key = (api_key or "").strip()
        if not all("!" <= character <= "~" for character in key):
            raise InputError("the API key has a character that no HTTP header can carry", advice="Copy it again")
        proxy = proxy_for(parts, os.environ)
        hidden = (*parts.secrets, *(proxy.secrets if proxy else ()), *([key] if key else []))
        self._redact = Redactor(hidden)
        authorization = f"Bearer {key}" if key else parts.authorization
        self._connection = Connection(authorization, proxy, timeout, parts.scheme == "https")
        self._log_filter = LogFilter(self._redact)
        self._log_filter.install()
        policy = RetryPolicy(retries=retries, total=timeout * (retries + 1))
        self._retrier = Retrier(policy, sleep, lambda line: None)

    def __enter__(self) -> ChatModel:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give back the connection."""
        self._connection.close()
        self._log_filter.remove()

    def complete(self, messages: Sequence[Message], temperature: float = 0.0) -> ChatAnswer:
        """The model's answer to a conversation. Raises :class:`Refused` or :class:`Unreachable`."""
        body: dict[str, JSON] = {"model": self.model, "messages": [dict(m) for m in messages]}
        body |= {"temperature": temperature, **self._extra}
        sent = dumps({name: value for name, value in body.items() if value is not None}, compact=True).encode()
        answers: list[ChatAnswer] = []

        def attempt(_: int) -> Reply | Trouble:
            received = self._connection.send("POST", self._url, sent)
            if isinstance(received, Trouble):
                return replace(received, message=self._redact(received.message))
            outcome = self._read(received)
            if isinstance(outcome, Trouble):
                return replace(outcome, wait=asked_wait(received.headers, datetime.now(timezone.utc)))
            answers.append(outcome)
            return Reply({})

        done = self._retrier.run(attempt)
        trouble = done.outcome
        if not isinstance(trouble, Trouble):
            return answers[-1]
        if trouble.kind == "refused":
            raise Refused(f"{self.address}: {trouble.message}", status=trouble.status, attempts=done.attempts)
        raise Unreachable(
            f"{self.address}: no usable answer after {done.attempts} attempts; the last: {trouble.message}",
            status=trouble.status,
            attempts=done.attempts,
        )

    def _read(self, received: Received) -> ChatAnswer | Trouble:
        if not received.ok:
            outcome = read_response(received, self._redact)
            return outcome if isinstance(outcome, Trouble) else Trouble("again", f"HTTP {received.status}")
        try:
            value = loads(decoded(received.body, received.headers.get("content-encoding", "")).decode("utf-8-sig"))
        except (JsonProblem, ValueError, EOFError, OSError) as error:
            return Trouble("again", f"the server answered 200 with something that is no JSON ({error})", 200)
        answer = _answer(value)
        if answer is None:
            words = self._redact(shown(value, 300))
            return Trouble("again", f"the server answered 200 without a choice: {words}", 200)
        return answer


def _completions(url: str) -> str:
    return re.sub(r"/(?:systemone|decisions)(?=\?|$)", COMPLETIONS, url)


def _answer(value: Any) -> ChatAnswer | None:
    choices = value.get("choices") if isinstance(value, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        return None
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    text = content if isinstance(content, str) else None
    return ChatAnswer(text, choice.get("finish_reason") == "length", *_tokens(value.get("usage")))


def _tokens(usage: Any) -> tuple[int | None, int | None]:
    counts = [usage.get(name) if isinstance(usage, dict) else None for name in ("prompt_tokens", "completion_tokens")]
    read, written = (count if type(count) is int and count >= 0 else None for count in counts)
    return read, written
