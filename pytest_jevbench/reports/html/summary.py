"""The first screen."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_jevbench.reports.html.rendering import render
from pytest_jevbench.reports.html.section import Report, Section


def sections(report: Report) -> Iterator[Section]:
    if report.cards:
        yield Section("summary", "Result", render("summary.html.j2", cards=report.cards))
