"""Published servers, run as processes."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from pathlib import Path

__all__ = ["RunningServer", "free_port", "program"]

_PROBE = {"model": "", "state": "x", "questions": {"q": {"type": "noul", "instructions": "Is it?"}}}


def program(name: str) -> str:
    """The path of a program of the environment that runs the tests, else of one on PATH."""
    path = shutil.which(name, path=str(Path(sys.executable).parent)) or shutil.which(name)
    if path is None:
        raise FileNotFoundError(f"{name} is not installed: pip install -e '.[test]'")
    return path


def free_port() -> int:
    """A port that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class ServerEnded(RuntimeError):
    """A server ended before it answered."""


class RunningServer:
    """A server started with ``{port}`` replaced, stopped at the end. Any HTTP answer to a POST means it is there."""

    def __init__(self, command: Sequence[str], model: str = "default", env: Mapping[str, str] | None = None) -> None:
        self.command = command
        self.model = model
        self._env = {**os.environ, **(env or {})}

    def __enter__(self) -> RunningServer:
        for _ in range(2):
            try:
                return self._started()
            except ServerEnded:  # another process may have taken the port meanwhile
                continue
        return self._started()

    def _started(self) -> RunningServer:
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        words = [part.replace("{port}", str(self.port)) for part in self.command]
        self.process = subprocess.Popen(
            [program(words[0]), *words[1:]],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=self._env,
        )
        try:
            self._wait(60.0)
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _wait(self, limit: float) -> None:
        direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        body = json.dumps({**_PROBE, "model": self.model}).encode()
        request = urllib.request.Request(
            f"{self.url}/v1/systemone", body, {"content-type": "application/json"}, method="POST"
        )
        end = time.monotonic() + limit
        while time.monotonic() < end:
            if self.process.poll() is not None:
                raise ServerEnded(f"{self.command[0]} ended with status {self.process.returncode}")
            try:
                direct.open(request, timeout=10).close()
            except urllib.error.HTTPError as error:
                error.close()
            except OSError:
                time.sleep(0.02)
                continue
            return
        raise TimeoutError(f"{self.command[0]} did not answer within {limit} s")
