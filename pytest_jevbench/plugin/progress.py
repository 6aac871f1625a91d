"""One line that says how far a run is: tests done, rate, time left, violations."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable

import pytest

from pytest_jevbench.plugin.item import JevbenchItem
from pytest_jevbench.plugin.keys import RESULTS
from pytest_jevbench.reports.progress import progress_text
from pytest_jevbench.reports.text import clip

__all__ = ["Progress"]

QUIET_SECONDS = 15.0
"""How often a line is written where there is no terminal to draw on."""
DRAW_SECONDS = 0.1


class Progress:
    """Draws the line as reports come in; ``clock`` is monotonic seconds."""

    def __init__(self, config: pytest.Config, clock: Callable[[], float] = time.monotonic) -> None:
        self._config = config
        self._clock = clock
        self._started = clock()
        self._drawn = self._started
        self._done = self._violated = self._unjudged = 0
        self._open = False

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        payload = getattr(report, "jevbench", None)
        if payload is None:
            return
        self._done += 1
        self._violated += payload["verdict"] == "violated"
        self._unjudged += payload["verdict"] == "unjudged"
        self._draw()

    def _draw(self) -> None:
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is None or self._config.get_verbosity() != 0:
            return
        on_terminal = reporter.isatty and not self._config.pluginmanager.has_plugin("capture-off")
        now = self._clock()
        total = len(self._config.stash[RESULTS].collected)
        last = self._done >= total
        if now - self._drawn < (DRAW_SECONDS if on_terminal else QUIET_SECONDS) and not (last and on_terminal):
            return
        self._drawn = now
        text = progress_text(self._done, total, self._violated, self._unjudged, now - self._started)
        if on_terminal:
            width = shutil.get_terminal_size().columns - 1  # a line that wraps could not be drawn over
            reporter.rewrite(clip(text, max(width, 20)), erase=True)
            self._open = True
        else:
            reporter.ensure_newline()
            reporter.write_line(text)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> None:
        """The clock of the rate starts with the first test, not with collection."""
        self._started = self._drawn = self._clock()
        reporter = self._config.pluginmanager.get_plugin("terminalreporter")
        if reporter is not None and all(isinstance(item, JevbenchItem) for item in getattr(session, "items", ())):
            reporter.showfspath = False  # the line stands for what pytest prints for each file
