"""A call of a Gradio app over HTTP: a POST that starts it, and the event stream in which its result comes."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from pytest_jevbench.json_text import JsonProblem, dumps, loads
from pytest_jevbench.models.dialects.gradio_space import stream_outcome
from pytest_jevbench.models.reading_replies import Received, Trouble

if TYPE_CHECKING:
    from pytest_jevbench.models.http import Connection

__all__ = ["GradioWire"]


class GradioWire:
    """A connection on which one request is two exchanges for each of its calls, one call after another.

    A request is a JSON list of ``{"key", "data"}``. What comes back is ``{"streams": {key: event stream}}``, or the
    first response that is no success. A call that failed is the last one.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def begin(self, method: str, url: str, body: bytes | None) -> None:
        """Send a plain request, or take a list of calls in."""
        self._begun = (url, body)
        if method != "POST" or body is None:
            self._connection.begin(method, url, body)

    def finish(self) -> Received | Trouble:
        """The whole response to what was begun last."""
        url, body = self._begun
        return self._connection.finish() if body is None else self._called(url, loads(body.decode()))

    def send(self, method: str, url: str, body: bytes | None) -> Received | Trouble:
        self.begin(method, url, body)
        return self.finish()

    def close(self) -> None:
        self._connection.close()

    def _called(self, url: str, calls: list[dict[str, Any]]) -> Received | Trouble:
        streams: dict[str, str] = {}
        seconds = 0.0
        headers: Any = {}
        for call in calls:
            started = self._connection.send("POST", url, dumps({"data": call["data"]}, compact=True).encode())
            if isinstance(started, Trouble) or not started.ok:
                return started
            event = _event_of(started.body)
            if event is None:
                return started
            path, mark, query = url.partition("?")
            ended = self._connection.send("GET", f"{path}/{event}{mark}{query}", None)
            if isinstance(ended, Trouble) or not ended.ok:
                return ended
            seconds += started.seconds + ended.seconds
            headers = ended.headers
            streams[call["key"]] = ended.body.decode("utf-8", "replace")
            if isinstance(stream_outcome(streams[call["key"]]), Trouble):
                break
        kept = {name: value for name, value in headers.items() if name != "content-encoding"}
        return Received(200, kept, dumps({"streams": streams}).encode(), seconds)


def _event_of(body: bytes) -> str | None:
    """The number of a call that was started; None where the response names none that a URL can carry."""
    with suppress(JsonProblem, UnicodeDecodeError):
        value = loads(body.decode())
        event = value.get("event_id") if isinstance(value, dict) else None
        if isinstance(event, str) and event and all(c.isalnum() or c in "-_" for c in event) and event.isascii():
            return event
    return None
