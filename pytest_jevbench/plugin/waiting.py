"""What a person at the terminal is told while a server keeps a run waiting."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

__all__ = ["WaitLines"]

APART = 10.0
"""Seconds between two lines: many replicas wait at once, and mostly for the same reason."""


class WaitLines:
    """Writes a line at once, whatever is captured. Called from any thread; ``clock`` is monotonic seconds.

    A worker of pytest-xdist has no terminal, and its lines are dropped.
    """

    def __init__(self, config: pytest.Config, clock: Callable[[], float] = time.monotonic) -> None:
        self._config = config
        self._clock = clock
        self._next = float("-inf")
        self._lock = threading.Lock()

    def __call__(self, text: str) -> None:
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        now = self._clock()
        with self._lock:
            if reporter is None or now < self._next:
                return
            self._next = now + APART
            reporter.ensure_newline()
            reporter.write_line(f"jevbench: {text}")
            reporter.flush()
