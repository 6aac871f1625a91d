"""One kept-alive HTTP connection to one server.

Where there is TLS or a proxy, httpx's transport is used without its client: a model needs neither cookies nor
redirects, and the client's own reading of proxy variables fails on values that are in use. Plain HTTP goes over
:mod:`~pytest_jevbench.models.plain_wire`, which takes a third of the time for a short request.
"""

from __future__ import annotations

import socket
import ssl
import time
from typing import TYPE_CHECKING, Protocol, cast

from pytest_jevbench import __version__
from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.models.plain_wire import LARGEST_BODY, PlainWire, absent
from pytest_jevbench.models.proxies import Proxy
from pytest_jevbench.models.reading_replies import Received, Trouble

if TYPE_CHECKING:
    import httpx

__all__ = ["LARGEST_BODY", "Connection"]

_LONGEST_CONNECT = 10.0


class _Wire(Protocol):
    def begin(self, method: str, url: str, body: bytes | None) -> Trouble | None: ...

    def finish(self) -> Received | Trouble: ...

    def close(self) -> None: ...


class Connection:
    """Sends requests, one at a time, and gives what came back or what went wrong; raises nothing on the way.

    ``timeout`` bounds one whole exchange, in seconds. Raises :class:`InputError` for a proxy that cannot be used.
    """

    def __init__(self, authorization: str | None, proxy: Proxy | None, timeout: float, secure: bool) -> None:
        fields = {
            "accept": "application/json",
            "accept-encoding": "gzip, deflate",
            "content-type": "application/json",
            "user-agent": f"pytest-jevbench/{__version__}",
        }
        if authorization:
            fields["authorization"] = authorization
        self._wire: _Wire
        if secure or proxy is not None:
            self._wire = LibraryWire(fields, proxy, timeout, secure)
        else:
            self._wire = PlainWire(fields, timeout)

    def begin(self, method: str, url: str, body: bytes | None) -> None:
        """Send a request. What goes wrong is told by :meth:`finish`, which any thread may call."""
        self._trouble: Trouble | None = None
        try:
            self._trouble = self._wire.begin(method, url, body)
        except Exception as error:  # whatever blocks or replaces sockets raises errors of its own
            self._trouble = _blocked(error)

    def finish(self) -> Received | Trouble:
        """The whole response to what was begun last, or what went wrong."""
        if self._trouble is not None:
            return self._trouble
        try:
            return self._wire.finish()
        except Exception as error:
            return _blocked(error)

    def send(self, method: str, url: str, body: bytes | None) -> Received | Trouble:
        """One request and its whole response."""
        self.begin(method, url, body)
        return self.finish()

    def close(self) -> None:
        self._wire.close()


class LibraryWire:
    """HTTP over TLS or through a proxy. Raises :class:`InputError` for a proxy that cannot be used."""

    def __init__(self, fields: dict[str, str], proxy: Proxy | None, timeout: float, secure: bool) -> None:
        import httpx

        self._timeout = timeout
        self._headers = httpx.Headers(fields)
        # an empty context trusts nobody and is a hundred times faster to make than one with all authorities
        secure = secure or (proxy is not None and proxy.url.startswith("https:"))
        context = httpx.create_ssl_context() if secure else ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        self._extensions = {
            "timeout": httpx.Timeout(timeout, connect=min(timeout, _LONGEST_CONNECT)).as_dict(),
        }
        self._urls: dict[str, httpx.URL] = {}
        limits = httpx.Limits(max_connections=2, max_keepalive_connections=1, keepalive_expiry=60.0)
        try:
            self._transport = httpx.HTTPTransport(verify=context, limits=limits, proxy=proxy.url if proxy else None)
        except (ImportError, ValueError, httpx.InvalidURL) as error:
            if proxy is None:
                raise
            missing = isinstance(error, ImportError)
            raise InputError(
                "a SOCKS proxy needs the package socksio" if missing else "the proxy cannot be used",
                place=Place(field=f"environment variable {proxy.variable}"),
                advice="Install it with: pip install 'httpx[socks]', or unset the variable"
                if missing
                else "Correct or unset it",
            ) from None

    def begin(self, method: str, url: str, body: bytes | None) -> None:
        """Take a request in: the library sends it and waits for the response in one."""
        self._begun = (method, url, body)

    def finish(self) -> Received | Trouble:
        """The whole response."""
        import httpx

        started = time.perf_counter()
        try:
            return self._exchange(*self._begun, started)
        except httpx.TimeoutException as error:
            connecting = isinstance(error, httpx.ConnectTimeout)
            what = "no connection" if connecting else "no answer"
            return Trouble("again", f"{what} within {time.perf_counter() - started:.3g} s", timed_out=not connecting)
        except httpx.ConnectError as error:
            return _no_connection(error)
        except httpx.ProxyError as error:
            return absent(f"the proxy refused: {error}")
        except httpx.TransportError as error:
            return Trouble("again", f"the connection broke: {error or type(error).__name__}")

    def close(self) -> None:
        self._transport.close()

    def _exchange(self, method: str, url: str, body: bytes | None, started: float) -> Received | Trouble:
        import httpx

        target = self._urls.get(url)
        if target is None:
            target = self._urls[url] = httpx.URL(url)
        request = httpx.Request(method, target, headers=self._headers, content=body, extensions=self._extensions)
        response = self._transport.handle_request(request)
        try:
            parts: list[bytes] = []
            size = 0
            for part in cast(httpx.SyncByteStream, response.stream):
                parts.append(part)
                size += len(part)
                if size > LARGEST_BODY:
                    return Trouble("again", f"the answer is longer than {LARGEST_BODY >> 20} MiB")
                # the library's own limit is for each read: a server that drips would never end
                if time.perf_counter() - started > self._timeout:
                    return Trouble("again", f"the answer was not complete within {self._timeout:.3g} s")
        finally:
            response.close()
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers.raw}
        return Received(response.status_code, headers, b"".join(parts), time.perf_counter() - started)


def _blocked(error: Exception) -> Trouble:
    return absent(f"no connection: {type(error).__name__}: {error}")


def _no_connection(error: httpx.ConnectError) -> Trouble:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ConnectionRefusedError):
            return absent("nothing listens there (connection refused)")
        if isinstance(cause, socket.gaierror):
            return absent("there is no host of this name")
        if isinstance(cause, ssl.SSLCertVerificationError):
            reason = cause.verify_message
            return absent(f"the server's certificate is not trusted ({reason}); see SSL_CERT_FILE")
        if isinstance(cause, ssl.SSLError):
            return absent(f"no TLS connection ({cause.reason}); is it an http:// server?")
        if isinstance(cause, (ConnectionResetError, BrokenPipeError)):
            return Trouble("again", "the connection was reset while it was made")
        cause = cause.__cause__ or cause.__context__
    return absent(f"no connection ({error})")
