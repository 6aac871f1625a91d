"""The three questions of ``init``, asked on a terminal."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import yaml

from tests.cli.terminal import CTRL_C, CTRL_D, typed_at_a_terminal

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")

MODEL, SUITE, CI = "conftest.py: ", "[jevbench-mini]: ", "[github]: "


def names(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_every_default(tmp_path: Path) -> None:
    status, shown = typed_at_a_terminal(["init"], [(MODEL, "\n"), (SUITE, "\n"), (CI, "\n")], tmp_path)
    assert status == 0, shown
    assert (tmp_path / "pytest.ini").read_text(encoding="utf-8") == (
        "[pytest]\njevbench_suite = jevbench-mini\njevbench_store = off\n"
    )
    assert "def jevbench_model" in (tmp_path / "conftest.py").read_text(encoding="utf-8")
    assert {".github/workflows/coherence.yml", ".github/workflows/coherence-baseline.yml"} <= names(tmp_path)
    assert all(len(line) <= 80 for line in shown.splitlines())


def test_answers_that_cannot_be_used_are_asked_for_again(tmp_path: Path) -> None:
    talk = [
        (MODEL, "ftp://example.org\n"),
        (MODEL, "serve 'open --port {port}\n"),
        (MODEL, "serve --port {port} --name 'Größe 1'\n"),
        (SUITE, "jevbench-minni\n"),
        (SUITE, "  jevbench-examples \n"),
        (CI, "jenkins\n"),
        (CI, "gitlab\n"),
    ]
    status, shown = typed_at_a_terminal(["init"], talk, tmp_path)
    assert status == 0, shown
    for said in ("does not start with http:// or https://", "Close the quotes", "Did you mean", 'found "jenkins"'):
        assert said in shown
    assert (tmp_path / "pytest.ini").read_text(encoding="utf-8") == (
        "[pytest]\njevbench_launch = serve --port {port} --name 'Größe 1'\njevbench_suite = jevbench-examples\n"
        "jevbench_store = off\n"
    )
    assert "coherence" in yaml.safe_load((tmp_path / ".gitlab-ci.yml").read_text(encoding="utf-8"))


def test_what_options_say_is_not_asked(tmp_path: Path) -> None:
    words = ["init", "--suite", "jevbench-examples", "--ci", "none"]
    status, shown = typed_at_a_terminal(words, [(MODEL, "http://127.0.0.1:8000\n")], tmp_path)
    assert status == 0, shown
    assert names(tmp_path) == {"pytest.ini", "jevbench.yaml"}
    status, shown = typed_at_a_terminal(["init", "--yes"], [], tmp_path)
    assert (status, shown.count("no model is named")) == (2, 1)


@pytest.mark.parametrize(
    ("keys", "status", "said"),
    [(CTRL_C, 130, "interrupted"), (CTRL_D, 2, "the answers ended. Nothing was written")],
)
@pytest.mark.parametrize("at", [0, 2])
def test_a_person_who_goes_away_leaves_nothing(at: int, keys: str, status: int, said: str, tmp_path: Path) -> None:
    answers = [(MODEL, "\n"), (SUITE, "\n"), (CI, "\n")]
    done, shown = typed_at_a_terminal(["init"], [*answers[:at], (answers[at][0], keys)], tmp_path)
    assert done == status
    assert f"\npytest-jevbench: {said}" in shown
    assert "Traceback" not in shown
    assert names(tmp_path) == set()
