"""HTTP/1.1 to a server without TLS or proxy, over one kept-alive socket.

Models mostly run on the same machine or network, and there the general HTTP library takes longer to write and read a
short request than all else that a run does for it. The standard library reads the responses.
"""

from __future__ import annotations

import http.client
import select
import socket
import time
from collections.abc import Mapping
from contextlib import suppress
from urllib.parse import urlsplit

from pytest_jevbench.models.reading_replies import Received, Trouble

__all__ = ["LARGEST_BODY", "PlainWire"]

LARGEST_BODY = 64 * 1024 * 1024
"""Bytes of a response that are read; what is longer is no answer to a question."""

_LONGEST_CONNECT = 10.0
_PIECE = 1 << 16
_LONGEST_IDLE = 60.0


class PlainWire:
    """Sends requests to one host, one at a time. ``headers`` go with each; ``timeout`` bounds an exchange (seconds)."""

    def __init__(self, headers: Mapping[str, str], timeout: float) -> None:
        self._headers = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        self._timeout = timeout
        self._socket: socket.socket | None = None
        self._used = 0.0
        self._heads: dict[tuple[str, str], tuple[str, int, str]] = {}

    def send(self, method: str, url: str, body: bytes | None) -> Received | Trouble:
        """One request and its whole response, or what went wrong. Raises whatever blocks sockets may raise."""
        started = time.perf_counter()
        host, port, head = self._head(method, url)
        if self._socket is None or self._is_stale(self._socket, started):
            self.close()
            trouble = self._connect(host, port, started)
            if trouble is not None:
                return trouble
        assert self._socket is not None
        try:
            outcome, keep = self._exchange(self._socket, method, head, body, started)
        except TimeoutError:
            self.close()
            return Trouble("again", f"no answer within {time.perf_counter() - started:.3g} s")
        except (http.client.HTTPException, OSError, ValueError) as error:
            self.close()
            return Trouble("again", f"the connection broke: {error or type(error).__name__}")
        except BaseException:
            self.close()
            raise
        if keep:
            self._used = time.perf_counter()
        else:
            self.close()
        return outcome

    def close(self) -> None:
        connection, self._socket = self._socket, None
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
        self._socket = connection
        return None

    def _exchange(
        self, connection: socket.socket, method: str, head: str, body: bytes | None, started: float
    ) -> tuple[Received | Trouble, bool]:
        """The outcome, and whether the connection can be used again."""
        connection.settimeout(self._timeout)
        length = "" if body is None else f"content-length: {len(body)}\r\n"
        connection.sendall(f"{head}{length}\r\n".encode("latin-1") + (body or b""))
        response = http.client.HTTPResponse(connection, method=method)
        try:
            response.begin()
            parts: list[bytes] = []
            size = 0
            while part := response.read1(_PIECE):
                parts.append(part)
                size += len(part)
                if size > LARGEST_BODY:
                    return Trouble("again", f"the answer is longer than {LARGEST_BODY >> 20} MiB"), False
                # a limit for each read alone would never end a server that drips
                if time.perf_counter() - started > self._timeout:
                    return Trouble("again", f"the answer was not complete within {self._timeout:.3g} s"), False
            if response.length:
                return Trouble("again", f"the connection broke: {response.length} bytes of the body are missing"), False
            headers = {name.lower(): value for name, value in response.getheaders()}
            received = Received(response.status, headers, b"".join(parts), time.perf_counter() - started)
            return received, not response.will_close
        finally:
            response.close()


def absent(message: str) -> Trouble:
    """Nothing is there that could answer."""
    return Trouble("absent", message, connected=False)
