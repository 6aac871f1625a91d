"""How an item's result travels with its report, and what pytest calls it. Registered in every process."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from pytest_jevbench.plugin.item import JevbenchItem

__all__ = ["pytest_report_teststatus", "pytest_runtest_makereport"]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[Any]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Attach the payload to the phase that decided: the setup of an unjudged test, the call of any other."""
    report = yield
    if isinstance(item, JevbenchItem):
        # pytest keeps every report to the end of the session, each with a copy of these
        report.keywords = item.keywords_told = item.keywords_told or report.keywords
    if isinstance(item, JevbenchItem) and item.payload is not None:
        unjudged = item.payload["verdict"] == "unjudged"
        if report.when == ("setup" if unjudged else "call"):
            report.jevbench = item.payload  # type: ignore[attr-defined]
    return report


def pytest_report_teststatus(
    report: pytest.TestReport | pytest.CollectReport, config: pytest.Config
) -> tuple[str, str, str | tuple[str, dict[str, bool]]] | None:
    """Categories of our own, so that violations and unjudged tests are counted apart and print no traceback."""
    payload = getattr(report, "jevbench", None)
    if payload is None or report.outcome == "rerun":  # type: ignore[comparison-overlap]
        return None
    verdict = "known" if payload.get("known") else payload["verdict"]
    category = "passed" if verdict == "held" else verdict
    if config.get_verbosity() <= 0:
        return category, "", ""  # the progress line stands for them all
    letters = {"held": ".", "violated": "v", "known": "k", "unjudged": "u", "not_applicable": "-"}
    colour = {"held": "green", "violated": "yellow", "known": "yellow", "unjudged": "red", "not_applicable": "yellow"}[
        verdict
    ]
    return category, letters[verdict], (verdict.upper(), {colour: True})
