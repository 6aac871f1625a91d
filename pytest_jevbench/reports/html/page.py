"""The page: its head, the contents, the sections, and what a file dropped on it is opened in."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files

from markupsafe import Markup

from pytest_jevbench import __version__
from pytest_jevbench.reports.html.registry import sections_of
from pytest_jevbench.reports.html.rendering import render
from pytest_jevbench.reports.html.section import Report

__all__ = ["report_page"]

SCRIPT = ("helpers", "tables", "tests", "opening", "reading", "start")


def report_page(report: Report, *, title: str | None = None) -> str:
    """The whole page as one HTML text. Nothing in it is loaded from anywhere, and the browser is told to refuse it."""
    script = _script()
    return str(
        render(
            "page.html.j2",
            title=title or _title(report),
            kind="Coherence report" if report.cards else "Report",
            sections=sections_of(report),
            style=Markup(_asset("report.css")),
            script=Markup(script),
            script_hash=b64encode(sha256(script.encode()).digest()).decode(),
            version=__version__,
        )
    )


def _title(report: Report) -> str:
    if len(report.cards) == 1:
        card = report.cards[0].card
        return f"{card.name} on {card.suite or 'own cases'}"
    if report.cards:
        suites = dict.fromkeys(shown.card.suite or "own cases" for shown in report.cards)
        models = dict.fromkeys(shown.card.name for shown in report.cards)
        return f"{_some(list(models), 'models')} on {_some(list(suites), 'suites')}"
    return "Labelled tasks" if report.labelled else "Judges"


def _some(names: list[str], what: str) -> str:
    return ", ".join(names) if len(names) <= 3 else f"{len(names)} {what}"


def _script() -> str:
    """The parts of the script in one scope, which is not that of the page."""
    return '"use strict";\n(() => {\n' + "\n".join(_asset(f"script/{name}.js") for name in SCRIPT) + "})();"


def _asset(name: str) -> str:
    return (files("pytest_jevbench.reports.html") / name).read_text(encoding="utf-8")
