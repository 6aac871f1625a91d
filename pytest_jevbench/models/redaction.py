"""Keeping secrets out of everything that is shown or written.

A key can come back at us in many ways: in the URL a user typed, in a server's error text, in a log line of the HTTP
library, in the output of a server we started. All of them pass through a :class:`Redactor` first.
"""

from __future__ import annotations

import logging
import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from shlex import quote as quote_word
from urllib.parse import quote, quote_plus

__all__ = ["MASK", "LogFilter", "Redactor", "basic_credentials", "looks_like_a_key", "names_a_secret", "redact_command"]

MASK = "***"

_SHORTEST = 4
"""Shorter texts are no keys, and masking them would make messages unreadable."""

_SHORTEST_IN_ANSWERS = 8
"""In what a model answered a text must be longer than this to be masked: an option may be called ``test``."""

_SECRET_NAME = re.compile(
    r"(^|[-_.])(api[-_]?key|apikey|access[-_]?key|key|token|secret|sig|signature|pass|password|passwd|pwd|auth|"
    r"authorization|credentials?|code)$|(key|token|secret|password)$",
    re.IGNORECASE,
)
_PREFIXED_KEY = re.compile(r"\b(?:sk|pk|gsk|ghp|hf|xai)[-_](?=[A-Za-z_-]*\d)[A-Za-z0-9_-]{6,}")
_BEARER = re.compile(r"(?i)\b(bearer|basic)\s+(?=\S*[\d+/=])[\w.~+/=-]{8,}")
_LONG = re.compile(r"(?=.*[A-Za-z])(?=.*\d)[A-Za-z0-9_-]{32,}")


def names_a_secret(name: str) -> bool:
    """Whether a parameter or option of this name holds a secret: ``api_key``, ``--token``, ``sig``."""
    return _SECRET_NAME.search(name) is not None


def looks_like_a_key(text: str) -> bool:
    """Whether a text has the form of a key, whatever it is called."""
    return _PREFIXED_KEY.fullmatch(text) is not None or _LONG.fullmatch(text) is not None


def basic_credentials(user: str, password: str) -> str:
    """The value of the ``Authorization`` header for a user name and a password."""
    return "Basic " + b64encode(f"{user}:{password}".encode()).decode()


class Redactor:
    """Replaces known secrets, and what has the form of one, by ``***``.

    >>> Redactor(["sk-test-123"])("wrong key sk-test-123")
    'wrong key ***'
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        known = {form for secret in secrets for form in _forms(secret)}
        longest_first = sorted(known, key=lambda form: (-len(form), form))
        self._known = re.compile("|".join(map(re.escape, longest_first))) if longest_first else None
        self._in_answers = tuple(f.encode() for f in longest_first if len(f) >= _SHORTEST_IN_ANSWERS)

    def __call__(self, text: str) -> str:
        """The text without secrets."""
        if self._known is not None:
            text = self._known.sub(MASK, text)
        text = _BEARER.sub(lambda found: f"{found[1]} {MASK}", text)
        return _PREFIXED_KEY.sub(MASK, text)

    def body(self, body: bytes) -> bytes:
        """What a server sent, without the known secrets; nothing else in it is touched."""
        for secret in self._in_answers:
            if secret in body:
                body = body.replace(secret, MASK.encode())
        return body

    def __repr__(self) -> str:
        return "Redactor()"


def _forms(secret: str) -> set[str]:
    """The ways a secret may be written in a URL, in JSON, in a header."""
    if len(secret) < _SHORTEST:
        return set()
    return {secret, quote(secret, safe=""), quote_plus(secret), secret.replace("/", "\\/")}


def redact_command(words: Sequence[str]) -> tuple[str, tuple[str, ...]]:
    """A command line to show, from its words, and the secrets that stood in it.

    >>> redact_command(["serve", "--port", "{port}", "--api-key", "abcd"])
    ('serve --port {port} --api-key ***', ('abcd',))
    """
    shown: list[str] = []
    secrets: list[str] = []
    value_is_secret = False
    for word in words:
        name, equals, value = word.partition("=")
        if value_is_secret and not word.startswith("-"):
            secret, masked = word, MASK
        elif equals and (names_a_secret(name) or looks_like_a_key(value)):
            secret, masked = value, f"{name}={MASK}"
        else:
            secret, masked = (word, MASK) if looks_like_a_key(word) else ("", word)
        secrets += [secret] if secret else []
        shown.append(quote_word(masked) if any(c.isspace() or c in "\"'" for c in masked) else masked)
        value_is_secret = not equals and word.startswith("-") and names_a_secret(word)
    return Redactor(secrets)(" ".join(shown)), tuple(secrets)


class LogFilter(logging.Filter):
    """Redacts the lines of the HTTP library's loggers while it is installed."""

    loggers = ("httpx", "httpcore.connection", "httpcore.http11", "httpcore.http2", "httpcore.proxy", "httpcore.socks")

    def __init__(self, redactor: Redactor) -> None:
        super().__init__()
        self._redactor = redactor

    def filter(self, record: logging.LogRecord) -> bool:
        try:
            text = record.getMessage()
        except (TypeError, ValueError):  # arguments that do not fit are the logger's to complain of
            text = f"{record.msg} {record.args}"
        record.msg = self._redactor(text)
        record.args = ()
        return True

    def install(self) -> None:
        for name in self.loggers:
            logging.getLogger(name).addFilter(self)

    def remove(self) -> None:
        for name in self.loggers:
            logging.getLogger(name).removeFilter(self)
