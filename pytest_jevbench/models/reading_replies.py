"""From the bytes of a response to a reply, or to what is wrong with it."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from pytest_jevbench.json_text import JsonProblem, loads, printable, shown
from pytest_jevbench.models.protocol import Reply, Usage
from pytest_jevbench.models.redaction import Redactor

__all__ = [
    "WORDS_LIMIT",
    "Received",
    "Trouble",
    "decoded",
    "model_names",
    "read_response",
    "reply_from_json",
    "server_words",
]

WORDS_LIMIT = 300
"""Characters of a server's own words that are shown."""

_WHOLE = 20_000
"""Characters of a value that are looked at for secrets before it is cut to be shown."""

Kind: TypeAlias = Literal["again", "absent", "refused", "format"]


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


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why an attempt gave no reply.

    ``kind``: ``again`` may pass if tried again, ``absent`` nothing is there that could answer, ``refused`` the server
    said no for good, ``format`` it answered something that is no System One response. ``wait`` is the number of
    seconds the server asked for; ``connected`` is False where nothing even took the connection.
    """

    kind: Kind
    message: str
    status: int | None = None
    body: str = ""
    wait: float | None = None
    connected: bool = True


def read_response(received: Received, redact: Redactor, attempt: int = 1) -> Reply | Trouble:
    """The reply in a response, or the trouble with it, by the failure table of the wire format.

    The wait that the server asks for is not read here.
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
        return _no_json(text, problem, redact)
    return reply_from_json(value, redact, attempt, received.seconds)


def reply_from_json(value: Any, redact: Redactor, attempts: int = 1, seconds: float = 0.0) -> Reply | Trouble:
    """The reply in a decoded System One response."""
    fields = value if isinstance(value, Mapping) else {}
    answers = fields.get("answers")
    error = fields.get("error")
    if error and not (isinstance(answers, Mapping) and answers):
        words = _cut(redact(_error_words(value) or shown(error, _WHOLE)))
        return Trouble("again", f"the server answered 200 with an error: {words}", 200, words)
    if not isinstance(answers, Mapping):
        found = _cut(redact(shown(value, _WHOLE)))
        what = 'whose "answers" is no object' if "answers" in fields else 'without an "answers" object'
        return Trouble("format", f"the answer is JSON {what}: {found}", 200, found)
    return Reply(answers, _model(fields.get("model")), _usage(fields.get("usage")), attempts, seconds)


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


def _no_json(text: str, problem: str, redact: Redactor) -> Trouble:
    words = _cut(redact(_plain(text)))
    if not text.strip():
        return Trouble("again", "the server answered 200 with an empty body", 200)
    if _is_html(text):
        return Trouble("again", f"the server answered 200 with an HTML page: {words}", 200, words)
    return Trouble("again", f"the server answered 200 with something that is {problem}: {words}", 200, words)


def server_words(text: str, value: Any, redact: Redactor) -> str:
    """What a server says about an error: the message in its body, else the body, cut to 300 characters, no secrets."""
    return _cut(redact(_error_words(value) or _plain(text)))


def _error_words(value: Any) -> str:
    """The message in an error body of any of the known shapes; empty where there is none."""
    if not isinstance(value, Mapping):
        return ""
    for name in ("detail", "error", "message", "errors"):
        words = _message(value.get(name))
        if words:
            return words
    return ""


def _message(value: Any) -> str:
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, list):
        return "; ".join(filter(None, map(_message, value)))
    if not isinstance(value, Mapping):
        return ""
    words = next((w for n in ("message", "msg", "detail", "error") if (w := _message(value.get(n)))), "")
    place = value.get("loc", value.get("field", value.get("param")))
    if isinstance(place, list):
        place = ".".join(str(part) for part in place)
    return f"{place}: {words}" if words and isinstance(place, str) and place else words


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


def _model(value: Any) -> str | None:
    return printable(value) if isinstance(value, str) and value else None


def _usage(value: Any) -> Usage:
    fields = value if isinstance(value, Mapping) else {}
    return Usage(_count(fields.get("input_tokens")), _count(fields.get("output_tokens")))


def _count(value: Any) -> int | None:
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not whole or not 0 <= value < 2**53:
        return None
    return int(value)


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
