"""Replicas of a reference model behind scripted servers, which count what they are asked."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

from pytest_jevbench.models.reference_server import respond
from tests.servers.scripted import ScriptedServer, Step, Talk, reply

__all__ = ["Replicas", "replicas"]


class Replicas:
    """Servers of one model. ``most`` is the largest number of requests that one of them had at once."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.servers: list[ScriptedServer] = []
        self.most = 0
        self._lock = threading.Lock()

    @property
    def urls(self) -> str:
        return ",".join(server.url for server in self.servers)

    @property
    def bodies(self) -> Counter[bytes]:
        """How often each request was asked, of whichever replica."""
        return Counter(asked.body for server in self.servers for asked in server.asked)

    def step(self) -> Step:
        """Answers, and counts the requests in flight at one server."""
        in_flight = 0

        def answer(talk: Talk) -> bool:
            nonlocal in_flight
            with self._lock:
                in_flight += 1
                self.most = max(self.most, in_flight)
            answered = respond(self.name, "POST", talk.asked.path, talk.asked.headers, talk.asked.body)
            with self._lock:
                in_flight -= 1
            return reply(answered.body, answered.status)(talk)

        return answer


@contextmanager
def replicas(count: int, name: str = "luce_biased") -> Iterator[Replicas]:
    """Run so many servers of a reference model, which they list under its name."""
    with ExitStack() as stack:
        group = Replicas(name)
        for _ in range(count):
            listed = reply({"models": [{"name": name}]})
            group.servers.append(stack.enter_context(ScriptedServer([group.step()], get=listed)))
        yield group
