"""HTTP/1.1 to a server without TLS or proxy, over one kept-alive socket.

Models mostly run on the same machine or network, and there the general HTTP library takes longer to write and read a
short request than all else that a run does for it.
"""

from __future__ import annotations

import select
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TypeVar
from urllib.parse import urlsplit

from pytest_jevbench.models.plain_response import LARGEST_BODY, BadResponse, ResponseReader
from pytest_jevbench.models.reading_replies import Received, Trouble

__all__ = ["LARGEST_BODY", "PlainWire"]

_LONGEST_CONNECT = 10.0
_LONGEST_IDLE = 60.0

T = TypeVar("T")


class PlainWire:
    """Sends requests to one host, one at a time. ``headers`` go with each; ``timeout`` bounds an exchange (seconds)."""

    def __init__(self, headers: Mapping[str, str], timeout: float) -> None:
        self._headers = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self._timeout = timeout
        self._socket: socket.socket | None = None
        self._reader: ResponseReader | None = None
        self._started = 0.0
        self._awaited = False
        """Whether a response may still come on the open connection: whoever should have read it was interrupted."""
        self._used = 0.0
        self._heads: dict[tuple[str, str], tuple[str, int, str]] = {}

    def begin(self, method: str, url: str, body: bytes | None) -> Trouble | None:
        """Send a request, or say what went wrong. Raises whatever blocks sockets may raise."""
        self._started = started = time.perf_counter()
        host, port, head = self._head(method, url)
        if self._socket is None or self._awaited or self._is_stale(self._socket, started):
            self.close()
            trouble = self._connect(host, port, started)
            if trouble is not None:
                return trouble
        connection = self._socket
        assert connection is not None
        length = "" if body is None else f"content-length: {len(body)}\r\n"
        message = f"{head}{length}\r\n".encode("latin-1") + (body or b"")
        self._awaited = True
        return self._or_trouble(lambda: connection.sendall(message))

    def finish(self) -> Received | Trouble:
        """The whole response to what was begun last, or what went wrong. Raises whatever blocks sockets may raise."""
        reader, started = self._reader, self._started
        assert reader is not None
        response = self._or_trouble(lambda: reader.read(started, self._timeout))
        if isinstance(response, Trouble):
            return response
        self._awaited = False
        ended = time.perf_counter()
        if response.keep:
            self._used = ended
        else:
            self.close()
        return Received(response.status, response.headers, response.body, ended - started)

    def _or_trouble(self, work: Callable[[], T]) -> T | Trouble:
        try:
            return work()
        except TimeoutError:
            self.close()
            return Trouble("again", f"no answer within {time.perf_counter() - self._started:.3g} s", timed_out=True)
        except (BadResponse, OSError) as error:
            self.close()
            return Trouble("again", f"the connection broke: {error or type(error).__name__}")
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        connection, self._socket, self._reader, self._awaited = self._socket, None, None, False
        if connection is not None:
            with suppress(OSError):
                connection.close()

    def _head(self, method: str, url: str) -> tuple[str, int, str]:
        known = self._heads.get((method, url))
        if known is None:
            parts = urlsplit(url)
            host = parts.hostname or ""
            target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            place = f"[{host}]" if ":" in host else host
            if parts.port not in (None, 80):
                place = f"{place}:{parts.port}"
            head = f"{method} {target} HTTP/1.1\r\nhost: {place}\r\n{self._headers}"
            known = self._heads[(method, url)] = (host, parts.port or 80, head)
        return known

    def _is_stale(self, connection: socket.socket, now: float) -> bool:
        """Whether the server has closed the connection meanwhile, or sent what nobody asked for."""
        if now - self._used > _LONGEST_IDLE:
            return True
        try:
            return bool(select.select([connection], [], [], 0)[0])
        except (OSError, ValueError):
            return True

    def _connect(self, host: str, port: int, started: float) -> Trouble | None:
        try:
            connection = socket.create_connection((host, port), timeout=min(self._timeout, _LONGEST_CONNECT))
        except TimeoutError:
            return Trouble("again", f"no connection within {time.perf_counter() - started:.3g} s")
        except ConnectionRefusedError:
            return absent("nothing listens there (connection refused)")
        except socket.gaierror:
            return absent("there is no host of this name")
        except (ConnectionResetError, BrokenPipeError):
            return Trouble("again", "the connection was reset while it was made")
        except OSError as error:
            return absent(f"no connection ({error})")
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.settimeout(self._timeout)
        self._socket, self._reader = connection, ResponseReader(connection)
        return None


def absent(message: str) -> Trouble:
    """Nothing is there that could answer."""
    return Trouble("absent", message, connected=False)
