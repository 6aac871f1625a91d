"""The sections of the page, in their order."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from typing import Protocol, cast

from pytest_jevbench.reports.html.section import Report, Section

__all__ = ["SECTIONS", "sections_of"]

SECTIONS: tuple[str, ...] = (
    "summary",
    "changes_section",
    "picture",
    "judging_section",
    "relations_section",
    "violations_section",
    "questions_section",
    "domains_section",
    "coherence_accuracy_section",
    "labelled_section",
    "judge_section",
    "run_section",
)
"""Modules of this package, each with a function ``sections(report)``. A new one is one line here, at its place."""


class _Builder(Protocol):
    def sections(self, report: Report) -> Iterator[Section]: ...


def sections_of(report: Report) -> list[Section]:
    """All sections that have something to say of the report. Raises ``ValueError`` where two have one id."""
    found: list[Section] = []
    for name in SECTIONS:
        builder = cast(_Builder, import_module(f"pytest_jevbench.reports.html.{name}"))
        found += builder.sections(report)
    ids = [section.id for section in found]
    if len(set(ids)) < len(ids):
        raise ValueError(f"two sections have one id: {sorted({one for one in ids if ids.count(one) > 1})}")
    return found
