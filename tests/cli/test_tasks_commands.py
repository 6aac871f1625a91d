"""``pytest-jevbench tasks ...`` as a person types it."""

from __future__ import annotations

import pytest

from pytest_jevbench.cli import main


@pytest.mark.parametrize("command", ["validate", "hash"])
def test_nothing_or_two_things_to_read(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tasks", command]) == 2
    assert "found nothing to read. Give PATH, or --suite=SUITE" in capsys.readouterr().err
    assert main(["tasks", command, "x.jsonl", "--suite", "jevbench-mini"]) == 2
    assert "found paths and --suite" in capsys.readouterr().err
