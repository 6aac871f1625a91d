"""How the result of a part's test travels with its reports. Registered once a part is found, in every process."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from pytest_jevbench.plugin.item import Unjudged, Violation
from pytest_jevbench.plugin.keys import PARTS
from pytest_jevbench.plugin.part_asking import JUDGED, part_test_of
from pytest_jevbench.plugin.part_session import described

__all__ = ["pytest_pyfunc_call", "pytest_report_teststatus", "pytest_runtest_makereport"]

_TOLD: pytest.StashKey[bool] = pytest.StashKey()


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, object, object]:
    """Fail a function whose test is violated, after its body had its say."""
    result = yield
    judged = pyfuncitem.stash.get(JUDGED, None)
    if judged is not None and judged.payload.get("fails"):
        raise Violation(str(judged.test))
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[Any]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Say of which test a report is, and attach the result to the phase that ended it."""
    report = yield
    of = part_test_of(item)
    if of is not None:
        told: dict[str, Any] = {"part": of.part.spec.name, "test": of.name}
        judged = item.stash.get(JUDGED, None)
        if judged is not None and (report.when == "call" or (report.when == "setup" and not report.passed)):
            error = None if call.excinfo is None else call.excinfo.value
            ours = isinstance(error, (Violation, Unjudged))
            if ours and report.outcome == "failed":
                report.longrepr = str(error)
            told["payload"] = judged.payload
            told["own_failure"] = report.outcome != "passed" and not ours
        if report.when == "teardown" and judged is not None:
            del item.stash[JUDGED]
        report.jevbench_part = told  # type: ignore[attr-defined]
    if hasattr(item.config, "workerinput") and not item.config.stash.get(_TOLD, False):
        item.config.stash[_TOLD] = True
        report.jevbench_parts = _described(item.session)  # type: ignore[attr-defined]
    return report


def _described(session: pytest.Session) -> list[Any]:
    """What a worker found, for the controller, which collects nothing."""
    collected: dict[str, list[str]] = {}
    for item in session.items:
        of = part_test_of(item)
        if of is not None:
            collected.setdefault(of.part.spec.name, []).append(of.name)
    collected = {name: list(dict.fromkeys(names)) for name, names in collected.items()}
    return described(session.config.stash[PARTS], collected)


def pytest_report_teststatus(
    report: pytest.TestReport | pytest.CollectReport, config: pytest.Config
) -> tuple[str, str, str | tuple[str, dict[str, bool]]] | None:
    """Categories of our own for what is violated or unjudged; whatever a function fails by itself stays pytest's."""
    told = getattr(report, "jevbench_part", None)
    if told is None or "payload" not in told or told["own_failure"] or report.outcome == "rerun":  # type: ignore[comparison-overlap]
        return None
    verdict = told["payload"].get("verdict")
    if verdict == "violated":
        return verdict, "v", ("VIOLATED", {"yellow": True})
    if verdict == "unjudged":
        return verdict, "u", ("UNJUDGED", {"red": True})
    return None
