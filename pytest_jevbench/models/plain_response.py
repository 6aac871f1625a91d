"""Reading HTTP/1.1 responses from a socket, as RFC 9112 frames them.

The standard library's reader takes longer for the header of a short response than all else that a run does to ask for
it, because it reads headers with the rules of mail.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["LARGEST_BODY", "BadResponse", "Response", "ResponseReader"]

LARGEST_BODY = 64 * 1024 * 1024
"""Bytes of a response that are read; what is longer is no answer to a question."""

_LONGEST_LINE = 1 << 16
_MOST_HEADERS = 256
_PIECE = 1 << 16
_LONGEST_NUMBER = 18
_HEX = b"0123456789abcdefABCDEF"


class BadResponse(Exception):
    """What came back is not a whole HTTP response; the message says how."""


class Response(NamedTuple):
    """A whole response. Header names are in small letters; ``keep`` is whether the connection can be used again."""

    status: int
    headers: dict[str, str]
    body: bytes
    keep: bool


class ResponseReader:
    """Reads one response after the other from a connection.

    Raises :class:`BadResponse`, and what the socket raises: ``TimeoutError`` and other ``OSError``.
    """

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._got = b""
        self._until = 0.0
        self._started = 0.0

    def read(self, started: float, timeout: float) -> Response:
        """The response to a request that was sent at ``started`` (``time.perf_counter``)."""
        self._started, self._until = started, started + timeout
        version, status = self._status()
        headers = self._headers()
        while 100 <= status < 200:  # an interim response
            version, status = self._status()
            headers = self._headers()
        tokens = [token.strip().lower() for token in headers.get("connection", "").split(",")]
        keep = "close" not in tokens and (version > b"HTTP/1.0" or "keep-alive" in tokens)
        encoding = headers.get("transfer-encoding", "").lower()
        if status in (204, 304):
            body = b""
        elif encoding:
            if encoding.split(",")[-1].strip() != "chunked":
                raise BadResponse(f"the body has a transfer encoding that is not known: {encoding[:40]!r}")
            body = self._joined(self._chunks())
        elif "content-length" in headers:
            body = self._joined(self._pieces(_length(headers["content-length"])))
        else:
            body, keep = self._joined(self._rest()), False
        return Response(status, headers, body, keep and not self._got)

    def _status(self) -> tuple[bytes, int]:
        line = self._line(first=True)
        version, _, rest = line.partition(b" ")
        code = rest[:3]
        if not version.startswith(b"HTTP/1.") or not code.isdigit() or rest[3:4] not in (b"", b" "):
            raise BadResponse(f"the server does not speak HTTP/1.1: {line[:40]!r}")
        return version, int(code)

    def _headers(self) -> dict[str, str]:
        headers: dict[str, str] = {}
        name = ""
        for _ in range(_MOST_HEADERS):
            line = self._line()
            if not line:
                return headers
            text = line.decode("latin-1")
            if text[0] in " \t" and name:  # a line that goes on, as old servers fold them
                headers[name] += f" {text.strip()}"
                continue
            name, colon, value = text.partition(":")
            name = name.lower()
            if not colon or not name or name != name.strip():
                raise BadResponse(f"a header line is none: {line[:40]!r}")
            value = value.strip()
            headers[name] = f"{headers[name]}, {value}" if name in headers else value
        raise BadResponse(f"the response has more than {_MOST_HEADERS} header lines")

    def _chunks(self) -> Iterator[bytes]:
        while True:
            size = self._line().partition(b";")[0].strip()
            if not size or size.strip(_HEX):
                raise BadResponse(f"a chunk of the body has no size: {size[:40]!r}")
            count = int(size, 16)
            if count == 0:
                break
            yield from self._pieces(count)
            if self._line():
                raise BadResponse("a chunk of the body is longer than its size")
        while self._line():
            pass  # headers after the body

    def _pieces(self, count: int) -> Iterator[bytes]:
        if count > LARGEST_BODY:  # said beforehand: nothing of it has to come in
            raise _too_long()
        while count:
            if not self._got and not self._receive():
                raise BadResponse(f"{count} bytes of the body are missing")
            piece, self._got = self._got[:count], self._got[count:]
            count -= len(piece)
            yield piece

    def _rest(self) -> Iterator[bytes]:
        while self._got or self._receive():
            piece, self._got = self._got, b""
            yield piece

    def _joined(self, pieces: Iterator[bytes]) -> bytes:
        found: list[bytes] = []
        size = 0
        for piece in pieces:
            found.append(piece)
            size += len(piece)
            if size > LARGEST_BODY:
                raise _too_long()
        return b"".join(found)

    def _line(self, *, first: bool = False) -> bytes:
        """The next line, without its end."""
        while (end := self._got.find(b"\n")) < 0:
            if len(self._got) > _LONGEST_LINE:
                raise BadResponse(f"a line of the header is longer than {_LONGEST_LINE >> 10} KiB")
            if not self._receive():
                nothing = first and not self._got
                raise BadResponse("the server closed it without an answer" if nothing else "the header is cut off")
        line, self._got = self._got[:end], self._got[end + 1 :]
        return line.removesuffix(b"\r")

    def _receive(self) -> bool:
        """Take in what the server sends next; False where it has closed the connection."""
        data = self._connection.recv(_PIECE)
        self._got += data
        if time.perf_counter() > self._until:  # the socket's own limit is for each read: one that drips would never end
            raise BadResponse(f"the answer was not complete within {self._until - self._started:.3g} s")
        return bool(data)


def _too_long() -> BadResponse:
    return BadResponse(f"the answer is longer than {LARGEST_BODY >> 20} MiB")


def _length(text: str) -> int:
    lengths = {part.strip() for part in text.split(",")}
    length = lengths.pop()
    if lengths or not length.isascii() or not length.isdigit():
        raise BadResponse(f"the length of the body is no number: {text[:40]!r}")
    if len(length) > _LONGEST_NUMBER:  # Python converts no thousands of digits
        raise _too_long()
    return int(length)
