"""Files that are torn, locked, not to be written, or no stores: a warning and some requests, never a crash."""

from __future__ import annotations

import os
import re
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from filelock import FileLock

from pytest_jevbench.models.store import AnswerStore
from pytest_jevbench.warning import JevbenchWarning, notify
from tests.models.stored import Counting, fill, of_model, reply, request

COUNT = 400


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "answers.sqlite"


@pytest.fixture(autouse=True)
def temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Temporary stores that are kept, as some here are meant to be, go with the test."""
    (tmp_path / "temporary").mkdir()
    (tmp_path / "temporary").chmod(0o777)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))


def run_all(path: Path, told: list[str], count: int = COUNT) -> list[int]:
    """Want all requests from this store; which were asked. Every answer is the right one."""
    ask = Counting()
    with AnswerStore.open(path, warn=told.append, busy_seconds=0.0) as store:
        answers = of_model(store)
        for number in range(count):
            assert answers.answer(request(number), ask).reply == reply(number)
    return ask.asked


@pytest.mark.parametrize("part", [0.02, 0.3, 0.5, 0.9, 0.999])
def test_a_file_cut_anywhere_is_asked_again_in_part_with_one_warning(path: Path, part: float) -> None:
    fill(path, COUNT)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * part)])
    told: list[str] = []
    asked = run_all(path, told)
    assert len(set(asked)) == len(asked) > 0
    assert len(told) == 1
    assert "is damaged" in told[0]
    assert (path.parent / "answers.sqlite.torn-1").read_bytes() == whole[: int(len(whole) * part)]
    assert run_all(path, told) == []
    assert len(told) == 1


def test_most_of_what_a_cut_file_still_has_is_saved(path: Path) -> None:
    fill(path, COUNT)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) * 9 // 10])
    told: list[str] = []
    assert len(run_all(path, told)) < COUNT // 3


@pytest.mark.parametrize("size", [1, 15, 16, 99])
def test_the_first_bytes_of_a_store_are_a_torn_store(path: Path, size: int) -> None:
    fill(path, 3)
    path.write_bytes(path.read_bytes()[:size])
    told: list[str] = []
    assert run_all(path, told, 3) == [0, 1, 2]
    assert len(told) == 1
    assert run_all(path, told, 3) == []


def test_an_empty_file_is_a_new_store(path: Path) -> None:
    path.touch()
    told: list[str] = []
    assert run_all(path, told, 3) == [0, 1, 2]
    assert told == []


def test_a_page_overwritten_within_the_file_is_noticed_when_it_is_read(path: Path) -> None:
    fill(path, COUNT)
    data = bytearray(path.read_bytes())
    middle = len(data) // 2 // 4096 * 4096
    data[middle : middle + 4096] = b"\xa5" * 4096
    path.write_bytes(data)
    told: list[str] = []
    asked = run_all(path, told)
    assert 0 < len(asked) < COUNT
    assert len(told) == 1


def test_a_flipped_bit_within_an_answer_is_not_believed(path: Path) -> None:
    fill(path, 3)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE answers SET reply = replace(reply, '\"noul\":0.0', '\"noul\":0.1')")
        assert connection.total_changes == 3
    connection.close()
    told: list[str] = []
    assert run_all(path, told, 3) == [0, 1, 2][: len([n for n in range(3) if reply(n).answers["urgent"]["noul"] < 0.1])]
    assert len(told) == 1
    assert run_all(path, told, 3) == []


@pytest.mark.parametrize("content", [b"# my notes\n", b"\x00" * 5000, b"SQLite format 2\x00" + b"\x00" * 200])
def test_a_file_that_is_something_else_is_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    told: list[str] = []
    assert run_all(path, told, 3) == [0, 1, 2]
    assert path.read_bytes() == content
    assert len(told) == 1
    assert "not an SQLite file" in told[0]


def test_a_database_of_another_program_is_left_alone(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE users (name TEXT)")
    connection.close()
    before = path.read_bytes()
    told: list[str] = []
    assert run_all(path, told, 3) == [0, 1, 2]
    assert path.read_bytes() == before
    assert "another program" in told[0]


def test_a_store_of_a_later_version_is_left_alone(path: Path) -> None:
    fill(path, 1)
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
    connection.close()
    told: list[str] = []
    run_all(path, told, 3)
    assert "later version" in told[0]
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT count(*) FROM answers").fetchone() == (1,)
    connection.close()


@contextmanager
def locked(path: Path) -> Iterator[None]:
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    try:
        yield
    finally:
        holder.execute("ROLLBACK")
        holder.close()


def test_a_locked_file_is_read_and_its_new_answers_are_given_back_later(path: Path) -> None:
    fill(path, 3)
    told: list[str] = []
    ask = Counting()
    store = AnswerStore.open(path, warn=told.append, busy_seconds=0.0)
    with locked(path):
        answers = of_model(store)
        for number in range(5):
            assert answers.answer(request(number), ask).reply == reply(number)
        temporary = store.path
    assert ask.asked == [3, 4]
    assert len(told) == 1
    assert "locked" in told[0]
    assert str(temporary) in told[0]
    store.close()
    assert temporary is not None
    assert not temporary.exists()
    assert run_all(path, told, 5) == []


def test_rows_that_are_no_text_any_more_are_asked_again_once(path: Path) -> None:
    fill(path, COUNT)
    whole = path.read_bytes()
    spots = [match.start() for match in re.finditer(rb'\{"answers"', whole)][::100]
    damaged = bytearray(whole)
    for spot in spots:
        damaged[spot] = 0xFF
    path.write_bytes(bytes(damaged))
    told: list[str] = []
    asked = run_all(path, told)
    assert len(asked) == len(spots) > 2
    assert "set aside as" in told[0]
    assert run_all(path, told) == []


def test_what_cannot_be_given_back_stays_where_the_warning_said(path: Path) -> None:
    fill(path, 1)
    told: list[str] = []
    with locked(path):
        assert run_all(path, told, 2) == [1]
    kept = Path(told[0].rpartition("keeps its answers in ")[2])
    assert run_all(kept, told, 2) == []
    assert len(told) == 1


def test_a_held_gate_does_not_stop_the_run(path: Path) -> None:
    fill(path, 1)
    told: list[str] = []
    with FileLock(f"{path}.lock"):
        assert run_all(path, told, 2) == [1]
    assert len(told) == 1


def test_a_folder_that_cannot_be_made_gives_a_temporary_store(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    told: list[str] = []
    assert run_all(tmp_path / "file" / ".jevbench" / "answers.sqlite", told, 3) == [0, 1, 2]
    assert len(told) == 1
    assert "cannot be used" in told[0]


@contextmanager
def nobody(folder: Path) -> Iterator[None]:
    """Be a user to whom permissions apply, as the superuser is not, and who may get into this folder."""
    if os.geteuid() != 0:
        yield
        return
    modes = {parent: parent.stat().st_mode for parent in folder.parents if len(parent.parts) > 2}
    for folder, mode in modes.items():
        folder.chmod(mode | 0o711)
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)
        for folder, mode in modes.items():
            folder.chmod(mode)


@pytest.fixture
def frozen(tmp_path: Path) -> Iterator[Path]:
    """A filled store in a folder in which nothing may be written."""
    folder = tmp_path / "frozen"
    fill(folder / "answers.sqlite", 3)
    (folder / "answers.sqlite.lock").unlink()
    (folder / "answers.sqlite").chmod(0o444)
    folder.chmod(0o555)
    yield folder / "answers.sqlite"
    folder.chmod(0o755)


def test_a_store_that_must_not_be_written_is_read(frozen: Path) -> None:
    told: list[str] = []
    with nobody(frozen):
        assert run_all(frozen, told, 5) == [3, 4]
    assert len(told) == 1


def test_a_file_damaged_under_a_running_store_is_replaced(path: Path) -> None:
    fill(path, COUNT)
    told: list[str] = []
    ask = Counting()
    with AnswerStore.open(path, warn=told.append) as store:
        answers = of_model(store)
        assert answers.get(request(0)) == reply(0)
        with path.open("r+b") as file:
            file.seek(4096)
            file.write(b"\xa5" * (path.stat().st_size - 4096))
        for number in range(COUNT, COUNT + 300):
            assert answers.answer(request(number), ask).reply == reply(number)
        for number in range(COUNT):
            assert answers.answer(request(number), ask).reply == reply(number)
    assert len(set(ask.asked)) == len(ask.asked)
    assert len(told) == 1


def test_two_stores_that_find_the_same_file_damaged_share_the_new_one(path: Path) -> None:
    fill(path, COUNT)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    told: list[str] = []
    with AnswerStore.open(path, warn=told.append) as one, AnswerStore.open(path, warn=told.append) as two:
        ask = Counting()
        for number in range(COUNT):
            assert of_model((one, two)[number % 2]).answer(request(number), ask).reply == reply(number)
            assert of_model((two, one)[number % 2]).answer(request(number), ask).hit
    assert len(told) == 1


def test_the_warning_is_of_the_projects_class(path: Path) -> None:
    path.write_text("# my notes")
    with pytest.warns(JevbenchWarning, match="not an SQLite file"):
        AnswerStore.open(path).close()


@pytest.mark.filterwarnings("error")
def test_a_warning_turned_into_an_error_is_still_only_a_warning(capsys: pytest.CaptureFixture[str]) -> None:
    notify("something is odd")
    assert capsys.readouterr().err == "JevbenchWarning: something is odd\n"
