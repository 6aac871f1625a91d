"""Folders that go with their processes, whichever way these end."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from pytest_jevbench.models.passing_folders import join_folder, keep_folder, leave_folder, passing_folder, sweep
from pytest_jevbench.models.store import AnswerStore
from tests.models.stored import of_model, reply, request


@pytest.fixture(autouse=True)
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A temporary directory of the system that is this test's alone, for children too."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    return tmp_path


def killed(code: str) -> str:
    """What a process printed that killed itself then."""
    script = f"import os, signal\n{code}\nos.kill(os.getpid(), signal.SIGKILL)"
    ran = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True)
    assert ran.returncode == -9, ran.stderr
    return ran.stdout.strip()


MAKE = """
from pytest_jevbench.models.passing_folders import {name}
print({name}("{kind}"), flush=True)
"""


def test_a_folder_lives_as_long_as_its_process_needs_it() -> None:
    folder = passing_folder("run")
    (folder / "lock").touch()
    sweep()
    assert folder.is_dir()
    assert folder.stat().st_mode & 0o77 == 0
    leave_folder(folder)
    assert not folder.exists()


def test_the_folder_of_a_killed_process_is_removed_by_the_next_one(temporary: Path) -> None:
    left = Path(killed(MAKE.format(name="passing_folder", kind="run")))
    assert left.parent == temporary
    assert left.is_dir()
    mine = passing_folder("run")
    assert not left.exists()
    assert mine.is_dir()


def test_a_shared_folder_is_there_until_the_last_process_leaves(temporary: Path) -> None:
    mine = join_folder("run-7")
    assert killed(MAKE.format(name="join_folder", kind="run-7")) == str(mine)
    sweep()
    assert mine == join_folder("run-7") == temporary / "jevbench-run-7"
    assert mine.is_dir()
    sweep()
    for owner in mine.glob("owner-*"):
        if json.loads(owner.read_text())[1] != os.getpid():
            owner.unlink()
    leave_folder(mine)
    assert not mine.exists()


def test_what_is_to_be_kept_stays() -> None:
    left = Path(killed(MAKE.format(name="passing_folder", kind="answers")))
    keep_folder(left)
    sweep()
    assert left.is_dir()


def test_what_is_not_known_to_be_abandoned_stays(temporary: Path) -> None:
    dead = next(Path(killed(MAKE.format(name="passing_folder", kind="run"))).glob("owner-*")).read_text()
    host, pid, started = json.loads(dead)
    other_host, torn, unmarked, elsewhere = (temporary / f"jevbench-{n}" for n in ("a", "b", "c", "d"))
    for folder, text in ((other_host, json.dumps([f"{host}x", pid, started])), (torn, "{"), (unmarked, "")):
        folder.mkdir()
        if text:
            (folder / "owner-1").write_text(text)
    target = temporary / "something else"
    target.mkdir()
    (target / "owner-1").write_text(dead)
    elsewhere.symlink_to(target)
    sweep()
    assert all(path.exists() for path in (other_host, torn, unmarked, elsewhere, target))


def test_a_temporary_store_of_a_killed_run_goes_and_answers_that_had_no_other_place_stay(temporary: Path) -> None:
    code = """
from pathlib import Path
from pytest_jevbench.models.store import AnswerStore
temporary = AnswerStore.temporary()
Path("notes.md").write_text("# notes")
instead = AnswerStore.open(Path("notes.md"), warn=lambda message: None)
print(temporary.path, instead.path, flush=True)
"""
    temporary_store, instead = map(Path, killed(f"os.chdir({str(temporary)!r})\n{code}").split())
    sweep()
    assert not temporary_store.exists()
    assert instead.exists()


def test_a_temporary_store_works_while_others_sweep() -> None:
    with AnswerStore.temporary() as store:
        of_model(store).put(request(0), reply(0))
        killed("from pytest_jevbench.models.passing_folders import sweep\nsweep()")
        assert of_model(store).get(request(0)) == reply(0)
