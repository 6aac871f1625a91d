"""From the bytes of a response to a reply, or to what is wrong with it."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pytest_jevbench.json_text import JsonProblem, loads, printable
from pytest_jevbench.models.dialects.base import Response
from pytest_jevbench.models.dialects.systemone import read_systemone
from pytest_jevbench.models.protocol import Reply
from pytest_jevbench.models.redaction import Redactor
from pytest_jevbench.models.troubles import Trouble, error_words

__all__ = [
    "WORDS_LIMIT",
    "Received",
    "Trouble",
    "decoded",
    "model_names",
    "read_response",
    "reply_from_json",
    "server_words",
    "text_of_body",
]

WORDS_LIMIT = 300
"""Characters of a server's own words that are shown."""


@dataclass(frozen=True, slots=True)
class Received:
    """One whole HTTP response; header names in small letters, the body as it came over the wire."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        return 200 <= self.status < 300


def read_response(
    received: Received,
    redact: Redactor,
    attempt: int = 1,
    read: Callable[[Any], Response | Trouble] = read_systemone,
) -> Reply | Trouble:
    """The reply in a response, or the trouble with it, by the failure table of the wire format.

    ``read`` takes the decoded body of a success. The wait that the server asks for is not read here.
    """
    try:
        body = redact.body(decoded(received.body, received.headers.get("content-encoding", "")))
        text = body.decode("utf-8-sig")
    except (zlib.error, UnicodeDecodeError, EOFError) as error:
        text = received.body.decode("utf-8", "replace")
        if received.ok:
            return Trouble("again", f"the body of the answer is damaged ({error})", received.status)
    value: Any = None
    problem = ""
    try:
        value = loads(text, mark_duplicates=True, allow_constants=True)
    except JsonProblem as error:
        problem = str(error)
    if not received.ok:
        return _not_ok(received, text, value, redact)
    if problem:
        return _no_json(received.status, text, problem, redact)
    return _reply(read(value), redact, attempt, received.seconds)


def reply_from_json(value: Any, redact: Redactor, attempts: int = 1, seconds: float = 0.0) -> Reply | Trouble:
    """The reply in a decoded System One response."""
    return _reply(read_systemone(value), redact, attempts, seconds)


def _reply(found: Response | Trouble, redact: Redactor, attempts: int, seconds: float) -> Reply | Trouble:
    if isinstance(found, Response):
        model = None if found.model is None else printable(found.model)
        return Reply(found.answers, model, found.usage, attempts, seconds)
    words = _cut(redact(found.body))
    return replace(found, message=f"{found.message}: {words}" if words else found.message, body=words)


def decoded(body: bytes, encoding: str) -> bytes:
    """A body without its content encoding.

    A body that is not compressed although its header says so, as recordings have it, is taken as it is. Raises
    ``zlib.error`` or ``EOFError`` where the compressed data are damaged or cut.
    """
    for name in reversed([part.strip().lower() for part in encoding.split(",")]):
        if name in ("gzip", "x-gzip") and body[:2] == b"\x1f\x8b":
            body = _inflated(body, 16 + zlib.MAX_WBITS)
        elif name == "deflate" and body[:1] not in (b"{", b"[", b""):
            try:
                body = _inflated(body, zlib.MAX_WBITS)
            except zlib.error:
                body = _inflated(body, -zlib.MAX_WBITS)
    return body


def text_of_body(received: Received, redact: Redactor) -> str:
    """What a body says as text, without secrets, as far as it can be read."""
    try:
        body = decoded(received.body, received.headers.get("content-encoding", ""))
    except (zlib.error, EOFError):
        body = received.body
    return redact.body(body).decode("utf-8", "replace")


def _inflated(body: bytes, window: int) -> bytes:
    whole = b""
    while body:  # a gzip stream may have several members
        machine = zlib.decompressobj(window)
        whole += machine.decompress(body)
        if not machine.eof:
            raise EOFError("the compressed data end too early")
        body = machine.unused_data.lstrip(b"\0")
    return whole


def _not_ok(received: Received, text: str, value: Any, redact: Redactor) -> Trouble:
    status = received.status
    words = server_words(text, value, redact)
    message = f"HTTP {status}: {words}" if words else f"HTTP {status} with an empty body"
    if status in (408, 429) or status >= 500:
        return Trouble("again", message, status, words)
    if 300 <= status < 400:
        target = redact(printable(received.headers.get("location", "an address it does not name")))
        message = f"HTTP {status}: the server redirects to {target}; give the URL that answers itself"
    return Trouble("refused", message, status, words)


def _no_json(status: int, text: str, problem: str, redact: Redactor) -> Trouble:
    words = _cut(redact(_plain(text)))
    if not text.strip():
        return Trouble("again", f"the server answered {status} with an empty body", status)
    if _is_html(text):
        return Trouble("again", f"the server answered {status} with an HTML page: {words}", status, words)
    return Trouble("again", f"the server answered {status} with something that is {problem}: {words}", status, words)


def server_words(text: str, value: Any, redact: Redactor) -> str:
    """What a server says about an error: the message in its body, else the body, cut to 300 characters, no secrets."""
    return _cut(redact(error_words(value) or _plain(text)))


def _is_html(text: str) -> bool:
    start = text.lstrip("\ufeff \t\r\n")[:200].lower()
    return start.startswith(("<!doctype", "<html", "<head", "<body", "<?xml", "<!--"))


def _plain(text: str) -> str:
    """A body as one line of text, tags of a page left out."""
    if _is_html(text):
        text = re.sub(r"(?is)<(script|style)\b.*?</\1\s*>|<!--.*?-->|<[^>]*>", " ", text[:100_000])
    return " ".join(text.split())


def _cut(text: str) -> str:
    text = printable(text)
    return text if len(text) <= WORDS_LIMIT else text[:WORDS_LIMIT] + "…"


def model_names(received: Received) -> tuple[str, ...]:
    """The names in the body of ``GET /v1/models``, in either known shape; none in any other body."""
    if not received.ok:
        return ()
    try:
        value = loads(decoded(received.body, received.headers.get("content-encoding", "")).decode("utf-8-sig"))
    except (JsonProblem, zlib.error, EOFError, UnicodeDecodeError):
        return ()
    if not isinstance(value, dict):
        return ()
    for field, key in (("models", "name"), ("data", "id")):
        entries = value.get(field)
        if isinstance(entries, list):
            names = [entry.get(key) for entry in entries if isinstance(entry, dict)]
            return tuple(dict.fromkeys(name for name in names if isinstance(name, str) and name))
    return ()
