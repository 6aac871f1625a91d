"""``pytest-jevbench rewrite`` with bad input, and servers that refuse."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_jevbench.cli import main
from pytest_jevbench.rewrites.bank_file import open_bank
from tests.rewrites.parcels import (
    bank_rows,
    chats,
    good_writer,
    make,
)
from tests.servers.chat import completion
from tests.servers.scripted import ScriptedServer, Step, reply

ALL = ("--kinds", "paraphrase,negation,description,translate:zh")
NEGATION = ("--kinds", "negation")
PARAPHRASE = ("--kinds", "paraphrase", "--limit", "1")
KEY = "sk-test-12345678"


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--kinds", "paraphrases"), '--kinds: "paraphrases" is no kind of rewrite'),
        (("--kinds", "translate:"), "names no language"),
        (("--kinds", ","), "no kind is given"),
        (("--jobs", "0"), "--jobs is 0"),
        (("--jobs", "999"), "at most 64"),
        (("--candidates", "-1"), "--candidates is -1"),
        (("--timeout", "nan"), "--timeout is nan"),
        (("--extra", "[1]"), "--extra: found [1]"),
        (("--extra", '{"model": "x"}'), "model is no further field"),
        (("--judge-extra", "{"), "--judge-extra: not JSON"),
        (("--url", "localhost:1"), "--url: "),
        (("--judge-url", "ftp://x"), "--judge-url: "),
    ],
)
def test_bad_input_is_told_before_anything_is_asked(
    cases: Path, bank: Path, options: tuple[str, ...], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with ScriptedServer([chats()]) as server:
        assert make(server, cases, bank, *options) == 2
        assert server.asked == []
    (line,) = capsys.readouterr().err.splitlines()
    assert words in line


def test_a_missing_model_a_folder_as_bank_and_cases_that_are_wrong(
    cases: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["rewrite", str(cases), "--out", str(tmp_path / "b.jsonl"), "--url", "http://127.0.0.1:1"]) == 2
    assert "--model is missing" in capsys.readouterr().err
    with ScriptedServer([chats()]) as server:
        assert make(server, cases, tmp_path) == 2
        assert "this is a folder" in capsys.readouterr().err
        assert make(server, cases, cases / "bank.jsonl") == 2
        assert "a file has its name" in capsys.readouterr().err
        cases.write_text('{"id": "x", "state": "s", "questions": {"q": {"type": "noul"}}}', "utf-8")
        assert make(server, cases, tmp_path / "b.jsonl") == 2
        assert "parcels.jsonl, line 1, questions.q.instructions" in capsys.readouterr().err
        assert server.asked == []


def test_one_bank_is_written_by_one_command(cases: Path, bank: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with ScriptedServer([chats()]) as server:
        with open_bank(bank, new=True):
            assert make(server, cases, bank) == 2
            assert "another command is writing this bank" in capsys.readouterr().err
        assert server.asked == []
        assert make(server, cases, bank, *NEGATION) == 0
    assert sorted(path.name for path in bank.parent.iterdir()) == ["bank.jsonl", "parcels.jsonl"]


def test_keys_and_further_fields_go_where_they_belong(
    cases: Path, bank: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("JEVBENCH_CHAT_API_KEY", KEY)
    with ScriptedServer([chats()]) as server, ScriptedServer([chats()]) as other:
        assert make(server, cases, bank, *NEGATION, "--extra", '{"temperature": null, "seed": 3}') == 0
        assert {asked.headers["authorization"] for asked in server.asked} == {f"Bearer {KEY}"}
        first, *judged = [asked.json for asked in server.asked]
        assert (first["seed"], "temperature" in first) == (3, False)
        assert {(body["temperature"], "seed" in body) for body in judged} == {(0.0, False)}
        server.asked.clear()
        assert make(server, cases, bank, *PARAPHRASE, "--judge-url", other.url) == 1
        assert [asked.json["model"] for asked in server.asked] == ["w"]
        assert not any("authorization" in asked.headers for asked in other.asked)
        refusal = reply({"error": {"message": f"no such key {KEY}"}}, 401)
        server._steps = [refusal]
        assert make(server, cases, bank, "--kinds", "paraphrase") == 2
    told = capsys.readouterr()
    assert "Check the key in the environment variable JEVBENCH_CHAT_API_KEY" in told.err
    assert KEY not in told.out + told.err + bank.read_text("utf-8")


@pytest.mark.parametrize(
    ("step", "asked", "words"),
    [
        (reply({"error": "no"}, 401), 1, "environment variable JEVBENCH_CHAT_API_KEY"),
        (reply({"error": "no"}, 404), 1, "Check --url, and whether the server has a model called w"),
        (reply({"error": "no"}, 400), 3, "See to the server"),
    ],
)
def test_a_server_that_refuses_is_not_asked_for_every_text(
    cases: Path, bank: Path, step: Step, asked: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with ScriptedServer([step]) as server:
        assert make(server, cases, bank) == 2
        assert len(server.asked) == asked
    assert words in capsys.readouterr().err


def test_one_refused_text_is_told_and_the_others_are_made(
    cases: Path, bank: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ScriptedServer([reply({"error": "too long"}, 400), chats()]) as server:
        assert make(server, cases, bank, "--kinds", "paraphrase") == 1
    out = capsys.readouterr().out
    assert "1 text without a rewrite:" in out
    assert "HTTP 400: too long" in out
    assert len(bank_rows(bank)) == 4


def test_tokens_are_counted(cases: Path, bank: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def counted(message: str) -> Step:
        return reply({**completion(good_writer(message)), "usage": {"prompt_tokens": 1200, "completion_tokens": 34}})

    with ScriptedServer([chats(counted)]) as server:
        assert make(server, cases, bank, "--kinds", "paraphrase") == 0
    out = capsys.readouterr().out
    assert "writer w: 3 answers, 3,600 tokens in and 102 out\n" in out
    assert "judge j: 12 answers, 0 tokens in and 0 out (12 answers without a count)" in out
