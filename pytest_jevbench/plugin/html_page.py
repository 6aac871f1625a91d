"""The page that ``--jevbench-html`` names: one for everything that a session measured, written at its end."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from pytest_jevbench.files import write_whole
from pytest_jevbench.json_text import JSON
from pytest_jevbench.plugin.settings import Settings, runs_nothing
from pytest_jevbench.reports.github import inert
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.warning import notify

__all__ = ["HtmlPage", "add_card_to_page", "add_result_to_page", "register_page"]

NAME = "jevbench-html"


class HtmlPage:
    """Gathers cards and results of a session. Cards come with what they are compared with."""

    def __init__(self, config: pytest.Config, settings: Settings) -> None:
        self._config = config
        self.path: Path = settings.path("html")
        self._shown = settings.as_typed(self.path)
        self._cards: list[tuple[Card, Card | None]] = []
        self._labelled: list[Mapping[str, JSON]] = []
        self._told = ""

    def add_card(self, card: Card, baseline: Card | None) -> None:
        self._cards.append((card, baseline))

    def add_labelled(self, result: Mapping[str, JSON]) -> None:
        self._labelled.append(result)

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_sessionfinish(self) -> Generator[None, object, object]:
        """Write the page when everything that measures has ended, and before the terminal tells of it."""
        told = yield
        if runs_nothing(self._config) or not (self._cards or self._labelled):
            return told
        from pytest_jevbench.reports.html.documents import Result
        from pytest_jevbench.reports.html.page import report_page
        from pytest_jevbench.reports.html.section import Report, shown_cards
        from pytest_jevbench.scoring.compared_cards import compare_with

        compared = [
            (card, None if baseline is None else compare_with(card, baseline)) for card, baseline in self._cards
        ]
        labelled = tuple(Result("labelled", data) for data in self._labelled)
        page = report_page(Report(cards=shown_cards(compared), labelled=labelled))
        try:
            self.path.resolve().parent.mkdir(parents=True, exist_ok=True)
            write_whole(self.path, page)
            self._told = f"report: {self._shown}"
        except OSError as error:
            problem = f"{self._shown} could not be written ({error.strerror or error})"
            notify(f"jevbench: {problem}")
            self._told = f"report: {problem}; pytest-jevbench card report CARD --html FILE makes it from the card"
        return told

    @pytest.hookimpl(trylast=True)
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._told and self._config.get_verbosity() >= -1:
            terminalreporter.write_line(inert(self._told))


def register_page(config: pytest.Config, settings: Settings) -> None:
    """Let a page be made where one was asked for; once a session, in the process that gathers the results."""
    if settings.get("html") is not None and not config.pluginmanager.has_plugin(NAME):
        config.pluginmanager.register(HtmlPage(config, settings), NAME)


def add_card_to_page(
    config: pytest.Config, card: Card, written: Mapping[str, JSON], baseline: Card | None = None
) -> None:
    """Add a card. ``written`` is its JSON value, whose gate and whose minimized tests are not computed with."""
    page = cast("HtmlPage | None", config.pluginmanager.get_plugin(NAME))
    if page is not None:
        more = {name: written[name] for name in ("gate", "minimized") if name in written}
        page.add_card(replace(card, data={**card.data, **more}), baseline)


def add_result_to_page(config: pytest.Config, result: Mapping[str, JSON]) -> None:
    """Add the result of labelled tasks, as its JSON value."""
    page = cast("HtmlPage | None", config.pluginmanager.get_plugin(NAME))
    if page is not None:
        page.add_labelled(result)
