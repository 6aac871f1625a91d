"""Runs that are killed, stopped or refused in the middle: nothing that was answered is asked again."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_jevbench.rewrites.bank_file import open_bank, read_bank
from pytest_jevbench.suite_loading import suite_of_cases
from tests.rewrites.parcels import asked_by, bank_rows, chats, make
from tests.servers.scripted import ScriptedServer, Step, Talk, reply

KINDS = ("--kinds", "paraphrase,translate:zh")
COMMAND = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler);"
    "from pytest_jevbench.cli import main; sys.exit(main(sys.argv[1:]))"
)


@pytest.fixture
def whole(cases: Path, tmp_path: Path) -> bytes:
    """The bank of a run that nothing stopped."""
    bank = tmp_path / "whole.jsonl"
    with ScriptedServer([chats()]) as server:
        assert make(server, cases, bank, *KINDS) == 0
        assert max(asked_by(server).values()) == 1
    return bank.read_bytes()


def stopped_at(number: int, with_signal: int, cases: Path, bank: Path) -> tuple[ScriptedServer, int, str]:
    """Run the command in a process of its own and send a signal instead of the answer of this number."""

    def stop(talk: Talk) -> bool:
        process.send_signal(with_signal)
        talk.stopped.wait()
        return False

    steps: list[Step] = [chats()] * number
    with ScriptedServer([*steps, stop]) as server:
        process = subprocess.Popen(
            [
                *(sys.executable, "-c", COMMAND, "rewrite", str(cases), "--out", str(bank), *KINDS, "--jobs", "1"),
                *("--url", server.url, "--model", "w", "--judge-model", "j"),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        out, err = process.communicate(timeout=60)
    return server, process.returncode, out + err


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no SIGKILL; the test of an ended run resumes there")
@pytest.mark.parametrize("number", [0, 2, 8])
def test_a_killed_run_goes_on_with_the_first_question_that_was_not_answered(
    cases: Path, tmp_path: Path, whole: bytes, number: int
) -> None:
    bank = tmp_path / "killed.jsonl"
    killed, status, _ = stopped_at(number, signal.SIGKILL, cases, bank)
    assert status == -signal.SIGKILL
    # 0 answers, 2: candidates and one vote, 8: a text is done and the next one half
    assert len(read_bank(bank)[0]) == {0: 0, 2: 3, 8: 10}[number]
    suite_of_cases(cases, rewrites=bank)  # can be read as it is
    with ScriptedServer([chats()]) as server:
        assert make(server, cases, bank, *KINDS) == 0
    answered = [asked.body for asked in killed.asked[:number]]
    assert not set(answered) & {asked.body for asked in server.asked}
    assert bank.read_bytes() == whole


@pytest.mark.skipif(sys.platform == "win32", reason="on Windows no process can send another one SIGINT")
def test_ctrl_c_ends_a_run_whose_server_hangs(cases: Path, tmp_path: Path, whole: bytes) -> None:
    bank = tmp_path / "stopped.jsonl"
    _, status, told = stopped_at(4, signal.SIGINT, cases, bank)
    assert status == 130
    assert "stopped; what was answered is kept, run again to go on" in told
    assert "2 candidates in " in told
    with ScriptedServer([chats()]) as server:
        assert make(server, cases, bank, *KINDS) == 0
    assert bank.read_bytes() == whole


@pytest.mark.parametrize("number", [0, 1, 3, 7, 11])
def test_a_run_that_the_server_ended_goes_on(cases: Path, tmp_path: Path, whole: bytes, number: int) -> None:
    bank = tmp_path / "ended.jsonl"
    steps: list[Step] = [chats()] * number
    with ScriptedServer([*steps, reply({"error": "no"}, 403), chats()]) as server:
        assert make(server, cases, bank, *KINDS) == 2
        assert make(server, cases, bank, *KINDS) == 0
    assert sorted(asked_by(server).values(), reverse=True)[:2] == [2, 1]  # the refused one alone is sent again
    assert bank.read_bytes() == whole


def test_a_line_that_was_cut_is_left_out_and_said(
    cases: Path, tmp_path: Path, whole: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    bank = tmp_path / "cut.jsonl"
    bank.write_bytes(whole[:-40])
    with ScriptedServer([chats()]) as server:
        assert make(server, cases, bank, *KINDS) == 0
        assert len(server.asked) == 3  # the text of the lost line
    assert "The bank's last line was cut and is left out" in capsys.readouterr().out
    assert bank.read_bytes() == whole


def test_a_line_that_a_person_broke_is_an_error(
    cases: Path, tmp_path: Path, whole: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    bank = tmp_path / "broken.jsonl"
    with ScriptedServer([chats()]) as server:
        for broken in (whole.replace(b'"accepted": true', b'"accepted": yes', 1), whole + b"what is this?"):
            bank.write_bytes(broken)
            assert make(server, cases, bank, *KINDS) == 2
            assert "broken.jsonl, line " in capsys.readouterr().err
            assert bank.read_bytes() == broken
        assert server.asked == []


def test_a_line_added_counts_in_place_of_the_one_before(tmp_path: Path) -> None:
    path = tmp_path / "bank.jsonl"
    row = {"kind": "paraphrase", "source": "A?", "rewrite": "B?", "accepted": False, "open": True}
    with open_bank(path, new=True) as bank:
        from pytest_jevbench.rewrites.bank_file import Candidate

        first = Candidate(row)
        bank.put(first)
        bank.put(first.but(accepted=True, open=None))
        assert [line["accepted"] for line in bank_rows(path)] == [False, True]
        assert [one.accepted for one in bank.rows] == [True]
        bank.save()
    assert bank_rows(path) == [{**{k: v for k, v in row.items() if k != "open"}, "accepted": True}]
