"""``pytest-jevbench serve`` as a process."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from typing import Any

import pytest

from pytest_jevbench.cli import main
from pytest_jevbench.models.reference import reference_model
from pytest_jevbench.models.systemone import SystemOne
from tests.models.conftest import ONE_NOUL


@pytest.mark.parametrize("interrupt", [signal.SIGINT, signal.SIGTERM])
def test_it_says_where_it_answers_and_ends_when_told(interrupt: signal.Signals) -> None:
    command = [sys.executable, "-m", "pytest_jevbench", "serve", "luce", "--port", "0", "--api-key-env", "KEY"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ, "KEY": "sk-test-123"}
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        line = process.stdout.readline()
        found = re.match(r"luce answers at (http://127\.0\.0\.1:\d+/v1/systemone)", line)
        assert found is not None
        with SystemOne(found[1], api_key="sk-test-123") as model:
            assert model.ask(ONE_NOUL).answers == reference_model("luce").ask(ONE_NOUL).answers
        process.send_signal(interrupt)
        status = process.wait(30)
        assert status == (0 if interrupt == signal.SIGINT else -signal.SIGTERM)
        assert process.stderr.read() == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["lucy"], "did you mean luce"),
        (["luce", "--port", "70000"], "65535"),
        (["luce", "--api-key-env", "JEVBENCH_TEST_UNSET"], "JEVBENCH_TEST_UNSET"),
        (["luce", "--host", "no host"], "cannot be listened on"),
    ],
)
def test_what_was_typed_wrong_is_one_line(arguments: list[str], words: str, capsys: Any) -> None:
    assert main(["serve", *arguments]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert error.count("\n") == 1
