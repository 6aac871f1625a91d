"""The lines for whoever waits."""

from __future__ import annotations

import pytest

from pytest_jevbench.plugin.waiting import WaitLines


def test_a_line_now_and_then_on_the_terminal(pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]) -> None:
    config = pytester.parseconfigure()
    times = iter([0.0, 9.9, 10.0])
    tell = WaitLines(config, clock=lambda: next(times))
    capsys.readouterr()
    for text in ("busy", "still busy", "busy again"):
        tell(text)
    assert capsys.readouterr().out.splitlines() == ["jevbench: busy", "jevbench: busy again"]


def test_nothing_is_said_where_there_is_no_terminal(
    pytester: pytest.Pytester, capsys: pytest.CaptureFixture[str]
) -> None:
    config = pytester.parseconfigure("-p", "no:terminal")
    capsys.readouterr()
    WaitLines(config)("busy")
    assert capsys.readouterr() == ("", "")
