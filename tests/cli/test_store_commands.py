"""``pytest-jevbench store ...`` as a person types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_jevbench.cli import main
from pytest_jevbench.models.store import DEFAULT_PATH, AnswerStore
from tests.models.stored import fill, of_model, reply, request


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with five stored answers; the commands run in a folder below its root."""
    fill(tmp_path / DEFAULT_PATH, 5)
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    return tmp_path


def test_stats_find_the_store_above(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["store", "stats"]) == 0
    printed = capsys.readouterr().out
    assert "5 answers of 1 model," in printed
    assert "dialect systemone, name m, answered m-2" in printed
    assert "5 answers to 5 distinct requests" in printed


def test_a_missing_store_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["store", "stats"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "there is no answer store here" in printed.err
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_store_is_refused_and_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("# notes\n")
    for command in (["stats"], ["prune"], ["export", str(tmp_path / "a.jsonl")]):
        assert main(["store", *command, "--store", str(notes)]) == 2
        printed = capsys.readouterr().err
        assert printed == f"pytest-jevbench: {notes}: this answer store cannot be used: it is not an SQLite file. " + (
            "Name the store with --store\n"
        )
    assert notes.read_text() == "# notes\n"


def test_export_and_import_move_answers(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exported, other = project / "answers.jsonl.gz", project / "other.sqlite"
    assert main(["store", "export", str(exported)]) == 0
    assert "5 answers written" in capsys.readouterr().out
    assert main(["store", "import", str(exported), "--store", str(other)]) == 0
    assert "5 answers added, 0 were there" in capsys.readouterr().out
    with AnswerStore.open(other, mode="offline") as store:
        assert of_model(store, None).missing(map(request, range(6))) == [request(5)]


def test_differing_answers_are_a_finding(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exported, other = project / "answers.jsonl", project / "other.sqlite"
    assert main(["store", "export", str(exported)]) == 0
    with AnswerStore.open(other) as store:
        of_model(store).put(request(0), reply(50))
    assert main(["store", "import", str(exported), "--store", str(other)]) == 1
    assert "4 answers added, 0 were there, 1 differ" in capsys.readouterr().out
    assert main(["store", "import", str(exported), "--store", str(other), "--replace"]) == 0


def test_an_export_of_nothing_leaves_no_file(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["store", "export", str(project / "a.jsonl"), "--model", "absent"]) == 1
    assert not (project / "a.jsonl").exists()
    assert main(["store", "export", str(project / "a.jsonl"), "--model", "m-2"]) == 0
    assert main(["store", "export", str(project / "b.jsonl"), "--model", "m", "--revision", "r"]) == 1


@pytest.mark.parametrize("name", ["a.json", "a", "a.sqlite"])
def test_an_export_has_a_name_that_says_so(project: Path, capsys: pytest.CaptureFixture[str], name: str) -> None:
    assert main(["store", "export", str(project / name)]) == 2
    assert ".jsonl.gz" in capsys.readouterr().err


def test_an_export_that_cannot_be_written_is_one_line(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "file").touch()
    assert main(["store", "export", str(project / "file" / "a.jsonl")]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_a_spoilt_export_names_its_line(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exported = project / "a.jsonl"
    assert main(["store", "export", str(exported)]) == 0
    exported.write_text("".join(exported.read_text().splitlines(keepends=True)[:-1]))
    assert main(["store", "import", str(exported)]) == 2
    assert "a.jsonl, line 7: the file is cut" in capsys.readouterr().err


def test_prune_says_first_what_it_would_do(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["store", "prune", "--model", "m", "--dry-run"]) == 0
    assert "5 answers and 1 models would be removed" in capsys.readouterr().out
    assert main(["store", "prune", "--older-than", "1"]) == 0
    assert "0 answers and 0 models removed" in capsys.readouterr().out
    assert main(["store", "prune", "--model", "m"]) == 0
    assert "5 answers and 1 models removed" in capsys.readouterr().out
    assert main(["store", "stats"]) == 0
    assert "0 answers of 0 models" in capsys.readouterr().out


@pytest.mark.parametrize("days", ["x", "-1", "nan", "inf"])
def test_days_are_a_number_of_days(project: Path, capsys: pytest.CaptureFixture[str], days: str) -> None:
    with pytest.raises(SystemExit) as caught:
        main(["store", "prune", f"--older-than={days}"])
    assert caught.value.code == 2
    assert "invalid days value" in capsys.readouterr().err


def test_an_export_can_be_looked_into_and_not_imported_into(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exported = project / "a.jsonl"
    assert main(["store", "export", str(exported)]) == 0
    assert json.loads(exported.read_text().splitlines()[-1]) == {"answers": 5}
    assert main(["store", "stats", "--store", str(exported)]) == 0
    assert "5 answers of 1 model," in capsys.readouterr().out
    assert main(["store", "import", str(exported), "--store", str(exported)]) == 2
    assert "this is an export, not a store" in capsys.readouterr().err
