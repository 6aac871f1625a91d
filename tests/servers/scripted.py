"""An HTTP server in a thread that answers each request by a script, and as badly as the script says.

It speaks on bare sockets, so that it can close a connection in the middle of a body, reset it, or send bytes that are
no HTTP at all.
"""

from __future__ import annotations

import contextlib
import gzip
import json
import socket
import struct
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

__all__ = [
    "Asked",
    "ScriptedServer",
    "Step",
    "answers_for",
    "break_body",
    "gzipped",
    "hang",
    "hang_up",
    "raw",
    "reply",
    "reset",
    "right",
]


@dataclass(frozen=True)
class Asked:
    """One request as it arrived."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes
    connection: int

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Talk:
    """What a step may use: the connection, the request, and an event that is set when the server stops."""

    socket: socket.socket
    asked: Asked
    stopped: threading.Event


Step = Callable[[Talk], bool]
"""Answers one request; False closes the connection."""


def answers_for(body: Any) -> dict[str, Any]:
    """Right answers to a request: 0.25 to a Noul, even ones to the others."""
    answers: dict[str, Any] = {}
    for key, question in body["questions"].items():
        if question["type"] == "noul":
            answers[key] = {"type": "noul", "noul": 0.25}
        else:
            options = question["criteria"]
            ids = list(options) if question["type"] == "choice" else [str(i) for i in range(len(options))]
            answers[key] = {"type": question["type"], "probabilities": dict.fromkeys(ids, 1 / len(ids))}
    return answers


def reply(body: Any = b"", status: int = 200, content_type: str = "application/json", **headers: str) -> Step:
    """A whole response. A body that is neither bytes nor text is sent as JSON; ``_`` in header names means ``-``."""
    if isinstance(body, str):
        body = body.encode()
    if not isinstance(body, bytes):
        body = json.dumps(body).encode()
    lines = {"content-type": content_type, "content-length": str(len(body))}
    lines |= {name.replace("_", "-"): value for name, value in headers.items()}
    head = f"HTTP/1.1 {status} Scripted\r\n" + "".join(f"{n}: {v}\r\n" for n, v in lines.items()) + "\r\n"
    return raw(head.encode() + body, keep=True)


def right(**extra: Any) -> Step:
    """Right answers to whatever is asked, with further fields."""

    def step(talk: Talk) -> bool:
        return reply({"answers": answers_for(talk.asked.json), **extra})(talk)

    return step


def gzipped(body: Any, cut: int | None = None) -> Step:
    """A JSON body, compressed, cut to so many bytes if asked."""
    data = gzip.compress(json.dumps(body).encode())[:cut]
    return reply(data, content_encoding="gzip")


def raw(data: bytes, keep: bool = False) -> Step:
    """These bytes."""

    def step(talk: Talk) -> bool:
        talk.socket.sendall(data)
        return keep

    return step


def break_body() -> Step:
    """Close the connection in the middle of the announced body."""
    return raw(b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"answers": {')


def hang_up() -> Step:
    """Close the connection without a word."""
    return raw(b"")


def reset() -> Step:
    """Reset the connection."""

    def step(talk: Talk) -> bool:
        talk.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return False

    return step


def hang() -> Step:
    """Answer nothing until the server is stopped."""

    def step(talk: Talk) -> bool:
        talk.stopped.wait()
        return False

    return step


@dataclass
class ScriptedServer:
    """Answers POSTs by ``script``, in order; its last step answers all that follow. GETs are answered by ``get``."""

    script: Iterable[Step]
    get: Step = field(default_factory=lambda: reply({"detail": "Not Found"}, 404))
    host: str = "127.0.0.1"

    def __enter__(self) -> ScriptedServer:
        self._steps = list(self.script)
        self._next = 0
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._open: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self.asked: list[Asked] = []
        self.got: list[Asked] = []
        self.connections = 0
        family = socket.AF_INET6 if ":" in self.host else socket.AF_INET
        self._listener = socket.create_server((self.host, 0), family=family)
        self.port: int = self._listener.getsockname()[1]
        self._start(self._accept)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}"

    def stop(self) -> None:
        """Close the listener and every connection."""
        self._stopped.set()
        with self._lock:
            for one in (self._listener, *self._open):
                with contextlib.suppress(OSError):
                    one.shutdown(socket.SHUT_RDWR)
                one.close()
        for thread in self._threads:
            thread.join()

    def _start(self, target: Callable[..., None], *args: Any) -> None:
        thread = threading.Thread(target=target, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self._stopped.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                self.connections += 1
                self._open.append(connection)
                number = self.connections
            self._start(self._serve, connection, number)

    def _serve(self, connection: socket.socket, number: int) -> None:
        try:
            with connection, connection.makefile("rb") as stream:
                while True:
                    asked = _read(stream, number)
                    if asked is None or not self._step(asked)(Talk(connection, asked, self._stopped)):
                        return
        except OSError:
            return

    def _step(self, asked: Asked) -> Step:
        with self._lock:
            if asked.method == "GET":
                self.got.append(asked)
                return self.get
            self.asked.append(asked)
            step = self._steps[min(self._next, len(self._steps) - 1)]
            self._next += 1
            return step


def _read(stream: Any, number: int) -> Asked | None:
    if stream.peek(1)[:1] == b"\x16":
        return Asked("TLS", "", {}, b"", number)
    line = stream.readline().decode("latin-1").split()
    if len(line) < 2:
        return None
    headers: dict[str, str] = {}
    while text := stream.readline().decode("latin-1").strip():
        name, _, value = text.partition(":")
        headers[name.strip().lower()] = value.strip()
    body = stream.read(int(headers.get("content-length", "0")))
    return Asked(line[0], line[1], headers, body, number)
