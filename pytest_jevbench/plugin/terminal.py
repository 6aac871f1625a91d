"""What a run prints at its end: the summary, then the worst violations in full."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from typing import Any

import pytest

from pytest_jevbench.plugin.finishing import IN_FULL, worst_violations
from pytest_jevbench.plugin.keys import RUN, SETTINGS
from pytest_jevbench.plugin.outputs import Finished, in_github
from pytest_jevbench.reports.changes import changes_text
from pytest_jevbench.reports.github import inert
from pytest_jevbench.reports.question_table import question_table
from pytest_jevbench.reports.tables import Level, summary
from pytest_jevbench.reports.text import MARKUP, Line, representable, wrapped
from pytest_jevbench.reports.violation import fitted
from pytest_jevbench.runs.planning import node_id

__all__ = ["print_end"]

QUESTIONS = 10
"""How many of the user's own questions are listed: the most fragile."""


def print_end(config: pytest.Config, reporter: pytest.TerminalReporter, end: Finished, *, of: str = "") -> None:
    """Print the end of a run, or ``of`` what is a part of a session.

    ``-q`` leaves out the violations that were not made smaller, ``-qq`` everything but GitHub's annotations.
    """
    writer = _Writer(reporter, of)
    verbosity = config.get_verbosity()
    if verbosity >= -1:
        width = min(120, max(60, shutil.get_terminal_size().columns - 1))
        if verbosity >= 0:
            _print_violations(config, writer, end, width)
        _print_minimized(config, writer, end)
        _print_scores(config, writer, end)
        if end.gate is not None:
            writer.section(f"jevbench: gate {end.gate.decision}")
            for text in end.gate.lines:
                writer.write_all(wrapped(text, width, "", "  "))
        _print_files(config, writer, end)
    reporter.ensure_newline()
    for annotation in end.annotations:
        reporter.write_line(annotation.line)


def _print_violations(config: pytest.Config, writer: _Writer, end: Finished, width: int) -> None:
    most = None if config.stash[SETTINGS].get("full") or config.get_verbosity() > 1 else IN_FULL
    worst = worst_violations(config, end.results, most, width)
    if worst:
        writer.section("jevbench: worst violations")
    for told in worst:
        writer.write_all([f"____ {told.headline}", *fitted(told.lines, width), ""])
    violated = sum(result.verdict == "violated" for result in end.results)
    if violated > len(worst):
        writer.write_text(
            f"{violated - len(worst)} more are violated: -v names them, -vv or --jevbench-full tells all."
        )


def _print_minimized(config: pytest.Config, writer: _Writer, end: Finished) -> None:
    section = end.card.data.get("minimized")
    if section is None:
        return
    settings = config.stash[SETTINGS]
    full = bool(settings.get("full")) or config.get_verbosity() > 0
    from pytest_jevbench.plugin.minimizing import model_words
    from pytest_jevbench.reports.minimized import minimized_text

    writer.section("jevbench: minimized")
    name = config.stash[RUN].suite.name
    writer.write_all(minimized_text(section, name, full=full, options=model_words(settings)))


def _print_scores(config: pytest.Config, writer: _Writer, end: Finished) -> None:
    settings, verbosity = config.stash[SETTINGS], config.get_verbosity()
    writer.section("jevbench")
    levels: tuple[Level, ...] = ("dimension", "group", "relation")
    for of in summary(end.card, level=levels[min(max(verbosity, 0), 2)]):
        writer.write(of)
    if settings.get("domains_table"):
        writer.write_text("")
        for of in summary(end.card, level="domain"):
            writer.write(of)
    if settings.planned == "cases":
        writer.write_text("")
        for of in question_table(end.card, most=None if verbosity > 0 else QUESTIONS):
            writer.write(of)
    if end.changes is not None:
        fixed = end.changes.fixed
        named = "" if verbosity > 0 or not fixed else " (-v names these)"
        writer.write_all(["", f"against the baseline: {changes_text(end.changes)}{named}"])
        if verbosity > 0:
            writer.write_all(f"  fixed  {node_id(config.stash[RUN].suite.name, test)}" for test in fixed)


def _print_files(config: pytest.Config, writer: _Writer, end: Finished) -> None:
    settings = config.stash[SETTINGS]
    if end.place is not None:
        shown = settings.as_typed(end.place.path)
        writer.write_text("")
        if end.card_lost:
            writer.write_text(f"card: {shown} could not be written, and what lies there is not of this run.")
            writer.write_text("Make room, or name another place with --jevbench-card=FILE, and run again.")
            return
        if end.place.kept is not None:
            kept = settings.as_typed(end.place.kept)
            writer.write_text(f"These are a part of the tests of {kept}, which stays as it is.")
        writer.write_text(f"card: {shown}   (pytest-jevbench card report {shown} --level relation)")


class _Writer:
    """Writes lines with the reporter's markup, escaping what its terminal cannot show."""

    def __init__(self, reporter: pytest.TerminalReporter, of: str) -> None:
        self._reporter = reporter
        self._of = f", {of}" if of else ""
        file: Any = getattr(reporter, "_tw", None)
        self._encoding = getattr(getattr(file, "_file", None), "encoding", None) or "utf-8"

    def section(self, title: str) -> None:
        self._reporter.section(title + self._of)

    def write(self, of: Line) -> None:
        for text, style in of:
            self._reporter.write(representable(text, self._encoding), **MARKUP[style])
        self._reporter.write("\n")

    def write_text(self, text: str) -> None:
        self._reporter.write_line(representable(inert(text) if in_github() else text, self._encoding))

    def write_all(self, texts: Iterable[str]) -> None:
        for text in texts:
            self.write_text(text)
