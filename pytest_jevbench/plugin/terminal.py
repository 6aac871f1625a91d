"""What a run prints at its end: the summary, then the worst violations in full."""

from __future__ import annotations

import shutil
from typing import Any

import pytest

from pytest_jevbench.plugin.finishing import IN_FULL, worst_violations
from pytest_jevbench.plugin.keys import SETTINGS
from pytest_jevbench.reports.tables import Level, summary
from pytest_jevbench.reports.text import MARKUP, Line, representable, wrapped
from pytest_jevbench.runs.results import TestResult
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.gate import GateResult

__all__ = ["print_end"]


def print_end(
    config: pytest.Config,
    reporter: pytest.TerminalReporter,
    card: Card,
    results: list[TestResult],
    gate: GateResult | None,
) -> None:
    """Print the end of a run. ``-q`` leaves out the violations, ``-qq`` everything."""
    verbosity = config.get_verbosity()
    if verbosity < -1:
        return
    settings = config.stash[SETTINGS]
    writer = _Writer(reporter)
    width = min(120, max(60, shutil.get_terminal_size().columns - 1))
    if verbosity >= 0:
        most = None if settings.get("full") or verbosity > 1 else IN_FULL
        violations = worst_violations(config, results, most, width)
        if violations:
            reporter.section("jevbench: worst violations")
            for text in violations:
                writer.write_text(text)
        violated = sum(result.verdict == "violated" for result in results)
        if most is not None and violated > most:
            writer.write_text(f"{violated - most} more are violated: -v names them, -vv or --jevbench-full tells all.")
    reporter.section("jevbench")
    levels: tuple[Level, ...] = ("dimension", "group", "relation")
    for of in summary(card, level=levels[min(max(verbosity, 0), 2)]):
        writer.write(of)
    if settings.get("domains_table"):
        writer.write_text("")
        for of in summary(card, level="domain"):
            writer.write(of)
    if gate is not None:
        reporter.section(f"jevbench: gate {gate.decision}")
        for text in gate.lines:
            for row in wrapped(text, width, "", "  "):
                writer.write_text(row)
    path = settings.card
    if path is not None:
        writer.write_text("")
        shown = (
            path
            if not path.is_relative_to(config.invocation_params.dir)
            else path.relative_to(config.invocation_params.dir)
        )
        writer.write_text(f"card: {shown}   (pytest-jevbench card report {shown} --level relation)")


class _Writer:
    """Writes lines with the reporter's markup, escaping what its terminal cannot show."""

    def __init__(self, reporter: pytest.TerminalReporter) -> None:
        self._reporter = reporter
        file: Any = getattr(reporter, "_tw", None)
        self._encoding = getattr(getattr(file, "_file", None), "encoding", None) or "utf-8"

    def write(self, of: Line) -> None:
        for text, style in of:
            self._reporter.write(representable(text, self._encoding), **MARKUP[style])
        self._reporter.write("\n")

    def write_text(self, text: str) -> None:
        self._reporter.write_line(representable(text, self._encoding))
