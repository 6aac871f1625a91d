"""Which proxy, if any, the environment asks for on the way to a server.

The HTTP library raises on some values of ``NO_PROXY`` that other programs understand (``[::1]``, a network such as
``fe11::/16``), so the variables are read here. A server on this machine is never asked through a proxy.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from urllib.parse import unquote, urlsplit

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.models.urls import Endpoint

__all__ = ["Proxy", "bypassed", "proxy_for"]

_SCHEMES = ("http", "https", "socks5", "socks5h")


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy and the variable that names it. The URL may hold a password."""

    variable: str
    url: str = field(repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)


def proxy_for(endpoint: Endpoint, environ: Mapping[str, str]) -> Proxy | None:
    """The proxy for an endpoint; None for a direct connection.

    ``https_proxy`` or ``http_proxy`` by the endpoint's scheme, else ``all_proxy``, in small letters before capitals,
    unless ``no_proxy`` takes the host out. Raises :class:`InputError` naming the variable that cannot be used.
    """
    if endpoint.loopback:
        return None
    found = _first(environ, f"{endpoint.scheme}_proxy") or _first(environ, "all_proxy")
    exceptions = _first(environ, "no_proxy")
    if found is None or (exceptions and bypassed(endpoint.host, endpoint.port, exceptions[1])):
        return None
    variable, value = found
    url = value if "://" in value else f"http://{value}"
    try:
        parts = urlsplit(url)
        usable = parts.scheme in _SCHEMES and bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        usable = False
    if not usable:
        raise InputError(
            "the value is not the URL of a proxy",
            place=Place(field=f"environment variable {variable}"),
            advice=f"Give one such as http://host:3128, unset it, or name {endpoint.host} in NO_PROXY",
        )
    secrets = tuple(form for p in (parts.password,) if p for form in (p, unquote(p)))
    return Proxy(variable, url, secrets)


def bypassed(host: str, port: int, no_proxy: str) -> bool:
    """Whether a value of ``NO_PROXY`` takes a host out: a name and all below it, an address, a network, or ``*``."""
    return any(_matches(host, port, entry) for entry in re.split(r"[,\s]+", no_proxy) if entry)


def _matches(host: str, port: int, entry: str) -> bool:
    entry = entry.lower().rpartition("://")[2]
    if entry == "*":
        return True
    try:
        return ip_address(host) in ip_network(entry.strip("[]"), strict=False)
    except ValueError:
        pass
    name, colon, wanted_port = entry.rpartition(":")
    if colon and wanted_port.isascii() and wanted_port.isdecimal():
        if int(wanted_port) != port:
            return False
        entry = name
    name = entry.strip("[]").removeprefix("*").removeprefix(".")
    return bool(name) and (host == name or host.endswith(f".{name}"))


def _first(environ: Mapping[str, str], name: str) -> tuple[str, str] | None:
    spellings = [name, name.upper()]
    if name == "http_proxy" and "REQUEST_METHOD" in environ:
        spellings.pop()  # under CGI the capitals come from a request header
    for spelling in spellings:
        if spelling in environ:
            value = environ[spelling].strip()
            return (spelling, value) if value else None
    return None
