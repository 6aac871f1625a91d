"""While a run lasts: one line on a terminal, drawn over itself, and plain lines elsewhere."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from pytest_jevbench.reports.progress import progress_text
from tests.cli.terminal import typed_at_a_terminal

WORDS = ["--jevbench-suite=jevbench-examples", "--jevbench-reference=luce_biased", "--jevbench-store=off"]
WORDS += ["--jevbench-fail-on=never", "-p", "no:randomly", "-p", "no:hypothesispytest", "-p", "no:cacheprovider"]
LINE = re.compile(r"jevbench  (\d+)/50 tests  (\d+)%  [\d.]+/s(?:  \d+ (?:s|min) left)?  (\d+) violated")


@pytest.mark.parametrize(
    ("done", "violated", "unjudged", "seconds", "line"),
    [
        (0, 0, 0, 0.0, "jevbench  0/200 tests  0%  0 violated"),
        (1, 0, 0, 2.0, "jevbench  1/200 tests  0%  0.5/s  7 min left  0 violated"),
        (2, 1, 1, 400.0, "jevbench  2/200 tests  1%  0.0/s  11.0 h left  1 violated  1 unjudged"),
        (199, 3, 0, 19.9, "jevbench  199/200 tests  99%  10.0/s  0 s left  3 violated"),
        (200, 3, 0, 10.0, "jevbench  200/200 tests  100%  20.0/s  3 violated"),
    ],
)
def test_the_line(done: int, violated: int, unjudged: int, seconds: float, line: str) -> None:
    assert progress_text(done, 200, violated, unjudged, seconds) == line


def test_the_line_of_a_large_run_fits_80_columns() -> None:
    assert len(progress_text(11_999, 12_000, 11_000, 900, 500_000.0)) <= 80


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.slow
@pytest.mark.parametrize("wide", [80, 40])
def test_on_a_terminal_one_line_is_drawn_over_itself(wide: int, tmp_path: Path) -> None:
    status, shown = typed_at_a_terminal(
        WORDS, [], tmp_path, run="pytest:main", COLUMNS=str(wide), TERM="xterm", CI="", NO_COLOR="1"
    )
    assert status == 0, shown
    drawn = [part.rstrip() for part in shown.replace("\n", "\r").split("\r") if part.startswith("jevbench  ")]
    assert drawn
    assert all(len(part) < wide for part in drawn)
    if wide == 80:
        assert all(LINE.match(part) for part in drawn)
        assert drawn[-1].startswith("jevbench  50/50 tests  100%")
        violated = [int(match[3]) for part in drawn if (match := LINE.match(part))]
        assert violated == sorted(violated)
        assert f"{50 - violated[-1]} held, {violated[-1]} violated" in shown
    assert len([line for line in shown.split("\n") if "jevbench  50/50 tests" in line]) == 1
