"""What to do about a request that a server refused."""

from __future__ import annotations

from typing import NamedTuple

from pytest_jevbench.json_text import shown

__all__ = ["Standing", "advice"]


class Standing(NamedTuple):
    """What is known of a server when it refuses: the URL asked, and whether a key was sent.

    ``assumed`` is the model name sent where none was given and the server has not yet answered under it, else empty;
    ``listed`` are the names that the server lists.
    """

    address: str
    has_key: bool
    assumed: str = ""
    listed: tuple[str, ...] = ()


def advice(status: int | None, standing: Standing) -> str:
    """Sentences to put after the server's words; empty where these say all."""
    if status is not None and 200 <= status < 300:  # the model itself declined
        return ""
    if status in (401, 403):
        return ". It does not accept the key given" if standing.has_key else ". It asks for a key, and none is set"
    if status in (404, 405):
        asked = f". Asked was POST {standing.address}: correct the URL if nothing answers there"
        return asked + _about_the_name(standing)
    return _about_the_name(standing)


def _about_the_name(standing: Standing) -> str:
    if not standing.assumed:
        return ""
    if standing.listed:
        names = ", ".join(shown(name) for name in standing.listed[:8])
        return (
            f". The model name {standing.assumed!r} was assumed; the server lists {names}: give one as the model name"
        )
    return f". The model name {standing.assumed!r} was assumed: give the server's own if it wants one"
