"""A request as a curl command, with an environment variable wherever the model's options hold a secret."""

from __future__ import annotations

import json
import shlex
from dataclasses import dataclass

__all__ = ["CurlTarget", "curl_command"]


@dataclass(frozen=True, slots=True)
class CurlTarget:
    """Where a model is asked over HTTP.

    ``url`` may hold ``$VARIABLE``, which the shell fills in; ``key_variable`` is the environment variable that holds
    the bearer token, empty where none is sent. The values of neither are known here.
    """

    url: str
    key_variable: str = ""


def curl_command(target: CurlTarget, body: str) -> str:
    """The command of one line that sends a body, which is JSON text.

    >>> curl_command(CurlTarget("http://127.0.0.1:8000/v1/systemone", "KEY"), '{"a":"it\\'s"}').partition(" -H ")[0]
    'curl -sS http://127.0.0.1:8000/v1/systemone'
    """
    words = ["curl -sS", _url(target.url), "-H 'Content-Type: application/json'"]
    if target.key_variable:
        words.append(f'-H "Authorization: Bearer ${target.key_variable}"')
    return " ".join([*words, f"--data-raw {shlex.quote(body)}"])


def _url(url: str) -> str:
    return json.dumps(url) if "$" in url else shlex.quote(url)
