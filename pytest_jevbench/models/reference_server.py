"""A reference model behind a System One server."""

from __future__ import annotations

import hmac
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socketserver import TCPServer
from typing import Any
from urllib.parse import urlsplit

from pytest_jevbench import __version__
from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import JSON, JsonProblem, dumps, loads
from pytest_jevbench.models.protocol import Identity
from pytest_jevbench.models.reference import answer, reference_model
from pytest_jevbench.models.wire_requests import WireRequest, read_wire_request

__all__ = ["Answered", "ReferenceServer", "respond"]

LARGEST_REQUEST = 16 * 1024 * 1024
_ALIASES = ("default", "jev-latest")


@dataclass(frozen=True, slots=True)
class Answered:
    """Status and body of a response."""

    status: int
    body: dict[str, JSON]


def respond(
    name: str, method: str, path: str, headers: Mapping[str, str], body: bytes, key: str | None = None
) -> Answered:
    """What the server of reference model ``name`` answers. ``headers`` are looked up in small letters."""
    route = urlsplit(path).path
    if route not in ("/v1/systemone", "/v1/models"):
        return _error(404, "not_found", f"there is no {route} here")
    if method != ("POST" if route == "/v1/systemone" else "GET"):
        return _error(405, "method_not_allowed", f"{route} does not take {method}")
    refusal = _without_key(headers.get("authorization", ""), key)
    if refusal is not None:
        return refusal
    if route == "/v1/models":
        about = f"reference model of pytest-jevbench {__version__}"
        return Answered(200, {"models": [{"name": name, "description": about, "release_date": "none"}]})
    return _decide(name, body)


def _decide(name: str, body: bytes) -> Answered:
    try:
        decoded = loads(body.decode("utf-8-sig"))
    except (JsonProblem, UnicodeDecodeError) as problem:
        return Answered(422, {"detail": [{"type": "json_invalid", "loc": ["body"], "msg": str(problem)}]})
    request = read_wire_request(decoded)
    if not isinstance(request, WireRequest):
        return Answered(422, {"detail": [problem.to_json() for problem in request]})
    if request.model not in (name, *_ALIASES):
        return _error(400, "api_usage_error", f"this server has no model {request.model!r}; it has {name!r}")
    answers = answer(name, request.state, request.questions)
    # there are no tokens: words of the request and numbers of the answer stand for them
    usage: dict[str, JSON] = {
        "input_tokens": len(body.split()),
        "output_tokens": sum(len(one.get("probabilities", "1")) for one in answers.values()),
    }
    return Answered(200, {"model": name, "answers": answers, "usage": usage})


def _without_key(authorization: str, key: str | None) -> Answered | None:
    if key is None:
        return None
    scheme, _, given = authorization.partition(" ")
    if scheme.lower() != "bearer" or not given.strip():
        return _error(403, "authentication_error", "an API key is needed: Authorization: Bearer KEY")
    if not hmac.compare_digest(given.strip().encode(), key.encode()):
        return _error(401, "authentication_error", "the API key is not valid")
    return None


def _error(status: int, kind: str, message: str) -> Answered:
    return Answered(status, {"detail": {"error_type": kind, "message": message}})


class _Handler(BaseHTTPRequestHandler):
    server: ReferenceServer
    protocol_version = "HTTP/1.1"
    server_version = f"pytest-jevbench/{__version__}"
    sys_version = ""
    # head and body leave in one piece and at once, else each answer waits for the other side's delayed acknowledgement
    wbufsize = -1
    disable_nagle_algorithm = True
    timeout = 60

    def do_GET(self) -> None:
        self._respond(b"")

    def do_POST(self) -> None:
        length = self.headers.get("content-length", "")
        if not (length.isascii() and length.isdecimal()):
            self.close_connection = True
            self._send(_error(411, "length_required", "the request needs a Content-Length"))
        elif len(length) > 18 or int(length) > LARGEST_REQUEST:
            self.close_connection = True
            self._send(_error(413, "too_large", f"the request is longer than {LARGEST_REQUEST} bytes"))
        else:
            self._respond(self.rfile.read(int(length)))

    def _other(self) -> None:
        self.close_connection = True  # a body that nobody reads may follow
        self._respond(b"")

    do_PUT = do_DELETE = do_PATCH = do_HEAD = do_OPTIONS = _other  # noqa: N815 - the base class's names

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        """Requests are not logged."""

    def _respond(self, body: bytes) -> None:
        headers = {name.lower(): value for name, value in self.headers.items()}
        self._send(respond(self.server.name, self.command, self.path, headers, body, self.server.key))

    def _send(self, answered: Answered) -> None:
        data = dumps(answered.body).encode()
        self.send_response(answered.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        if self.close_connection:
            self.send_header("connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)


class ReferenceServer(ThreadingHTTPServer):
    """Serves a reference model until it is shut down; one thread a connection.

    ``port`` 0 takes a free one; ``key`` is a bearer token to ask for. Raises :class:`InputError` for an unknown
    name and for an address that cannot be listened on.
    """

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, name: str, *, host: str = "127.0.0.1", port: int = 0, key: str | None = None) -> None:
        self.identity: Identity = reference_model(name).identity
        self.name = name
        self.key = key
        self.address_family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            super().__init__((host, port), _Handler)
        except OSError as error:
            raise InputError(
                f"port {port} of {host} cannot be listened on: {error.strerror or error}",
                place=Place(field="--port"),
                advice="Choose another, or 0 for any free one",
            ) from None
        except OverflowError:
            raise InputError.unexpected(port, "a port from 0 to 65535", Place(field="--port")) from None

    def server_bind(self) -> None:
        """Bind without the base class's look-up of the host's full name, which can take seconds."""
        TCPServer.server_bind(self)
        self.server_name, self.server_port = self._host(), self.server_address[1]

    @property
    def url(self) -> str:
        """The server's root."""
        host = self._host()
        return f"http://{f'[{host}]' if ':' in host else host}:{self.server_address[1]}"

    def _host(self) -> str:
        host = self.server_address[0]
        return host if isinstance(host, str) else bytes(host).decode()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that went away is no error of ours."""
