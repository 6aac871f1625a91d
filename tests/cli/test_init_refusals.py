"""What the command that sets up a repository refuses, with nothing written."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.scoring.gate_config import read_gate
from tests.cli.initialised import CASES, EXAMPLES, MODEL, Init, files, folder, init, read_by_pytest

__all__ = ["folder", "init", "read_by_pytest"]

# What cannot be done --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("pyproject.toml", "[tool\n", "pyproject.toml: pytest cannot read this (Expected"),
        ("pytest.ini", "[pytest]\nnonsense\n", "pytest.ini, line 2: pytest cannot read this (unexpected line"),
        ("tox.ini", "a = 1\n", "tox.ini, line 1: pytest cannot read this (no section header"),
        ("pyproject.toml", "\ud83d", "pyproject.toml: this is not UTF-8. Save it as UTF-8"),
        ("pyproject.toml", "tool.pytest.ini_options.x = '1'\n", "the keys cannot be put in safely here"),
        ("pyproject.toml", "tool = {pytest = {ini_options = {x = '1'}}}\n", "the keys cannot be put in safely here"),
        ("pyproject.toml", 'a = """\n[tool.pytest.ini_options]\n"""\n[tool.pytest.ini_options.b]\n', "put in safely"),
        ("conftest.py", "def broken(:\n", "conftest.py: this is no Python that can be read"),
        ("conftest.py", "a = '\ud83d'\n", "conftest.py: this is no Python that can be read"),
    ],
)
def test_files_that_cannot_be_added_to(name: str, text: str, said: str, folder: Path, init: Init) -> None:
    (folder / name).write_bytes(text.encode("utf-8", "surrogatepass"))
    before = files(folder)
    assert said in init("--fixture", *EXAMPLES, "--force", status=2)
    assert files(folder) == before


def test_files_in_the_way_are_named_together(folder: Path, init: Init) -> None:
    (folder / "jevbench.yaml").write_text("gate: {min: 1}\n", encoding="utf-8")
    (folder / "coherence").mkdir()
    (folder / "coherence/gate.yaml").write_text("mine", encoding="utf-8")
    before = files(folder)
    said = init(*MODEL, status=2)
    assert said == (
        "pytest-jevbench: jevbench.yaml, coherence/gate.yaml are there already. Nothing was written. "
        "--force replaces them\n"
    )
    assert files(folder) == before
    init(*MODEL, "--force")
    assert read_gate(folder / "coherence/gate.yaml").needs_baseline


@pytest.mark.parametrize(
    ("in_the_way", "said"),
    [
        ("coherence", "coherence: this is a file, where a folder is needed"),
        ("jevbench.yaml/", "jevbench.yaml: this is no file"),
    ],
)
def test_nothing_is_forced_over_another_kind(in_the_way: str, said: str, folder: Path, init: Init) -> None:
    if in_the_way.endswith("/"):
        (folder / in_the_way).mkdir()
    else:
        (folder / in_the_way).write_text("mine", encoding="utf-8")
    before = files(folder)
    assert f"{said}. Nothing was written" in init(*MODEL, "--force", status=2)
    assert files(folder) == before


@pytest.mark.skipif(sys.platform == "win32", reason="there is no /proc, into which not even root can write")
def test_a_folder_that_cannot_be_written_to(init: Init) -> None:
    said = init(*MODEL, "--dir", "/proc/self", status=2)
    assert said.startswith("pytest-jevbench: /proc/self/pytest.ini: ")


def test_where_one_file_cannot_be_written_the_others_are_put_back(
    folder: Path, init: Init, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The disk is full for the fourth file."""
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    before = files(folder)
    count = iter(range(99))

    def write(path: Path, data: bytes) -> None:
        if next(count) == 3:
            raise OSError(28, "No space left on device", str(path))
        path.write_bytes(data)

    monkeypatch.setattr("pytest_jevbench.cli.init_writing.write_whole", write)
    assert "requirements.txt: No space left on device" in init(*MODEL, status=2)
    assert files(folder) == before
    assert [path.name for path in folder.iterdir()] == ["pytest.ini"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "no model is named. Give one of --url, --launch, --command, --reference, --fixture"),
        (("--yes",), "no model is named"),
        (("--url", ""), 'found "". Give a URL'),
        (("--url", "localhost:8000"), "does not start with http:// or https://"),
        (("--url", "http://a\njevbench_suite = x"), 'found "http://a\\njevbench_suite = x". Give one line'),
        (("--url", "http://a\x85b"), "Give one line of plain text"),
        (("--url", "http://a\udc80"), "Give one line of plain text"),
        (("--url", "http://me:secret@a"), "this holds a password or a key"),
        (("--url", "http://a,http://b?api_key=secret"), "this holds a password or a key"),
        (("--launch", "serve --token secret --port {port}"), "this holds a password or a key"),
        (("--launch", "my-server --port 8000"), "Give a command with {port} where the port goes"),
        (("--launch", "serve 'open --port {port}"), "the command cannot be read: No closing quotation"),
        (("--launch", "cd x && serve --port {port}"), "needs a shell, and none is used"),
        (("--command", ""), "the command names no program"),
        (("--reference", "luce", "--suite", "jevbench-minni"), "Did you mean jevbench-mini"),
        (("--reference", "luce", "--suite", "./none"), "there is no directory none"),
        (("--reference", "luce", "--suite", ""), "no suite is given"),
        (("--reference", "luce", "--suite", "not-installed:x"), "is not installed here"),
        (("--reference", "luce", "--cases", "none.yaml"), "none.yaml, --cases: there is no such file or folder"),
        (("--reference", "luce", "--cases", ""), "there is no such file or folder"),
        (("--reference", "luce", "--dir", "none"), "none, --dir: there is no such folder"),
        (("--reference", "luce", "--dir", "file"), "file, --dir: this is a file, not a folder"),
        (("--reference", "luce", "--cases", "file"), "file"),
    ],
)
def test_what_was_said_wrong(words: tuple[str, ...], said: str, folder: Path, init: Init) -> None:
    (folder / "file").write_text("nonsense", encoding="utf-8")
    told = init(*words, status=2)
    assert said in told
    assert "secret" not in told
    assert set(files(folder)) == {"file"}


def test_a_path_is_seen_from_the_repository(
    folder: Path, init: Init, monkeypatch: pytest.MonkeyPatch, read_by_pytest: Callable[[], Mapping[str, Any]]
) -> None:
    (folder / "elsewhere").mkdir()
    (folder / "tests").mkdir()
    (folder / "tests/cases.yaml").write_text(CASES, encoding="utf-8")
    monkeypatch.chdir(folder / "elsewhere")
    said = init("--reference", "luce", "--cases", str(folder / "tests/cases.yaml"), "--dir", str(folder))
    assert f"  cd {folder}\n" in said
    assert read_by_pytest()["jevbench_cases"] == "tests/cases.yaml"
    (folder.parent / "outside.yaml").write_text(CASES, encoding="utf-8")
    said = init("--reference", "luce", "--cases", str(folder.parent / "outside.yaml"), "--dir", "..", status=2)
    assert "lies outside the repository" in said
