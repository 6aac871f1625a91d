"""Responses as servers send them, read as the standard library reads them, and in whatever pieces they come."""

from __future__ import annotations

import http.client
import io
import time
from typing import Any, cast

import pytest

from pytest_jevbench.models.plain_response import BadResponse, Response, ResponseReader

OK = b"HTTP/1.1 200 OK\r\n"

WHOLE = {
    "length": OK + b"Content-Type: application/json\r\nContent-Length: 4\r\n\r\nabcd",
    "no body": OK + b"content-length: 0\r\n\r\n",
    "no reason": b"HTTP/1.1 200\r\ncontent-length: 1\r\n\r\nx",
    "bare line ends": b"HTTP/1.1 200 OK\ncontent-length: 3\n\nabc",
    "spaces": OK + b"Content-Length:\t 2 \r\nX:   y  \r\n\r\nok",
    "chunks": OK + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nA;x=y\r\n0123456789\r\n0\r\n\r\n",
    "trailers": OK + b"transfer-encoding: CHUNKED\r\n\r\n1\r\na\r\n0\r\nExpires: never\r\nB: c\r\n\r\n",
    "until the end": OK + b"content-type: text/plain\r\n\r\nall of it",
    "close": OK + b"connection: close\r\ncontent-length: 1\r\n\r\nx",
    "close among others": OK + b"connection: x, Close\r\ncontent-length: 1\r\n\r\nx",
    "old": b"HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\nx",
    "old, kept": b"HTTP/1.0 200 OK\r\nconnection: Keep-Alive\r\ncontent-length: 1\r\n\r\nx",
    "no content": b"HTTP/1.1 204 No Content\r\n\r\n",
    "error": b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 3\r\ncontent-length: 2\r\n\r\nno",
    "continue": b"HTTP/1.1 100 Continue\r\n\r\n" + OK + b"content-length: 2\r\n\r\nok",
    "a byte of each": OK + b"content-length: 256\r\n\r\n" + bytes(range(256)),
}


class Socket:
    """A connection on which pieces arrive, one a read, and then nothing more."""

    def __init__(self, *pieces: bytes) -> None:
        self._pieces = list(pieces)

    def recv(self, size: int) -> bytes:
        assert size
        return self._pieces.pop(0) if self._pieces else b""

    def makefile(self, mode: str) -> io.BytesIO:
        return io.BytesIO(b"".join(self._pieces))


def read(*pieces: bytes, started: float | None = None, timeout: float = 60.0) -> Response:
    reader = ResponseReader(cast(Any, Socket(*pieces)))
    return reader.read(time.perf_counter() if started is None else started, timeout)


@pytest.mark.parametrize("data", WHOLE.values(), ids=WHOLE.keys())
def test_it_is_what_the_standard_library_reads(data: bytes) -> None:
    known = http.client.HTTPResponse(cast(Any, Socket(data)), method="POST")
    known.begin()
    response = read(data)
    assert response.status == known.status
    assert response.body == known.read()
    assert response.headers == {name.lower(): value.strip() for name, value in known.getheaders()}
    assert response.keep is not known.will_close


@pytest.mark.parametrize("data", WHOLE.values(), ids=WHOLE.keys())
@pytest.mark.parametrize("size", [1, 2, 7])
def test_the_pieces_do_not_matter(data: bytes, size: int) -> None:
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    assert read(*pieces) == read(data)


def test_one_response_follows_the_other() -> None:
    first, second = WHOLE["length"], WHOLE["chunks"]
    reader = ResponseReader(cast(Any, Socket(first, second)))
    now = time.perf_counter()
    assert reader.read(now, 60.0).body == b"abcd"
    assert reader.read(now, 60.0).body == b"abc0123456789"


def test_what_nobody_asked_for_ends_the_connection() -> None:
    assert not read(WHOLE["length"] + b"HTTP/1.1 200 OK\r\n").keep


def test_a_header_that_comes_twice_is_one_list_and_a_folded_one_is_one_line() -> None:
    response = read(OK + b"Vary: a\r\nX-Long: one\r\n  two\r\nvary: b\r\ncontent-length: 0\r\n\r\n")
    assert response.headers["vary"] == "a, b"
    assert response.headers["x-long"] == "one two"


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "without an answer"),
        (b"HTTP/1.1 20", "header is cut off"),
        (OK + b"content-length: 4\r\n", "header is cut off"),
        (OK + b"content-length: 4\r\n\r\nab", "2 bytes of the body are missing"),
        (OK + b"transfer-encoding: chunked\r\n\r\n5\r\nab", "3 bytes of the body are missing"),
        (OK + b"transfer-encoding: chunked\r\n\r\n5\r\nabcde", "header is cut off"),
        (OK + b"transfer-encoding: chunked\r\n\r\n2\r\nabc\r\n", "longer than its size"),
        (OK + b"transfer-encoding: chunked\r\n\r\n-2\r\nabc\r\n", "no size"),
        (OK + b"transfer-encoding: chunked\r\n\r\n\r\nabc\r\n", "no size"),
        (OK + b"transfer-encoding: gzip\r\n\r\nabc", "not known"),
        (OK + b"content-length: 1, 2\r\n\r\nab", "no number"),
        (OK + b"content-length: -1\r\n\r\nab", "no number"),
        (OK + b"content-length: 1_0\r\n\r\nab", "no number"),
        (OK + b"content-length: " + b"9" * 5000 + b"\r\n\r\nab", "longer than 64 MiB"),
        (OK + b"content-length: 67108865\r\n\r\nab", "longer than 64 MiB"),
        (OK + b"transfer-encoding: chunked\r\n\r\n" + b"f" * 5000 + b"\r\nabc\r\n", "longer than 64 MiB"),
        (OK + b"no colon\r\n\r\n", "no colon"),
        (OK + b"name : value\r\n\r\n", "a header line is none"),
        (OK + b"x: y\r\n" * 300 + b"\r\n", "more than 256"),
        (OK + b"x: " + b"y" * 70_000 + b"\r\n\r\n", "longer than 64 KiB"),
        (b"\x16\x03\x01\x02\x00", "header is cut off"),
        (b"SSH-2.0-OpenSSH\r\n", "does not speak HTTP"),
        (b"HTTP/1.1 OK\r\n\r\n", "does not speak HTTP"),
        (b"HTTP/2 200\r\n\r\n", "does not speak HTTP"),
    ],
)
def test_what_is_no_whole_response_is_said(data: bytes, words: str) -> None:
    with pytest.raises(BadResponse, match=words):
        read(*[data[at : at + 4096] for at in range(0, len(data), 4096)])


def test_lengths_that_agree_are_one() -> None:
    assert read(OK + b"content-length: 2\r\ncontent-length: 2\r\n\r\nok").body == b"ok"


def test_a_response_that_drips_past_its_time_is_given_up() -> None:
    with pytest.raises(BadResponse, match="not complete within 5 s"):
        read(*[bytes([byte]) for byte in WHOLE["length"]], started=time.perf_counter() - 10.0, timeout=5.0)
