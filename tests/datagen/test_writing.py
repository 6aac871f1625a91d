"""Texts by a scripted chat server and by hand."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_jevbench.cli import main
from pytest_jevbench.datagen.briefs import brief_of
from pytest_jevbench.datagen.folders import DomainFolder
from tests.datagen.domains import small_folder, text_of, write_all
from tests.servers.chat import says, speaks
from tests.servers.scripted import ScriptedServer, Step, Talk, hang_up, reply


@pytest.fixture
def folder(tmp_path: Path) -> DomainFolder:
    made = small_folder(tmp_path / "parcel_desk")
    assert main(["datagen", "plan", str(made.path), "--cases", "4"]) == 0
    return made


def write(folder: DomainFolder, server: ScriptedServer, *options: str) -> int:
    return main(
        ["datagen", "write", str(folder.path), "--chat-url", server.url, "--model", "m", "--concurrency", "1", *options]
    )


def obedient() -> Step:
    return speaks(text_of)


def test_a_model_writes_every_text_and_never_sees_a_question(folder: DomainFolder) -> None:
    domain = folder.domain()
    with ScriptedServer([obedient()]) as server:
        assert write(folder, server, "--concurrency", "3") == 0
    assert len(server.asked) == 4
    everything = b"".join(asked.body for asked in server.asked).decode()
    assert not any(question.ask in everything for question in domain.questions.values())
    assert all(folder.draft(domain, plan).exists() for plan in folder.planned(domain))
    assert main(["datagen", "verify", str(folder.path)]) == 0
    logged = [json.loads(line) for line in folder.writing.read_text("utf-8").splitlines()]
    assert sorted(row["case"] for row in logged) == [plan.id for plan in folder.planned(domain)]
    assert {row["status"] for row in logged} == {"written"}


def test_a_run_goes_on_where_it_stopped(folder: DomainFolder) -> None:
    with ScriptedServer([obedient(), obedient(), hang_up()]) as server:
        server._steps[2] = reply({"error": "no"}, 403)
        assert write(folder, server) == 2
    assert len(list(folder.drafts.iterdir())) == 2
    with ScriptedServer([obedient()]) as server:
        assert write(folder, server) == 0
    assert len(server.asked) == 2


@pytest.mark.parametrize(
    ("bad", "reason"),
    [
        (says(None), "no content"),
        (says("Too short."), "2 words"),
        (says("half of a text", "length"), "ran out of room"),
        (says("<think>what"), "within its reasoning"),
    ],
)
def test_a_text_of_the_wrong_form_is_asked_for_again_with_the_reason(
    folder: DomainFolder, bad: Step, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with ScriptedServer([bad, obedient()]) as server:
        assert write(folder, server) == 0
    first, second, *_ = [asked.json["messages"][-1]["content"] for asked in server.asked]
    assert len(server.asked) == 5
    assert "refused" not in first
    assert reason in second
    with ScriptedServer([bad]) as server:
        for path in folder.drafts.iterdir():
            path.unlink()
        assert write(folder, server, "--tries", "2") == 1
    assert len(server.asked) == 8
    assert "4 rejected" in capsys.readouterr().out
    assert not any(folder.drafts.iterdir())


def test_redo_replaces_what_verify_rejected_and_nothing_else(
    folder: DomainFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    domain = folder.domain()
    write_all(folder, domain)
    plan = folder.planned(domain)[1]
    path = folder.draft(domain, plan)
    good = path.read_text("utf-8")
    bad = good.replace(f"{plan.facts['days'].value} days", "many days")
    assert bad != good
    path.write_text(bad, "utf-8")
    assert main(["datagen", "verify", str(folder.path)]) == 1
    out = capsys.readouterr().out
    assert f"{plan.id}: days ({plan.facts['days'].value}, explicit): is to be stated outright" in out
    with ScriptedServer([obedient()]) as server:
        assert write(folder, server) == 0
        assert server.asked == []
        assert write(folder, server, "--redo") == 0
    (asked,) = server.asked
    assert "days" in asked.json["messages"][-1]["content"].split("An earlier version was refused:")[1]
    (copy,) = folder.replaced.iterdir()
    assert copy.read_text("utf-8") == bad
    assert (copy.name.startswith(f"{plan.id}-"), copy.suffix) == (True, path.suffix)
    assert main(["datagen", "verify", str(folder.path)]) == 0


def test_drafts_by_hand(folder: DomainFolder, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    domain = folder.domain()
    briefs, mine = tmp_path / "briefs", tmp_path / "mine"
    mine.mkdir()
    assert main(["datagen", "write", str(folder.path), "--briefs", str(briefs)]) == 0
    plans = folder.planned(domain)
    for plan in plans[:3]:
        brief = (briefs / f"{plan.id}.txt").read_text("utf-8")
        assert brief.startswith(brief_of(domain, plan))
        assert "\n\nRules:\nTell each point in the way the brief asks for it" in brief
        (mine / folder.draft(domain, plan).name).write_text(text_of(brief), "utf-8")
    short = mine / folder.draft(domain, plans[2]).name
    short.write_text(json.dumps({"a": "b"}) if short.suffix == ".json" else "Short.", "utf-8")
    capsys.readouterr()
    assert main(["datagen", "write", str(folder.path), "--drafts", str(mine)]) == 1
    out = capsys.readouterr().out
    assert "2 written, 0 kept, 1 rejected, 1 missing" in out
    assert f"{plans[2].id}: " in out
    (mine / "parcel_desk-999.txt").write_text("x", "utf-8")
    assert main(["datagen", "write", str(folder.path), "--drafts", str(mine)]) == 2


def test_a_record_must_be_json_and_a_text_must_not(folder: DomainFolder, capsys: pytest.CaptureFixture[str]) -> None:
    domain = folder.domain()
    write_all(folder, domain)
    record = next(p for p in folder.planned(domain) if p.style == "record")
    email = next(p for p in folder.planned(domain) if p.style == "email")
    folder.draft(domain, record).write_text('{"note": "cut', "utf-8")
    other = folder.drafts / f"{email.id}.json"
    folder.draft(domain, email).rename(other)
    assert main(["datagen", "write", str(folder.path)]) == 1
    out = capsys.readouterr().out
    assert f"{record.id}: " in out
    assert "not JSON" in out
    assert f"{email.id}: the style email wants {email.id}.txt, and {email.id}.json is there" in out


def test_a_model_without_a_name_is_asked_nothing(folder: DomainFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["datagen", "write", str(folder.path), "--chat-url", "http://127.0.0.1:1"]) == 2
    assert "--model is missing" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("step", "asked", "words"),
    [
        (reply({"error": "no"}, 401), 1, "Check the key in the environment variable JEVBENCH_CHAT_API_KEY"),
        (reply({"error": "no"}, 404), 1, "whether the server has a model called m"),
        (reply({"error": "no"}, 400), 3, "See to the server"),
    ],
)
def test_a_server_that_refuses_is_not_asked_for_every_case(
    folder: DomainFolder, step: Step, asked: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    with ScriptedServer([step]) as server:
        assert write(folder, server) == 2
        assert len(server.asked) == asked
    told = capsys.readouterr()
    assert told.out == "0 texts kept, 4 missing\n"
    (line,) = told.err.splitlines()
    assert words in line


def test_nothing_listens(folder: DomainFolder, capsys: pytest.CaptureFixture[str]) -> None:
    with ScriptedServer([hang_up()]) as server:
        pass
    assert write(folder, server) == 2
    assert capsys.readouterr().err.count("nothing listens there") == 1


def test_one_refused_case_is_missing_and_the_others_are_written(
    folder: DomainFolder, capsys: pytest.CaptureFixture[str]
) -> None:
    with ScriptedServer([reply({"error": "too long"}, 400), obedient()]) as server:
        assert write(folder, server) == 1
    out = capsys.readouterr().out
    assert "3 written, 0 kept, 0 rejected, 1 missing" in out
    assert "parcel_desk-001: " in out


def test_ctrl_c_ends_a_command_whose_server_hangs(folder: DomainFolder) -> None:
    command = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
        "from pytest_jevbench.cli import main; sys.exit(main(sys.argv[1:]))"
    )

    def interrupt(talk: Talk) -> bool:
        process.send_signal(signal.SIGINT)
        talk.stopped.wait()
        return False

    with ScriptedServer([obedient(), obedient(), interrupt]) as server:
        process = subprocess.Popen(
            [
                *(sys.executable, "-c", command, "datagen", "write", str(folder.path)),
                *("--chat-url", server.url, "--model", "m", "--concurrency", "1"),
            ],
            stderr=subprocess.PIPE,
            text=True,
        )
        _, told = process.communicate(timeout=60)
    assert told == "stopped; 2 texts kept, run again to go on\n"
    assert process.returncode == 130


def test_redo_without_anybody_to_write(folder: DomainFolder, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["datagen", "write", str(folder.path), "--redo"]) == 2
    assert "--redo has nobody to write" in capsys.readouterr().err
