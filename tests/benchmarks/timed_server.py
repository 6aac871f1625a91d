"""Replicas of a model that take a fixed time a request, one request at a time each, in one cheap process.

Run as a script with the number of replicas and the milliseconds a request takes. It prints the ports as JSON, one
port a replica and a last one where a connection gets the figures so far as JSON and resets them.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import Counter, deque
from dataclasses import dataclass, field
from time import perf_counter, time
from typing import Any

MODELS = b'{"models":[{"name":"timed"}]}'


@dataclass
class Replica:
    """One request in service at a time, the others wait; ``busy`` is the time in service, in seconds."""

    seconds: float
    busy: float = 0.0
    first: float | None = None
    """When the first request came, in seconds since 1970."""
    last: float = 0.0
    most: int = 0
    asked: Counter[bytes] = field(default_factory=Counter)
    waiting: deque[tuple[Connection, bytes, float]] = field(default_factory=deque)

    def take(self, connection: Connection, body: bytes) -> None:
        if self.first is None:
            self.first = time()
        self.asked[body] += 1
        self.waiting.append((connection, body, perf_counter()))
        self.most = max(self.most, len(self.waiting))
        if len(self.waiting) == 1:
            self._serve()

    def _serve(self) -> None:
        began = perf_counter()
        asyncio.get_running_loop().call_at(asyncio.get_running_loop().time() + self.seconds, self._answer, began)

    def _answer(self, began: float) -> None:
        connection, body, _ = self.waiting.popleft()
        connection.reply(json.dumps({"model": "timed", "answers": answers(json.loads(body)["questions"])}).encode())
        self.busy += perf_counter() - began
        self.last = time()
        if self.waiting:
            self._serve()


def answers(questions: dict[str, Any]) -> dict[str, Any]:
    """Uniform answers."""
    given: dict[str, Any] = {}
    for key, q in questions.items():
        if q["type"] == "noul":
            given[key] = {"type": "noul", "noul": 0.5}
        else:
            ids = list(q["criteria"]) if q["type"] == "choice" else [str(i) for i in range(len(q["criteria"]))]
            given[key] = {"type": q["type"], "probabilities": dict.fromkeys(ids, 1 / len(ids))}
    return given


class Connection(asyncio.Protocol):
    """Just enough HTTP for requests with a content length, one after the other on a connection."""

    def __init__(self, replica: Replica) -> None:
        self._replica = replica
        self._got = b""

    def connection_made(self, transport: Any) -> None:
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._got += data
        while (end := self._got.find(b"\r\n\r\n")) >= 0:
            head = self._got[:end].decode("latin-1").lower()
            length = 0
            for line in head.split("\r\n")[1:]:
                if line.startswith("content-length:"):
                    length = int(line.partition(":")[2])
            if len(self._got) < end + 4 + length:
                return
            body, self._got = self._got[end + 4 : end + 4 + length], self._got[end + 4 + length :]
            if head.startswith("get"):
                self.reply(MODELS)
            else:
                self._replica.take(self, body)

    def reply(self, body: bytes) -> None:
        if not self._transport.is_closing():
            head = f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n\r\n"
            self._transport.write(head.encode() + body)


def figures(replicas: list[Replica]) -> dict[str, Any]:
    """What happened since the last call."""
    asked: Counter[bytes] = Counter()
    for replica in replicas:
        asked += replica.asked
    told = {
        "busy": [replica.busy for replica in replicas],
        "first": min((r.first for r in replicas if r.first is not None), default=0.0),
        "last": max(replica.last for replica in replicas),
        "most": max(replica.most for replica in replicas),
        "requests": sum(asked.values()),
        "distinct": len(asked),
    }
    for replica in replicas:
        replica.busy, replica.first, replica.last, replica.most, replica.asked = 0.0, None, 0.0, 0, Counter()
    return told


async def main(count: int, milliseconds: float) -> None:
    replicas = [Replica(milliseconds / 1000) for _ in range(count)]
    loop = asyncio.get_running_loop()
    ports = []
    for replica in replicas:
        server = await loop.create_server(lambda replica=replica: Connection(replica), "127.0.0.1", 0)  # type: ignore[misc]
        ports.append(server.sockets[0].getsockname()[1])

    async def tell(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(json.dumps(figures(replicas)).encode())
        await writer.drain()
        writer.close()

    control = await asyncio.start_server(tell, "127.0.0.1", 0)
    ports.append(control.sockets[0].getsockname()[1])
    sys.stdout.write(f"{json.dumps(ports)}\n")
    sys.stdout.flush()
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), float(sys.argv[2])))
