"""How far a run is, shown while it lasts: redrawn on a terminal or in a notebook, and nowhere else."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from html import escape
from typing import Any, Protocol, TextIO

from pytest_jevbench.reports.progress import progress_text
from pytest_jevbench.runs.results import TestResult

__all__ = ["Drawing", "NotebookDrawing", "Progress", "TerminalDrawing", "drawing_here"]

APART = 0.1
"""Seconds between two drawings."""


class Drawing(Protocol):
    """Where the line is drawn. ``done`` and ``total`` are tests."""

    def draw(self, text: str, done: int, total: int) -> None: ...

    def end(self) -> None: ...


class TerminalDrawing:
    """One line on a terminal, drawn over itself and wiped at the end."""

    def __init__(self, stream: TextIO, width: int = 79) -> None:
        self._stream = stream
        self._width = width

    def draw(self, text: str, done: int, total: int) -> None:
        """Draw the line in the place of the last one."""
        self._stream.write(f"\r{text[: self._width]:<{self._width}}")
        self._stream.flush()

    def end(self) -> None:
        """Leave an empty line for whatever is printed next."""
        self._stream.write(f"\r{'':<{self._width}}\r")
        self._stream.flush()


class NotebookDrawing:
    """A bar in the output of a cell, updated in place. ``show`` displays HTML and gives what updates it."""

    def __init__(self, show: Callable[[str], Callable[[str], None]]) -> None:
        self._show = show
        self._update: Callable[[str], None] | None = None

    def draw(self, text: str, done: int, total: int) -> None:
        """Draw the bar with its line."""
        html = (
            f'<div role="status"><progress value="{done}" max="{max(1, total)}" style="width:14em"></progress> '
            f"<code>{escape(text)}</code></div>"
        )
        if self._update is None:
            self._update = self._show(html)
        else:
            self._update(html)

    def end(self) -> None:
        """Take the bar away: what counts is in the card."""
        if self._update is not None:
            self._update("")


def drawing_here(stream: TextIO | None = None) -> Drawing | None:
    """What fits this process: a notebook's output where a Jupyter kernel runs, a terminal, or nothing."""
    show = _notebook()
    if show is not None:
        return NotebookDrawing(show)
    stream = sys.stderr if stream is None else stream
    try:
        return TerminalDrawing(stream) if stream.isatty() else None
    except (AttributeError, ValueError):  # no standard error, or a closed one
        return None


def _notebook() -> Callable[[str], Callable[[str], None]] | None:
    """Shows HTML in the notebook that runs this process; None where none does. IPython is not imported for it."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is None or getattr(shell, "kernel", None) is None:
        return None
    try:
        from IPython.display import HTML, display  # type: ignore[import-not-found,unused-ignore]
    except ImportError:
        return None

    def show(html: str) -> Callable[[str], None]:
        handle: Any = display(HTML(html), display_id=True)
        return lambda text: None if handle is None else handle.update(HTML(text))

    return show


class Progress:
    """Counts results and draws them, at most every tenth of a second; ``clock`` is monotonic seconds."""

    def __init__(self, total: int, drawing: Drawing | None, clock: Callable[[], float] = time.monotonic) -> None:
        self._total = total
        self._drawing = drawing
        self._clock = clock
        self._began = clock()
        self._drawn = float("-inf")
        self._done = self._violated = self._unjudged = 0

    def __call__(self, result: TestResult) -> None:
        """Take in one result."""
        self._done += 1
        self._violated += result.verdict == "violated"
        self._unjudged += result.verdict == "unjudged"
        now = self._clock()
        if self._drawing is not None and now - self._drawn >= APART:
            self._drawn = now
            text = progress_text(self._done, self._total, self._violated, self._unjudged, now - self._began)
            self._drawing.draw(text, self._done, self._total)

    def end(self) -> None:
        """Take away what was drawn."""
        if self._drawing is not None:
            self._drawing.end()
