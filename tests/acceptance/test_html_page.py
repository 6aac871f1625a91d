"""``--jevbench-html``: one page for everything that a session measured."""

from __future__ import annotations

from collections.abc import Callable

import pytest

RUN = (
    "--jevbench-suite=jevbench-examples",
    "--jevbench-fail-on=never",
    "--jevbench-store=off",
    "--jevbench-bootstrap=0",
)


def test_a_run_leaves_its_page(run_jevbench: Callable[..., pytest.RunResult], pytester: pytest.Pytester) -> None:
    result = run_jevbench(*RUN, "--jevbench-reference=uniform", "--jevbench-html=out/report.html")
    result.stdout.fnmatch_lines(["card: jevbench-card.json*", "report: out/report.html"])
    page = (pytester.path / "out" / "report.html").read_text(encoding="utf-8")
    assert page.startswith("<!DOCTYPE html>")
    assert "uniform on jevbench-examples" in page


def test_the_gate_is_its_verdict(run_jevbench: Callable[..., pytest.RunResult], pytester: pytest.Pytester) -> None:
    gate = ("--jevbench-require=max_violation_rate=0", "--jevbench-html=report.html", "-n", "2")
    result = run_jevbench(*RUN[:1], *RUN[2:], "--jevbench-reference=luce_biased", *gate)
    assert result.ret == 1
    page = (pytester.path / "report.html").read_text(encoding="utf-8")
    assert "Gate failed" in page
    assert "Conditions of the gate" in page


def test_marked_functions_share_a_page(
    run_jevbench: Callable[..., pytest.RunResult], pytester: pytest.Pytester, conftest_model: Callable[[str], None]
) -> None:
    conftest_model("return uniform")
    pytester.makepyfile(
        "import pytest\n"
        "@pytest.mark.jevbench_suite(suite='jevbench-examples', dimensions='BAT')\ndef test_one(jevbench_test): pass\n"
        "@pytest.mark.jevbench_suite(suite='jevbench-examples', dimensions='LOG')\ndef test_two(jevbench_test): pass\n"
    )
    result = run_jevbench("--jevbench-html=report.html", "--jevbench-bootstrap=0", "--jevbench-store=off")
    result.stdout.fnmatch_lines(["report: report.html"])
    page = (pytester.path / "report.html").read_text(encoding="utf-8")
    assert page.count('<article class="hero') == 2


def test_a_place_that_cannot_be_written_costs_no_request(run_jevbench: Callable[..., pytest.RunResult]) -> None:
    result = run_jevbench(*RUN, "--jevbench-reference=uniform", "--jevbench-html=.")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*this is a directory, not a file. Give --jevbench-html=FILE*"])


def test_a_page_that_cannot_be_written_is_told_at_the_end(
    run_jevbench: Callable[..., pytest.RunResult], pytester: pytest.Pytester
) -> None:
    pytester.makeconftest(
        "import pathlib, pytest\n"
        "@pytest.hookimpl(wrapper=True)\n"
        "def pytest_runtestloop():\n"
        "    yield\n"
        "    pathlib.Path('pages').touch()\n"
        "    return True\n"
    )
    result = run_jevbench(*RUN, "--jevbench-reference=uniform", "--jevbench-html=pages/report.html")
    result.stdout.fnmatch_lines(["card: *", "report: pages/report.html could not be written*card report CARD --html*"])
