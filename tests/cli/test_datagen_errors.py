"""Places that cannot be read or written: one line that names them, status 2, from every datagen command."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pytest_jevbench.cli import main
from pytest_jevbench.datagen.folders import DomainFolder
from tests.datagen.domains import small_folder, write_all

NOBODY = 65534


@pytest.fixture
def folder() -> Iterator[DomainFolder]:
    """A planned and written domain that another user may reach, which pytest's own folders forbid."""
    base = Path(tempfile.mkdtemp())
    base.chmod(0o755)
    made = small_folder(base / "desk")
    assert main(["datagen", "plan", str(made.path), "--cases", "2"]) == 0
    write_all(made, made.domain())
    yield made
    for path in (made.path, made.drafts, made.path / "domain.yaml"):
        path.chmod(0o755)
    shutil.rmtree(base)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Runs a command that must end with status 2, as a user whom permissions bind, and returns its one line."""

    def refused(*args: str | Path) -> str:
        root = os.geteuid() == 0
        capsys.readouterr()
        if root:
            os.seteuid(NOBODY)
        try:
            status = main(["datagen", *map(str, args)])
        finally:
            if root:
                os.seteuid(0)
        captured = capsys.readouterr()
        assert status == 2, captured
        (line,) = captured.err.splitlines()
        assert line.startswith("pytest-jevbench: ")
        return line.removeprefix("pytest-jevbench: ")

    return refused


COMMANDS = ["plan", "write", "verify", "freeze --report-only", "review --sheet sheet.jsonl"]


@pytest.mark.parametrize("command", COMMANDS)
def test_a_closed_folder(folder: DomainFolder, run: Callable[..., str], command: str) -> None:
    folder.path.chmod(0)
    name, *options = command.split()
    line = run(name, folder.path, *options)
    assert line.startswith((f"{folder.path}: ", f"{folder.path}/domain.yaml: "))
    assert "permission denied" in line or "no domain.yaml" in line


@pytest.mark.parametrize("command", COMMANDS)
def test_a_closed_domain_file_is_not_blamed_for_its_text(
    folder: DomainFolder, run: Callable[..., str], command: str
) -> None:
    (folder.path / "domain.yaml").chmod(0)
    name, *options = command.split()
    assert run(name, folder.path, *options) == f"{folder.path}/domain.yaml: cannot be read (Permission denied)"


@pytest.mark.parametrize("command", ["verify", "write", "freeze --report-only"])
def test_closed_drafts(folder: DomainFolder, run: Callable[..., str], command: str) -> None:
    folder.drafts.chmod(0)
    name, *options = command.split()
    line = run(name, folder.path, *options)
    assert line.startswith(f"{folder.drafts}")
    assert "ermission denied" in line


@pytest.mark.parametrize(("command", "file"), [("plan", "plans.jsonl"), ("verify", "verification.jsonl")])
def test_a_folder_that_may_only_be_read(folder: DomainFolder, run: Callable[..., str], command: str, file: str) -> None:
    folder.path.chmod(0o555)
    options = ["--force"] if command == "plan" else []
    assert run(command, folder.path, *options).startswith(f"{folder.path / file}: permission denied. ")


def test_targets_that_cannot_be_made(folder: DomainFolder, run: Callable[..., str]) -> None:
    folder.path.parent.chmod(0o555)
    closed = folder.path.parent / "nope"
    assert run("write", folder.path, "--briefs", closed).startswith(f"{closed}: permission denied. ")
    file = folder.path / "domain.yaml"
    assert run("write", folder.path, "--briefs", file).startswith(f"{file}: file exists. A folder is needed")
