"""Fixtures that run a published server once for all tests that ask it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.servers.published import RunningServer

__all__ = ["jevcompat_mock", "laya_limited", "sparrow", "start_server"]

KEY = "sk-test-123"


@pytest.fixture(scope="session")
def jevcompat_mock() -> Iterator[RunningServer]:
    """The conformance suite's own model, without a key. It answers to the names ``mock`` and ``jev-latest``."""
    with RunningServer(["jevcompat", "mock", "--port", "{port}"], "mock") as server:
        yield server


@pytest.fixture(scope="session")
def sparrow() -> Iterator[RunningServer]:
    """A small model with real weights; it answers to any name and 200 to any GET."""
    with RunningServer(["sparrow-decider", "serve", "--port", "{port}"]) as server:
        yield server


@pytest.fixture(scope="session")
def laya_limited() -> Iterator[RunningServer]:
    """A server that wants the key ``sk-test-123`` and allows 4 requests a minute."""
    env = {"LAYA_SERVE_API_KEY": KEY, "LAYA_SERVE_RATE_LIMIT_PER_MINUTE": "4"}
    with RunningServer(["laya-serve", "--host", "127.0.0.1", "--port", "{port}"], env=env) as server:
        yield server


@pytest.fixture
def start_server() -> Iterator[Callable[..., RunningServer]]:
    """Starts a published server for one test: ``start_server("jevcompat", "mock", "--port", "{port}")``."""
    with ExitStack() as stack:

        def start(*command: str, model: str = "default", env: dict[str, str] | None = None) -> RunningServer:
            return stack.enter_context(RunningServer(command, model, env))

        yield start
