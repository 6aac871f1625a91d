"""``pytest-jevbench rewrite`` against a scripted chat server."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.cli import main
from pytest_jevbench.suite_loading import suite_of_cases
from tests.rewrites.parcels import (
    BROKEN,
    CASE,
    STATE,
    WISH,
    asked_by,
    bank_rows,
    chats,
    good_writer,
    make,
    write_cases,
)
from tests.servers.chat import says
from tests.servers.scripted import ScriptedServer

ALL = ("--kinds", "paraphrase,negation,description,translate:zh")
NEGATION = ("--kinds", "negation")
PARAPHRASE = ("--kinds", "paraphrase", "--limit", "1")
KEY = "sk-test-12345678"


def test_every_text_gets_rewrites_that_its_laws_can_use(
    cases: Path, bank: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ScriptedServer([chats()]) as server:
        assert make(server, cases, bank, *ALL) == 0
    rows = bank_rows(bank)
    counts = {kind: sum(row["kind"] == kind for row in rows) for kind in dict.fromkeys(row["kind"] for row in rows)}
    assert counts == {"paraphrase": 6, "negation": 2, "description": 4, "translate:zh": 3}
    assert all(row["accepted"] and row["votes"] == [True, True] for row in rows)
    assert {(row["generator"], row["judge"], row["audited"]) for row in rows} == {("w", "j", None)}
    assert STATE not in b"".join(asked.body for asked in server.asked).decode()
    # 3 + 1 + 2 + 3 texts are asked for once, 15 candidates judged in two directions
    assert [sum(n for (model, _), n in asked_by(server).items() if model == name) for name in "wj"] == [9, 30]
    out = capsys.readouterr().out
    assert "texts    paraphrase 3, negation 1, description 2, translate:zh 3" in out
    assert "writing  9 requests, about" in out
    assert "judging  30 requests, about" in out
    assert "15 candidates in " in out
    used = {test.id.relation for test in suite_of_cases(cases, rewrites=bank).plan.tests}
    assert used >= {"instruction_paraphrase", "natural_negation", "description_paraphrase", "cross_lingual"}


def test_both_directions_are_asked(cases: Path, bank: Path) -> None:
    with ScriptedServer([chats()]) as server:
        make(server, cases, bank, *PARAPHRASE, "--candidates", "1")
        rewrite = bank_rows(bank)[0]["rewrite"]
        make(server, cases, bank, *NEGATION)
    there, back, *opposite = [message for model, message in asked_by(server) if model == "j"]
    assert there.index(BROKEN) < there.index(rewrite)
    assert back.index(rewrite) < back.index(BROKEN)
    assert ["both are answered yes" in message for message in opposite] == [True, False] * 2
    assert ["both are answered no" in message for message in opposite] == [False, True] * 2


@pytest.mark.parametrize(("votes", "asked"), [([False], 1), ([True, False], 2)])
def test_a_candidate_that_fails_one_direction_is_kept_refused(
    cases: Path, bank: Path, votes: list[bool], asked: int
) -> None:
    said = iter(votes)

    def judge(message: str) -> str:
        return json.dumps({"holds": next(said), "reason": "A parcel with a crack."})

    with ScriptedServer([chats(judge=judge)]) as server:
        assert make(server, cases, bank, *PARAPHRASE, "--candidates", "1", "--tries", "1") == 1
    (row,) = bank_rows(bank)
    assert (row["accepted"], row["votes"]) == (False, votes)
    assert row["reason"].endswith("A parcel with a crack.")
    assert len([None for model, _ in asked_by(server) if model == "j"]) == asked
    assert suite_of_cases(cases, rewrites=bank).bank.texts == {}


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        (["Is a thing in the parcel in pieces?", "", None, 7, {"a": 1}], {"": 1}),
        ([BROKEN.lower(), f'"{BROKEN}"', "Is a thing there broken?"], {"": 1, "the same words as the source": 2}),
        (["Is a thing there broken?", "is a thing there  BROKEN"], {"": 1, "the same words as an earlier": 1}),
        (["Is it broken? " * 20, "Is a thing there broken?"], {"": 1, "too long": 1}),
        (["里面有东西坏了吗？", "Is a thing there broken?"], {"": 1, "another script": 1}),
        (
            ["Is a thing\nbroken?", "Is a \x1b[31mthing broken?", "Is a thing there broken?"],
            {"": 1, "line": 1, "co": 1},
        ),
        (["Is half \ud83d broken?", "Is a thing there broken?"], {"": 1}),
    ],
)
def test_what_no_model_needs_to_judge(cases: Path, bank: Path, written: list[Any], kept: dict[str, int]) -> None:
    with ScriptedServer([chats(lambda message: json.dumps({"rewrites": written}))]) as server:
        assert make(server, cases, bank, *PARAPHRASE) == 1  # two texts were not asked for
    rows = bank_rows(bank)
    assert len(rows) == sum(kept.values())
    for reason, count in kept.items():
        found = [row for row in rows if (row["judge"] == "j" if not reason else reason in row["reason"])]
        assert len(found) == count, reason
        assert all(row["accepted"] is (not reason) for row in found)
    assert all(isinstance(row["rewrite"], str) and row["rewrite"].strip() for row in rows)
    assert len([None for model, _ in asked_by(server) if model == "j"]) == 2


@pytest.mark.parametrize(
    ("content", "finish"),
    [
        (None, "stop"),
        ("", "stop"),
        ("I cannot do that.", "stop"),
        ('{"rewrites": ["Is a thing', "length"),
        ('{"rewrites": []}', "stop"),
        ('{"rewrites": ["", null]}', "stop"),
        ("<think>A wording of it", "length"),
    ],
)
def test_an_answer_without_a_candidate_is_asked_for_again_and_leaves_no_line(
    cases: Path, bank: Path, content: str | None, finish: str, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = says(content, finish)
    with ScriptedServer([bad, chats()]) as server:
        assert make(server, cases, bank, *NEGATION) == 0
    assert [asked.json["model"] for asked in server.asked][:3] == ["w", "w", "j"]
    assert "not kept: " in capsys.readouterr().out
    bank.unlink()
    with ScriptedServer([bad]) as server:
        assert make(server, cases, bank, *NEGATION, "--tries", "3") == 1
    assert len(server.asked) == 3
    assert bank.read_bytes() == b""
    assert f'negation: "{BROKEN}"' in capsys.readouterr().out


@pytest.mark.parametrize(
    "content",
    [
        '```json\n{"rewrites": ["Is a thing there broken?"]}\n```',
        '<think>Say {"rewrites": ["no"]}?</think>Here it is:\n{"rewrites": "Is a thing there broken?"}',
        '<|channel|>analysis<|message|>{<|end|><|channel|>final<|message|>{"rewrite": "Is a thing there broken?"}',
        '{"rewrites": [{"text": "“Is a thing there broken?”"}]}',
    ],
)
def test_what_stands_around_a_candidate_is_taken_off(cases: Path, bank: Path, content: str) -> None:
    with ScriptedServer(
        [chats(lambda message: content, lambda message: f"<think>hm</think>```\n{json_yes()}\n```")]
    ) as s:
        make(s, cases, bank, *PARAPHRASE)
    (row,) = bank_rows(bank)
    assert (row["rewrite"], row["accepted"]) == ("Is a thing there broken?", True)


def json_yes() -> str:
    return '{"holds": "Yes", "reason": ""}'


@pytest.mark.parametrize("content", [None, "", '{"holds": "perhaps"}', '{"holds": tr', "[]"])
def test_a_candidate_that_the_judge_did_not_decide_on_waits_and_is_not_written_again(
    cases: Path, bank: Path, content: str | None, capsys: pytest.CaptureFixture[str]
) -> None:
    with ScriptedServer([chats(judge=lambda message: content)]) as server:
        assert make(server, cases, bank, *NEGATION) == 1
        assert len(server.asked) == 1 + 2 * 2  # each of two candidates is tried twice
        assert all(not row["accepted"] for row in bank_rows(bank))
        assert "the judge gave no usable answer" in capsys.readouterr().out
        server._steps = [chats()]
        assert make(server, cases, bank, *NEGATION) == 0
    assert sum(asked.json["model"] == "w" for asked in server.asked) == 1
    assert [row["votes"] for row in bank_rows(bank)] == [[True, True]] * 2
    assert "0 texts to ask for, 2 candidates to judge" in capsys.readouterr().out


def test_a_text_without_a_good_candidate_is_asked_for_again_with_the_reasons(cases: Path, bank: Path) -> None:
    verdicts = {"Is everything in the parcel whole?": False, "Is nothing in the parcel broken?": False}

    def writer(message: str) -> str:
        return (
            json.dumps({"rewrites": ["Is each thing there free of breaks?"]})
            if "refused" in message
            else good_writer("exact opposite")
        )

    def judge(message: str) -> str:
        return json.dumps({"holds": not any(text in message for text in verdicts), "reason": "An empty box."})

    with ScriptedServer([chats(writer, judge)]) as server:
        assert make(server, cases, bank, *NEGATION) == 0
    first, second = [message for model, message in asked_by(server) if model == "w"]
    assert "An empty box." not in first
    assert all(f'- "{text}": ' in second for text in verdicts)
    assert "An empty box." in second
    assert [(row["accepted"], row["try"]) for row in bank_rows(bank)] == [(False, 1), (False, 1), (True, 2)]


def test_what_the_bank_holds_is_not_asked_again(cases: Path, bank: Path, capsys: pytest.CaptureFixture[str]) -> None:
    no = json.dumps({"holds": False, "reason": "no"})
    with ScriptedServer([chats()]) as server:
        make(server, cases, bank, "--kinds", "paraphrase")
        before, count = bank.read_bytes(), len(server.asked)
        assert make(server, cases, bank, "--kinds", "paraphrase") == 0
        assert (bank.read_bytes(), len(server.asked)) == (before, count)
        assert "due      0 texts to ask for; 3 left as they are" in capsys.readouterr().out
    with ScriptedServer([chats(judge=lambda message: no)]) as server:
        assert make(server, cases, bank, *NEGATION) == 1
        count = len(server.asked)
        assert make(server, cases, bank, *NEGATION) == 1
        assert len(server.asked) == count
        assert make(server, cases, bank, *NEGATION, "--again") == 1
        assert len(server.asked) > count


def test_a_bank_of_another_hand_is_kept_and_what_an_audit_rejected_is_asked_for_again(cases: Path, bank: Path) -> None:
    verdict = {"audited": False, "audit": {"verdict": "reject", "reason": "fine is wider"}, "note": "mine"}
    theirs = {"kind": "negation", "source": BROKEN, "rewrite": "Is the parcel fine?", "accepted": True, **verdict}
    other = {"kind": "paraphrase", "source": "Of another case?", "rewrite": "Which?", "accepted": True}
    bank.write_text(json.dumps(theirs) + "\n\n" + json.dumps(other), "utf-8")  # the last line without its end
    with ScriptedServer([chats()]) as server:
        assert make(server, cases, bank, *NEGATION, "--again") == 0
    assert 'Is the parcel fine?": fine is wider' in asked_by(server).most_common()[0][0][1]
    rows = bank_rows(bank)
    assert rows[0] == other
    assert rows[1] == theirs
    assert [row["accepted"] for row in rows[2:]] == [True, True]


def test_the_number_of_jobs_leaves_no_trace(tmp_path: Path) -> None:
    cases = write_cases(
        tmp_path,
        [{**CASE, "id": str(n), "questions": dict([item])} for n, item in enumerate(CASE["questions"].items())],
    )
    banks = []
    for jobs in ("1", "5"):
        with ScriptedServer([chats()]) as server:
            bank = tmp_path / f"{jobs}.jsonl"
            assert make(server, cases, bank, *ALL, "--jobs", jobs) == 0
        banks.append(bank.read_bytes())
    assert banks[0] == banks[1]


def test_a_writer_that_judges_itself_is_told_and_recorded(
    cases: Path, bank: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def both(message: str) -> str:
        return good_writer(message) if "Form of the answer" in message else json_yes()

    with ScriptedServer([chats(both)]) as server:
        assert make(server, cases, bank, *NEGATION, judge="") == 0
    assert "warning: each candidate is judged by the model that writes it" in capsys.readouterr().err
    assert {row["warning"] for row in bank_rows(bank)} == {"judged by the model that wrote it"}


def test_a_translation_keeps_ids_and_levels(cases: Path, bank: Path) -> None:
    def writer(message: str) -> str:
        if WISH in message:
            turned = {"instructions": "写信人想要什么？", "criteria": {"parcel": "另一个包裹", "money": "退款"}}
            wrong = {"instructions": "写信人想要什么？", "criteria": {"钱": "退款", "parcel": "另一个包裹"}}
            return json.dumps({"rewrites": [wrong, turned]})
        if BROKEN in message:
            return json.dumps({"instructions": BROKEN, "criteria": {}})
        return json.dumps({"translation": {"instructions": "必须多快答复？", "criteria": ["可以等", "本周"]}})

    with ScriptedServer([chats(writer)]) as server:
        assert make(server, cases, bank, "--kinds", "translate:zh", "--tries", "1") == 1
    reasons = [row["reason"] for row in bank_rows(bank) if not row["accepted"]]
    assert [reason.split(",")[0] for reason in reasons] == [
        "the instructions are not translated",
        "the criteria are not those of the source",
        "there are not 3 levels as in the source",
    ]
    (good,) = [row for row in bank_rows(bank) if row["accepted"]]
    assert list(good["rewrite"]["criteria"].items()) == [("money", "退款"), ("parcel", "另一个包裹")]


def test_a_language_is_named_in_the_prompt(cases: Path, bank: Path) -> None:
    with ScriptedServer([chats()]) as server:
        make(server, cases, bank, "--kinds", "translate:zh-Hant,translate:Welsh,translate:pt_BR", "--tries", "1")
    asked = [message for model, message in asked_by(server) if model == "w"]
    for name in ("Chinese in traditional characters", "Welsh", "Brazilian Portuguese"):
        assert sum(f"into {name}," in message for message in asked) == 3


def test_a_dry_run_asks_nothing_and_writes_nothing(cases: Path, bank: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rewrite", str(cases), *ALL, "--out", str(bank), "--dry-run"]) == 0
    assert "judging  30 requests, about" in capsys.readouterr().out
    assert not bank.exists()


def test_the_folder_of_a_suite_and_one_drawn_from_another(tmp_path: Path) -> None:
    suite = tmp_path / "suites" / "whole"
    suite.mkdir(parents=True)
    write_cases(suite).rename(suite / "cases.jsonl")
    (suite / "manifest.json").write_text('{"name": "whole"}', "utf-8")
    small = tmp_path / "suites" / "small"
    small.mkdir()
    (small / "manifest.json").write_text('{"name": "small", "base": "whole"}', "utf-8")
    for folder in (suite, small):
        with ScriptedServer([chats()]) as server:
            assert make(server, folder, tmp_path / f"{folder.name}.jsonl", *NEGATION) == 0
            assert len(server.asked) == 5


def test_a_bank_in_a_folder_of_cases_is_not_taken_for_cases(
    cases: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with ScriptedServer([chats()]) as server:
        assert make(server, tmp_path, tmp_path / "bank.jsonl") == 2
        assert "--out: bank.jsonl would be read as cases in this folder" in capsys.readouterr().err
        assert server.asked == []
        for _ in range(2):
            assert make(server, tmp_path, tmp_path / "rewrites.jsonl", *NEGATION) == 0
        assert len(server.asked) == 5
    assert suite_of_cases(tmp_path).bank.find("negation", BROKEN)


def test_half_a_character_in_a_reason_leaves_a_bank_that_can_be_read(cases: Path, bank: Path) -> None:
    with ScriptedServer([chats(judge=lambda message: '{"holds": true, "reason": "a \\ud83d b"}')]) as server:
        for _ in range(2):
            assert make(server, cases, bank, *NEGATION) == 0
        assert len(server.asked) == 5
    assert bank_rows(bank)[0]["reason"].endswith("a ? b")
