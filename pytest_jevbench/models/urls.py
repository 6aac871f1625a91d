"""From the URL a person types to the one that is asked."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from ipaddress import ip_address
from urllib.parse import SplitResult, parse_qsl, quote, unquote, urlsplit

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import shown
from pytest_jevbench.models.dialects.base import Route
from pytest_jevbench.models.dialects.systemone import SYSTEMONE
from pytest_jevbench.models.redaction import MASK, basic_credentials, looks_like_a_key, names_a_secret

__all__ = ["Endpoint", "endpoint", "split_urls"]

_DEFAULT_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a model is asked.

    ``ask`` and ``models`` are the URLs used (user name and password taken out), ``address`` is the first one without
    secrets, to show and to record; ``secrets`` are what was left out, ``authorization`` the header made of a user name
    and password.
    """

    scheme: str
    host: str
    port: int
    address: str
    ask: str = field(repr=False)
    models: str = field(repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)
    authorization: str | None = field(default=None, repr=False)

    @property
    def loopback(self) -> bool:
        """Whether the server is on this machine."""
        if self.host == "localhost" or self.host.endswith(".localhost"):
            return True
        try:
            number = ip_address(self.host)
        except ValueError:
            return False
        return number.is_loopback or number.is_unspecified


def endpoint(url: str, place: Place | None = None, route: Route = SYSTEMONE.route) -> Endpoint:
    """The endpoint that a URL means: a server's root, its ``/v1``, or the full path; a slash at the end is dropped.

    ``route`` is the dialect's.

    >>> endpoint("http://h/v1/").ask
    'http://h/v1/systemone'

    Raises :class:`InputError` without showing what may be a secret.
    """
    place = place or Place(field="URL")
    parts, port = _split(url, place)
    host = (parts.hostname or "").lower()
    path = _ask_path(parts.path, route)
    base = f"{parts.scheme}://{f'[{host}]' if ':' in host else host}"
    if port != _DEFAULT_PORTS[parts.scheme]:
        base += f":{port}"
    query = f"?{parts.query}" if parts.query else ""
    shown_query, secrets = _query_without_secrets(parts.query)
    authorization = None
    if parts.username is not None:
        user, password = unquote(parts.username), unquote(parts.password or "")
        authorization = basic_credentials(user, password)
        secrets += [password or user, authorization.removeprefix("Basic ")]
        secrets += [parts.password or parts.username]
    shown_path, path_secrets = _path_without_secrets(path)
    return Endpoint(
        scheme=parts.scheme,
        host=host,
        port=port,
        address=base + shown_path + shown_query,
        ask=base + path + query,
        models=base + _models_path(path, route) + query,
        secrets=tuple(dict.fromkeys(secrets + path_secrets)),
        authorization=authorization,
    )


def split_urls(text: str) -> tuple[str, ...]:
    """The URLs of a comma-separated list, one a replica.

    >>> split_urls("http://a:1, http://b:1")
    ('http://a:1', 'http://b:1')
    """
    parts = re.split(r",\s*(?=[A-Za-z][A-Za-z0-9+.-]*://)", text.strip())
    return tuple(url for part in parts if (url := part.strip().strip(",").strip()))


def _split(url: str, place: Place) -> tuple[SplitResult, int]:
    text = url.strip()
    try:
        parts = urlsplit(text)
        port = parts.port
        host = parts.hostname
    except ValueError as error:
        raise InputError(f"{_harmless(text)} is no URL ({error})", place=place, advice=_ADVICE) from None
    if parts.scheme not in _DEFAULT_PORTS:
        raise InputError(f"{_harmless(text)} does not start with http:// or https://", place=place, advice=_ADVICE)
    if not host or any(c.isspace() or not c.isprintable() for c in text) or re.search(r"[,;<>\"'{}|\\^`]", host):
        raise InputError(f"{_harmless(text)} is no URL", place=place, advice=_ADVICE)
    return parts, _DEFAULT_PORTS[parts.scheme] if port is None else port


_ADVICE = "Give the server's root, such as http://127.0.0.1:8000"


def _harmless(text: str) -> str:
    """A URL that could not be read, without what may be a secret in it."""
    text = re.sub(r"//[^/@]*@", f"//{MASK}@", text.partition("?")[0])
    return shown(re.sub(r"^[^/@]*@", f"{MASK}@", text))


def _ask_path(path: str, route: Route) -> str:
    path = path.rstrip("/")
    if path.endswith(route.as_given):
        return path
    return path + ("" if path.endswith(route.version) else route.version) + route.tail


def _models_path(ask_path: str, route: Route) -> str:
    ending = next(tail for tail in (route.tail, *route.as_given) if ask_path.endswith(tail))
    return ask_path.removesuffix(ending).removesuffix("/v1") + "/v1/models"


def _query_without_secrets(query: str) -> tuple[str, list[str]]:
    if not query:
        return "", []
    parts: list[str] = []
    secrets: list[str] = []
    for name, value in parse_qsl(query, keep_blank_values=True):
        if not value and looks_like_a_key(name):
            secrets.append(name)
            parts.append(MASK)
        elif value and (names_a_secret(name) or looks_like_a_key(value)):
            secrets.append(value)
            parts.append(f"{quote(name)}={MASK}")
        else:
            parts.append(f"{quote(name)}={quote(value)}")
    return "?" + "&".join(parts), secrets


def _path_without_secrets(path: str) -> tuple[str, list[str]]:
    segments = path.split("/")
    secrets = [segment for segment in segments if looks_like_a_key(segment)]
    return "/".join(MASK if segment in secrets else segment for segment in segments), secrets
