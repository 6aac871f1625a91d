"""The same server, the published package and this plugin: the same numbers."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.acceptance.published_package import compare, published_report
from tests.servers.published import RunningServer

Run = Callable[..., pytest.RunResult]


def agree(run_jevbench: Run, pytester: pytest.Pytester, server: RunningServer, suite: str) -> None:
    report = published_report(server.url, suite, pytester.path / "theirs.json", server.model)
    result = run_jevbench(
        f"--jevbench-suite=jevbench:{suite}",
        f"--jevbench-url={server.url}",
        f"--jevbench-model={server.model}",
        "--jevbench-store=off",
        "--jevbench-fail-on=never",
    )
    assert result.ret == 0
    card = json.loads((pytester.path / "jevbench-card.json").read_text(encoding="utf-8"))
    found = compare(card, report)
    assert found.outcomes >= card["counts"]["judged"] == card["counts"]["planned"]
    # Their tool breaks a tie by order, ours records no flip there.
    assert (found.deviations, found.verdicts, found.scores) == ([], [], [])
    assert found.flips == []


def test_the_demonstration_suite(run_jevbench: Run, pytester: pytest.Pytester, sparrow: RunningServer) -> None:
    agree(run_jevbench, pytester, sparrow, "examples")


@pytest.mark.slow
def test_a_model_with_real_weights_on_the_mini_suite(
    run_jevbench: Run, pytester: pytest.Pytester, sparrow: RunningServer
) -> None:
    agree(run_jevbench, pytester, sparrow, "jevbench-mini")


@pytest.mark.slow
def test_a_two_decimal_model_on_the_mini_suite(
    run_jevbench: Run, pytester: pytest.Pytester, jevcompat_mock: RunningServer
) -> None:
    agree(run_jevbench, pytester, jevcompat_mock, "jevbench-mini")
