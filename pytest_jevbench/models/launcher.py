"""Servers that a run starts for itself: started, waited for, always stopped."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import ExitStack
from pathlib import Path
from threading import Event

from pytest_jevbench.errors import AnswerFormatError, InputError, JevbenchError, ModelError, Place, Refused, Unreachable
from pytest_jevbench.json_text import printable
from pytest_jevbench.models.command_lines import command_line, shown_command
from pytest_jevbench.models.dialects.base import Dialect
from pytest_jevbench.models.dialects.systemone import SYSTEMONE
from pytest_jevbench.models.passing_folders import leave_folder, passing_folder
from pytest_jevbench.models.processes import OrphanGuard, ProcessGroup
from pytest_jevbench.models.redaction import Redactor
from pytest_jevbench.questions import Noul, Request

__all__ = ["PROBE", "Launcher", "free_ports", "launch_all"]

PROBE = Request("The parcel arrived on Monday.", {"arrived": Noul("Has the parcel arrived?")})
"""What a starting server is asked until it answers."""

READY_WITHIN = 120.0
_PATIENCE = 5.0
"""How long a server that answers and says no may still be loading, in seconds."""

_TAIL_LINES = 15
_TAIL_CHARACTERS = 1500
_PLACE = Place(field="launch command")
_CANCELLED = "another server could not be started"
_PORT_TAKEN = ("address already in use", "address in use", "eaddrinuse", "only one usage of each socket address")


class Launcher:
    """One server, started as a group of processes on a free port.

    ``command`` holds ``{port}``. :meth:`start` returns the server's URL once it has answered a POST with answers,
    and :meth:`stop` ends the server with all that it started; used as a context it does both. ``model`` and
    ``api_key`` are for the question that finds out whether it is ready, which is asked in ``dialect``; ``ready_within``
    is the longest to wait (seconds). The server's output goes to a file whose end is part of every error.

    Raises :class:`InputError` for a command without ``{port}`` or without a program.
    """

    def __init__(
        self,
        command: str | Sequence[str],
        *,
        model: str | None = None,
        api_key: str | None = None,
        ready_within: float = READY_WITHIN,
        environ: Mapping[str, str] | None = None,
        guard: OrphanGuard | None = None,
        dialect: Dialect = SYSTEMONE,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._line = command_line(command, _PLACE)
        if not any("{port}" in word for word in self._line.words):
            raise InputError(
                "the command does not say where the port goes",
                place=_PLACE,
                advice="Write {port} where the server takes its port, such as: serve --port {port}",
            )
        keys = (api_key,) if api_key else ()
        self._redact = Redactor((*self._line.secrets, *keys))
        self._shown = shown_command(command, keys)
        self._model = model
        self._api_key = api_key
        self._ready_within = ready_within
        self._dialect = dialect
        self._environ = dict(os.environ if environ is None else environ)
        self.guard = guard
        self._sleep = sleep
        self._clock = clock
        self._group: ProcessGroup | None = None
        self._log: Path | None = None
        """Where the server's output goes, in a folder of its own."""
        self._url = ""

    def __repr__(self) -> str:
        return f"Launcher({self.command!r})"

    def __enter__(self) -> Launcher:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    @property
    def command(self) -> str:
        """The command with ``{port}`` unfilled, without secrets."""
        return self._shown

    @property
    def secrets(self) -> tuple[str, ...]:
        """What must not be shown of the command."""
        return self._line.secrets

    @property
    def url(self) -> str:
        """The server's root; empty before it has started."""
        return self._url

    def start(self, port: int | None = None, cancelled: Event | None = None) -> str:
        """Start the server and wait until it answers; its URL.

        Raises :class:`Unreachable` with the end of the server's output where it ends early, says no, or does not
        answer in time; the server is stopped then.
        """
        cancelled = cancelled or Event()
        for attempt in range(3):
            if cancelled.is_set():
                raise Unreachable(_CANCELLED)
            try:
                return self._start_on(free_ports(1)[0] if port is None else port, cancelled)
            except _PortTaken as taken:
                if attempt == 2 or cancelled.is_set():
                    raise Unreachable(str(taken)) from None
                port = None
        raise AssertionError("the loop returns or raises")

    def stop(self) -> None:
        """End the server and all that it started. Does nothing where it is not running."""
        group, self._group = self._group, None
        try:
            if group is not None:
                group.stop()
                if self.guard is not None:
                    self.guard.forget(group)
        finally:
            log, self._log = self._log, None
            if log is not None:
                leave_folder(log.parent)

    def gone(self) -> str | None:
        """Why the server can answer no more: it has ended. None while it runs."""
        group = self._group
        if group is None:
            return None
        status = group.exit_status()
        return None if status is None else self._told(f"the launched server has ended ({_how(status)})")

    def _start_on(self, port: int, cancelled: Event) -> str:
        self._log = passing_folder("server") / "output.log"
        handle = os.open(self._log, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        try:
            group = ProcessGroup(
                self._line.with_port(port),
                stdout=handle,
                stderr=handle,
                env=self._line.environment({"PYTHONUNBUFFERED": "1", **self._environ}),
            )
        except OSError as error:
            self.stop()
            raise InputError(f"{self.command} cannot be started: {error.strerror}", place=_PLACE) from None
        finally:
            os.close(handle)
        self._group = group
        if self.guard is not None:
            self.guard.watch(group, self._log)
        try:
            self._url = self._wait(port, cancelled)
        except BaseException:
            self.stop()
            raise
        return self._url

    def _wait(self, port: int, cancelled: Event) -> str:
        """Ask until the server answers; on both loopback addresses, because ``localhost`` may be either."""
        started = self._clock()
        pause = 0.02
        said_no_since: float | None = None
        last: JevbenchError | None = None
        while True:
            for host in ("127.0.0.1", "[::1]"):
                url = f"http://{host}:{port}"
                problem, heard = self._ask(url, started)
                self._raise_if_ended()
                if problem is None:
                    return url
                if heard:
                    last = problem
                    break
            now = self._clock()
            if not isinstance(last, (Refused, AnswerFormatError)):
                said_no_since = None
            elif said_no_since is None:
                said_no_since = now
            if said_no_since is not None and now - said_no_since >= _PATIENCE:
                raise Unreachable(self._told(f"the launched server is up and does not answer: {last}"))
            if now - started >= self._ready_within:
                why = f"the last: {last}" if last else "nothing listens on its port"
                raise Unreachable(
                    self._told(f"the launched server did not answer within {self._ready_within:g} s; {why}")
                )
            if cancelled.is_set():
                raise Unreachable(_CANCELLED)
            self._sleep(pause)
            pause = min(1.0, pause * 1.5)

    def _ask(self, url: str, started: float) -> tuple[JevbenchError | None, bool]:
        """What is wrong with asking the server, None where it answers; and whether it said anything at all."""
        from pytest_jevbench.models.http_model import HttpModel

        model = HttpModel(
            url,
            dialect=self._dialect,
            model=self._model,
            api_key=self._api_key,
            retries=0,
            timeout=max(1.0, started + self._ready_within - self._clock()),
            environ={},
            secrets=self.secrets,
        )
        try:
            model.ask(PROBE)
        except (ModelError, AnswerFormatError) as error:
            return error, model.heard
        finally:
            model.close()
        return None, True

    def _raise_if_ended(self) -> None:
        group = self._group
        status = group.exit_status() if group is not None else None
        if status is None:
            return
        message = self._told(f"the launched server ended before it answered ({_how(status)})")
        if any(words in self._output().lower() for words in _PORT_TAKEN):
            raise _PortTaken(message)
        raise Unreachable(message)

    def _told(self, what: str) -> str:
        tail = self._tail()
        return f"{self.command}: {what}." + (f"\nThe end of its output:\n{tail}" if tail else "\nIt wrote nothing")

    def _tail(self) -> str:
        lines = self._output().rstrip().splitlines()[-_TAIL_LINES:]
        return "\n".join(f"  {line}" for line in lines)[-_TAIL_CHARACTERS:]

    def _output(self) -> str:
        if self._log is None:
            return ""
        with self._log.open("rb") as stream:
            stream.seek(0, os.SEEK_END)
            stream.seek(max(0, stream.tell() - 8 * _TAIL_CHARACTERS))
            return self._redact(printable(stream.read().decode("utf-8", "replace").replace("\r\n", "\n")))


class _PortTaken(Exception):
    """Somebody took the port between our look and the server's."""


def _how(status: int) -> str:
    return f"killed by signal {-status}" if status < 0 else f"exit status {status}"


def free_ports(count: int) -> list[int]:
    """Distinct ports of the loopback address that nothing listens on."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket(socket.AF_INET, socket.SOCK_STREAM)) for _ in range(count)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def launch_all(launchers: Sequence[Launcher]) -> list[str]:
    """Start servers side by side; their URLs, in order. Where one fails all are stopped and its error is raised."""
    cancelled = Event()
    ports = free_ports(len(launchers))
    with ThreadPoolExecutor(max_workers=max(1, len(launchers)), thread_name_prefix="jevbench-launch") as pool:
        futures = [pool.submit(one.start, port, cancelled) for one, port in zip(launchers, ports, strict=True)]
        try:
            done, _ = wait(futures, return_when=FIRST_EXCEPTION)
            for future in done:
                future.result()
            return [future.result() for future in futures]
        except BaseException:
            cancelled.set()
            for one in launchers:
                one.stop()
            raise
