"""The bar: on a terminal, in a notebook, nowhere else."""

from __future__ import annotations

import io
import sys
import types
from typing import Any

import pytest

from pytest_jevbench.plans.plan import TestId
from pytest_jevbench.reports.progress_display import NotebookDrawing, Progress, TerminalDrawing, drawing_here
from pytest_jevbench.runs.results import TestResult

HELD = TestResult(TestId("key_rename", "c", "q"), "tv", "held")
VIOLATED = TestResult(TestId("key_rename", "c", "q"), "tv", "violated")
UNJUDGED = TestResult(TestId("key_rename", "c", "q"), "tv", "unjudged", reason="lost")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def clock_of(*times: float) -> Any:
    ticking = iter(times)
    return lambda: next(ticking)


def test_a_terminal_is_drawn_on_and_left_as_it_was() -> None:
    terminal = Terminal()
    progress = Progress(4, drawing_here(terminal), clock=clock_of(0.0, 1.0, 1.05, 2.0))
    for result in (HELD, VIOLATED, UNJUDGED):
        progress(result)
    progress.end()
    drawn = [line.rstrip() for line in terminal.getvalue().split("\r") if line.strip()]
    assert drawn == [
        "jevbench  1/4 tests  25%  1.0/s  3 s left  0 violated",
        "jevbench  3/4 tests  75%  1.5/s  1 s left  1 violated  1 unjudged",  # the second came too soon to be drawn
    ]
    assert terminal.getvalue().endswith(f"\r{'':<79}\r")


@pytest.mark.parametrize("stream", [io.StringIO(), None], ids=["file", "none"])
def test_elsewhere_nothing_is_drawn(stream: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    assert drawing_here() is None
    closed = io.StringIO()
    closed.close()
    assert drawing_here(closed) is None


def test_a_notebook_gets_one_bar_that_is_updated_and_taken_away() -> None:
    shown: list[list[str]] = []

    def show(html: str) -> Any:
        outputs = [html]
        shown.append(outputs)
        return outputs.append

    progress = Progress(2, NotebookDrawing(show), clock=clock_of(0.0, 1.0, 2.0))
    progress(HELD)
    progress(VIOLATED)
    progress.end()
    [outputs] = shown
    assert [text.partition("<progress")[2].partition(" style")[0] for text in outputs[:2]] == [
        ' value="1" max="2"',
        ' value="2" max="2"',
    ]
    assert "1 violated" in outputs[1]
    assert outputs[2:] == [""]


def jupyter(monkeypatch: pytest.MonkeyPatch, shell: object) -> list[tuple[str, str]]:
    """The parts of IPython that are used, as a kernel has them; gives what is displayed."""
    displayed: list[tuple[str, str]] = []

    class Handle:
        def update(self, html: str) -> None:
            displayed.append(("update", html))

    def display(html: str, display_id: bool) -> Handle:
        assert display_id
        displayed.append(("display", html))
        return Handle()

    package = types.ModuleType("IPython")
    package.get_ipython = lambda: shell  # type: ignore[attr-defined]
    parts = types.ModuleType("IPython.display")
    parts.HTML = str  # type: ignore[attr-defined]
    parts.display = display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", parts)
    return displayed


def test_a_kernel_is_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    displayed = jupyter(monkeypatch, types.SimpleNamespace(kernel=object()))
    progress = Progress(1, drawing_here())
    progress(HELD)
    progress.end()
    assert [how for how, _ in displayed] == ["display", "update"]


def test_ipython_in_a_terminal_is_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    jupyter(monkeypatch, types.SimpleNamespace())
    assert isinstance(drawing_here(Terminal()), TerminalDrawing)
    jupyter(monkeypatch, None)
    assert drawing_here(io.StringIO()) is None
