"""Cases as people have them: every form gives the same rows, and what is wrong is said with file, line and field."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.errors import InputError
from pytest_jevbench.own_cases import read_own_cases
from pytest_jevbench.suite_loading import suite_of_cases

QUESTIONS = {
    "ready": {"type": "noul", "instructions": "Is it ready?"},
    "kind": {"type": "choice", "instructions": "What is it?", "criteria": {"no": "A nut", "010": "A bolt"}},
    "level": {"type": "score", "instructions": "How full?", "criteria": ["empty", "half", "full"]},
}
CASE = {"id": "c1", "state": "It is full.", "questions": QUESTIONS}
GOLD = {"ready": True, "kind": "010", "level": 2}
YAML = """
- id: c1
  state: It is full.
  thresholds: [{subject: nuts, value: 4}]
  questions:
    ready: {type: noul, instructions: "Is it ready?"}
    kind:
      type: choice
      instructions: "What is it?"
      criteria: {no: A nut, 010: A bolt}
    level: {type: score, instructions: "How full?", criteria: [empty, half, full]}
  gold: {ready: true, kind: 010, level: 2}
"""


def write(path: Path, value: Any) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def rows(path: Path) -> list[Any]:
    return [row for _, row in read_own_cases(path).cases]


def test_every_form_gives_the_same_case(tmp_path: Path) -> None:
    forms = [
        write(tmp_path / "a.jsonl", json.dumps(CASE) + "\n"),
        write(tmp_path / "b.ndjson", "\ufeff" + json.dumps(CASE) + "\r\n\r\n"),
        write(tmp_path / "c.json", CASE),
        write(tmp_path / "d.json", [CASE]),
        write(tmp_path / "e.json", {"cases": [CASE]}),
    ]
    assert [rows(form) for form in forms] == [[CASE]] * 5


def test_yaml_keeps_words_and_reads_the_numbers_a_case_needs(tmp_path: Path) -> None:
    own = read_own_cases(write(tmp_path / "a.yaml", YAML))
    [(_, case)] = own.cases
    assert case == {**CASE, "thresholds": [{"subject": "nuts", "value": 4}]}
    assert list(case["questions"]["kind"]["criteria"]) == ["no", "010"]
    assert [row for _, row in own.gold] == [{"case": "c1", "answers": GOLD}]


def test_a_folder_brings_gold_answers_and_rewrites(tmp_path: Path) -> None:
    write(tmp_path / "b.jsonl", json.dumps({**CASE, "id": "second"}))
    write(tmp_path / "a.jsonl", json.dumps({**CASE, "id": "first"}))
    write(tmp_path / "gold.jsonl", json.dumps({"case": "second", "answers": {"level": 0}}))
    rewrite = {"kind": "paraphrase", "source": "Is it ready?", "rewrite": "Has it been made ready?", "accepted": True}
    write(tmp_path / "rewrites.jsonl", json.dumps(rewrite))
    write(tmp_path / "jevbench.yaml", "gate: {}")
    suite = suite_of_cases(tmp_path)
    assert list(suite.cases) == ["first", "second"]
    assert suite.gold == {"second": {"level": 0}}
    assert suite.bank.find("paraphrase", "Is it ready?") == ("Has it been made ready?",)
    assert any(test.id.relation == "instruction_paraphrase" for test in suite.plan.tests)


def test_logged_requests_are_cases_once_each(tmp_path: Path) -> None:
    body = {"model": "router-7", "state": "It is full.", "questions": QUESTIONS}
    turned = {**body, "questions": dict(reversed(QUESTIONS.items()))}
    lines = [body, {"at": "09:14", "request": body}, {"id": "named", "body": body}, turned]
    own = read_own_cases(write(tmp_path / "log.jsonl", "\n".join(map(json.dumps, lines))))
    assert [row["id"] for _, row in own.cases] == ["log-1", "named", "log-4"]
    assert own.repeated == 1
    assert all("model" not in row for _, row in own.cases)
    assert list(own.cases[2][1]["questions"]) == ["level", "kind", "ready"]


def test_a_label_never_reaches_a_case(tmp_path: Path) -> None:
    suite = suite_of_cases(write(tmp_path / "a.json", {**CASE, "gold": GOLD}))
    assert suite.gold == {"c1": GOLD}
    assert "gold" not in suite.cases["c1"].metadata


def test_equal_files_are_equal_tests_and_other_settings_are_others(tmp_path: Path) -> None:
    path = write(tmp_path / "a.json", CASE)
    assert suite_of_cases(path).digest == suite_of_cases(path).digest
    assert len({suite_of_cases(path, seed=seed, draws=draws).digest for seed in (0, 1) for draws in (1, 2)}) == 4


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.csv", "id,state", r"a\.csv: the suffix \"\.csv\" is none of \.jsonl"),
        ("a.jsonl", "[1]", r"a\.jsonl, line 1: found \[1\]"),
        ("a.jsonl", "", r"a\.jsonl: there is no case in it"),
        ("a.json", '{"id": "x", "state": "s"}', "questions: this is missing"),
        ("a.json", '{"cases": [{"id": "x", "state": "s", "questions": {"q": {"type": "nuol"}}}]}', r"cases\.\[0\]"),
        ("a.yaml", "- id: x\n  state: s\n  thresholds: [{subject: n, value: 010}]\n", "line 3, .*value: found"),
        (
            "a.yaml",
            "- id: x\n  state: s\n  questions: {q: {type: noul, instructions: a}}\n  gold: {q: ja}",
            r"a\.yaml, line 4, gold\.q: found \"ja\"\. Give one of true, false",
        ),
        (
            "a.yaml",
            "- id: x\n  state: s\n  questions: {q: {type: noul, instructions: a}}\n  gold: {r: true}",
            r"a\.yaml, line 1, gold\.r: the case has no question \"r\"",
        ),
        (
            "a.yaml",
            "- id: x\n  state: s\n  questions: {q: {type: noul}}",
            r"a\.yaml, line 1, questions\.q\.instructions: ",
        ),
        ("a.json", '{"id": "x", "state": "s", "questions": {"q": {"instructions": "a"}}}', "type: this is missing"),
        ("a.json", '{"id": "x", "state": null, "questions": {}}', "state: found null"),
        ("a.jsonl", '{"body": "{\\"state\\": 1"}', r"line 1, body: the body is text and not JSON"),
        ("a.jsonl", '{"id": "x"}\n', r"line 1, state: this is missing"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(tmp_path: Path, name: str, text: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        suite_of_cases(write(tmp_path / name, text))


def test_a_body_logged_as_text_is_read(tmp_path: Path) -> None:
    body = {"state": CASE["state"], "questions": QUESTIONS, "model": "m"}
    rows = [{"ts": 1, "body": json.dumps(body)}, {"id": "named", "request": json.dumps(body)}]
    own = read_own_cases(write(tmp_path / "log.jsonl", "\n".join(map(json.dumps, rows))))
    assert [row for _, row in own.cases] == [
        {"id": "log-1", "state": CASE["state"], "questions": QUESTIONS},
        {"id": "named", "state": CASE["state"], "questions": QUESTIONS},
    ]


@pytest.mark.parametrize(
    ("second", "words"),
    [
        ("b.jsonl", r"b\.jsonl, line 1, id: the id \"c1\" stands in .*a\.jsonl, line 1, already"),
        ("b.json", r"b\.json, id: the id \"c1\" stands in .*a\.jsonl, line 1, already"),
    ],
)
def test_an_id_twice_in_a_folder_names_both_files(tmp_path: Path, second: str, words: str) -> None:
    for name in ("a.jsonl", second):
        write(tmp_path / name, json.dumps(CASE))
    with pytest.raises(InputError, match=words):
        suite_of_cases(tmp_path)
