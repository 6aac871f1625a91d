"""The evaluation of judges as lines of text and as Markdown."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_jevbench.reports.judge_tables import JudgeTable, judge_heading, judge_tables
from pytest_jevbench.reports.markdown_text import escaped, table
from pytest_jevbench.reports.text import Line, Segment, clip, columns, line, wrapped

__all__ = ["judge_lines", "judge_markdown"]

WIDTH = 100
NAME = 30
"""Columns that a name may take."""


def judge_lines(document: Mapping[str, Any]) -> list[Line]:
    """All tables of a document, with its cautions at the end."""
    lines = [line(Segment(clip(judge_heading(document), WIDTH), "title"))]
    for shown in judge_tables(document):
        lines += [line(""), line(Segment(clip(shown.title, WIDTH), "strong")), *_table(shown)]
        for note in shown.notes:
            lines += [line(Segment(row, "faint")) for row in wrapped(note, WIDTH, "  ", "    ")]
    if document["cautions"]:
        lines.append(line(""))
        for caution in document["cautions"]:
            lines += [line(row) for row in wrapped(caution, WIDTH, "* ", "  ")]
    return lines


def _table(shown: JudgeTable) -> list[Line]:
    if not shown.rows:
        return []
    cells = [[clip(cell.text, NAME) for cell in row] for row in shown.rows]
    widths = [max(columns(row[i]) for row in [list(shown.head), *cells]) for i in range(len(shown.head))]

    def fitted(texts: list[str]) -> list[str]:
        blanks = [" " * (width - columns(text)) for width, text in zip(widths, texts, strict=True)]
        return [
            text + gap if i < shown.left else gap + text
            for i, (text, gap) in enumerate(zip(texts, blanks, strict=True))
        ]

    lines = [line(Segment("  " + "  ".join(fitted(list(shown.head))), "faint"))]
    for row, texts in zip(shown.rows, cells, strict=True):
        parts = [Segment(f"  {text}", cell.style) for cell, text in zip(row, fitted(texts), strict=True)]
        lines.append(line(*parts))
    return lines


def judge_markdown(document: Mapping[str, Any]) -> str:
    """The same as GitHub's Markdown; no text of the data can start markup."""
    lines = [f"## {escaped(judge_heading(document))}", ""]
    for shown in judge_tables(document):
        lines += [f"### {escaped(shown.title)}", ""]
        if shown.rows:
            rows = [[escaped(cell.text) for cell in row] for row in shown.rows]
            lines += [*table([escaped(name) for name in shown.head], rows, left=shown.left), ""]
        lines += [*(f"- {escaped(note)}" for note in shown.notes), ""]
    lines += [f"> {escaped(caution)}" for caution in document["cautions"]]
    return "\n".join(lines).rstrip() + "\n"
