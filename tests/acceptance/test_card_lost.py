"""A card that cannot be written at the end."""

from __future__ import annotations

from collections.abc import Callable

import pytest

CONFTEST = """
import pathlib, pytest

@pytest.hookimpl(wrapper=True)
def pytest_runtestloop():
    yield
    folder = pathlib.Path("cards")
    (folder / "card.json").unlink()
    folder.rmdir()
    folder.touch()
    return True
"""


def test_it_is_said_and_the_run_is_incomplete(
    run_jevbench: Callable[..., pytest.RunResult], pytester: pytest.Pytester
) -> None:
    place = pytester.path / "cards" / "card.json"
    place.parent.mkdir()
    place.write_text("of an earlier run", encoding="utf-8")
    pytester.makeconftest(CONFTEST)
    options = ("--jevbench-suite=jevbench-examples", "--jevbench-reference=uniform", "--jevbench-fail-on=never")
    result = run_jevbench(*options, "--jevbench-card=cards/card.json")
    assert result.ret == 16
    result.stdout.fnmatch_lines(["card: cards/card.json could not be written*", "*--jevbench-card=FILE*"])
    result.stdout.no_fnmatch_line("*card report cards/card.json*")
