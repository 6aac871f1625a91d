"""Files of labelled records: what is wrong with any of them is told with file and line, and records agree."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.labelled.problems import TaskProblems
from pytest_jevbench.labelled.task_sets import check_tasks, load_tasks
from pytest_jevbench.questions import Noul, Score
from tests.labelled.raw_records import CHOICE, NOUL, SCORE, lines, record, told

# Files ---------------------------------------------------------------------------------------------------------------


def test_all_problems_of_all_files_are_told_with_file_and_line(tmp_path: Path) -> None:
    one = lines(
        tmp_path / "one.jsonl",
        record("a", expected="maybe"),
        "",
        record("b"),
        '{"id": "c"',
        record("d", state={"label": 1}, expected=True),
    )
    two = lines(tmp_path / "two.jsonl", record("b"), '["no record"]', record("e", family=None))
    assert told(one, two) == [
        ("one.jsonl", 1, "expected"),
        ("one.jsonl", 4, None),
        ("one.jsonl", 5, "state.label"),
        ("one.jsonl", 5, "expected"),
        ("two.jsonl", 1, "id"),
        ("two.jsonl", 2, None),
        ("two.jsonl", 3, "family"),
    ]
    with pytest.raises(TaskProblems) as raised:
        load_tasks(tmp_path)
    assert str(raised.value).startswith("7 problems in the labelled tasks\n")
    assert f'{two}, line 1, id: the id "b" stands in {one}, line 3 already' in str(raised.value)


def test_one_problem_is_one_line_and_many_are_cut(tmp_path: Path) -> None:
    path = lines(tmp_path / "t.jsonl", record("a", expected="maybe"))
    with pytest.raises(TaskProblems) as raised:
        load_tasks(path)
    assert str(raised.value).startswith(f'{path}, line 1, expected: found "maybe". Give one of')
    assert "\n" not in str(raised.value)
    lines(path, *(record(f"t{i}", expected="maybe") for i in range(30)))
    with pytest.raises(TaskProblems) as raised:
        load_tasks(path)
    assert len(raised.value.problems) == 30
    assert str(raised.value).splitlines()[-1].strip().startswith("... and 10 more")


def test_an_id_twice_is_told_wherever_it_stands(tmp_path: Path) -> None:
    """Also where the first record of this id has a mistake of its own, and within one file."""
    lines(tmp_path / "a.jsonl", record("x", expected="maybe"), record("x"))
    lines(tmp_path / "sub.jsonl", record("x"))
    assert told(tmp_path) == [("a.jsonl", 1, "expected"), ("a.jsonl", 2, "id"), ("sub.jsonl", 1, "id")]


def test_numbers_that_json_has_not_are_told_with_their_field_beside_the_rest(tmp_path: Path) -> None:
    row = '{"id": "a", "family": 7, "state": {"x": %s}, "question": {"type": "noul", "instructions": "Is it?"}}'
    path = lines(tmp_path / "t.jsonl", row % "NaN", row % "-Infinity", row % "1e999")
    assert told(path) == [
        ("t.jsonl", 1, "state.x"),
        ("t.jsonl", 1, "family"),
        ("t.jsonl", 2, "state.x"),
        ("t.jsonl", 2, "family"),
        ("t.jsonl", 2, "id"),
        ("t.jsonl", 3, "state.x"),
        ("t.jsonl", 3, "family"),
        ("t.jsonl", 3, "id"),
    ]


def test_a_key_that_stands_twice_is_told_with_its_place_beside_the_rest(tmp_path: Path) -> None:
    question = '{"type": "noul", "instructions": "Is it?"}'
    path = lines(
        tmp_path / "t.jsonl",
        f'{{"id": "a", "id": "b", "family": "f", "state": "s", "question": {question}}}',
        f'{{"id": "c", "family": 1, "state": {{"x": [{{"y": 1, "y": 2}}]}}, "question": {question}}}',
    )
    found = check_tasks([path])[1]
    assert [(e.place.line, e.place.field) for e in found] == [(1, "id"), (2, "state.x[0].y"), (2, "family")]
    assert 'the key "id" stands twice' in str(found[0])


def test_half_characters_are_told_with_their_field(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    good, bad = json.dumps(record("a")), json.dumps(record("b", state={"mail": ["fine", "half \ud83d"]}, family=None))
    path.write_text(f"{good}\n{bad}\n", encoding="utf-8")
    assert told(path) == [("t.jsonl", 2, "state.mail[1]"), ("t.jsonl", 2, "family")]
    whole = json.dumps(record("c", state="a face \U0001f600"))  # an escaped pair is one character
    path.write_text(whole, encoding="utf-8")
    assert told(path) == []


def test_byte_order_marks_line_ends_and_blank_lines(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    rows = [json.dumps(record(name, state="Zoë’s mail\u2028"), ensure_ascii=False) for name in "ab"]
    path.write_bytes(b"\xef\xbb\xbf" + f"{rows[0]}\r\n\r\n  \n{rows[1]}\r\n".encode())
    tasks = load_tasks(path)
    assert [task.id for task in tasks.tasks] == ["a", "b"]
    assert tasks.tasks[0].state == "Zoë’s mail\u2028"
    assert tasks.places == {"a": Place(path, 1), "b": Place(path, 4)}
    plain = lines(tmp_path / "plain.jsonl", *rows)
    assert load_tasks(plain).dataset_hash == tasks.dataset_hash


@pytest.mark.parametrize(
    ("content", "line", "said"),
    [
        (b"", None, "there is no record"),
        (b"\n \r\n", None, "there is no record"),
        (b"\xff\xfe{\x00}\x00", 1, "not UTF-8"),
        (b'\n{"id": "caf\xe9"}', 2, "not UTF-8"),
        (b"{}{}", 1, "not JSON"),
        (b"[" * 100_000, 1, "nested too deeply"),
        (b'{"id": ' + b"9" * 5000 + b"}", 1, "not JSON"),
    ],
)
def test_files_that_hold_no_record(tmp_path: Path, content: bytes, line: int | None, said: str) -> None:
    path = tmp_path / "t.jsonl"
    path.write_bytes(content)
    found = check_tasks([path])[1]
    assert [(e.place.file, e.place.line) for e in found] == [(path, line)]
    assert said in str(found[0])


@pytest.mark.parametrize("depth", [190, 400, 950, 3000])
def test_deep_states_are_read_or_told(tmp_path: Path, depth: int) -> None:
    path = tmp_path / "t.jsonl"
    deep = json.dumps(record("deep", state="STATE")).replace('"STATE"', "[" * depth + '"\\u00e9"' + "]" * depth)
    path.write_text(f"{deep}\n{json.dumps(record('b', expected='maybe'))}\n", encoding="utf-8")
    found, wrong = check_tasks([path])
    assert (wrong[-1].place.line, wrong[-1].place.field) == (2, "expected")
    if len(wrong) == 2:
        assert any(said in str(wrong[0]) for said in ("nested too deeply", "nested more than 200 levels deep"))
        assert depth > 200
    else:
        assert [task.id for task in found.tasks] == ["deep"]
        assert len(found.dataset_hash) == 64


@pytest.mark.parametrize("depth", [950, 5000])
@pytest.mark.parametrize("name", ["t.json", "t.yaml"])
def test_files_nested_too_deeply_are_told(tmp_path: Path, depth: int, name: str) -> None:
    path = tmp_path / name
    path.write_text('{"id": "deep", "state": ' + "[" * depth + "]" * depth + "}", encoding="utf-8")
    found = check_tasks([path])[1]
    assert found[0].place.file == path
    assert "nested" in str(found[0])


def test_a_folder_is_read_in_order_of_its_names(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    lines(tmp_path / "b" / "two.jsonl", record("two"))
    (tmp_path / "a.json").write_text(json.dumps([record("one"), record("one-b")]), encoding="utf-8")
    (tmp_path / "c.yaml").write_text(json.dumps({"tasks": [record("three")]}), encoding="utf-8")
    (tmp_path / "README.md").write_text("not a record", encoding="utf-8")
    (tmp_path / ".hidden").mkdir()
    lines(tmp_path / ".hidden" / "x.jsonl", "not a record")
    tasks = load_tasks(tmp_path)
    assert [task.id for task in tasks.tasks] == ["one", "one-b", "two", "three"]
    assert tasks.name == tmp_path.name


def test_places_that_hold_no_files_of_records(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    csv = lines(tmp_path / "t.csv", "id,family")
    found = check_tasks([tmp_path / "empty", tmp_path / "nowhere.jsonl", csv])[1]
    assert [str(e.place.file) for e in found] == [str(tmp_path / n) for n in ("empty", "nowhere.jsonl", "t.csv")]
    assert ["no file of records" in str(found[0]), "no such file" in str(found[1])] == [True, True]
    assert 'the suffix ".csv" is none of .jsonl, .ndjson, .json, .yaml, .yml' in str(found[2])


@pytest.mark.parametrize(("before", "after"), [("[", "]"), ('{"note": ["a"],\n"tasks": [', "]}")])
def test_json_files_name_the_line(tmp_path: Path, before: str, after: str) -> None:
    path = tmp_path / "t.json"
    rows = [record("a"), record("b", expected="maybe"), 5, record("c", state={"x": [float("nan")]}, family=1)]
    path.write_text(before + ",\n".join(json.dumps(row) for row in rows) + after, encoding="utf-8")
    first = before.count("\n") + 1
    assert [(line, field) for _, line, field in told(path)] == [
        (first + 1, "expected"),
        (first + 2, None),
        (first + 3, "state.x[0]"),
        (first + 3, "family"),
    ]


YAML = """\
- id: a
  family: f
  state: Is no answer an answer?
  question: {type: noul, instructions: Is it late}
  labels: [no, yes]
  expected: yes
- id: b
  family: f
  state: {mail: late, days: 09}
  question:
    type: score
    instructions: How bad
    criteria: [not, somewhat, very]
  labels: [0, 1, 2]
  expected: 2
- id: c
  family: f
  state: s
  question: {type: noul, instructions: Is it late}
  expected: null
  group: ~
"""


def test_yaml_is_read_without_guessing(tmp_path: Path) -> None:
    path = tmp_path / "t.yaml"
    path.write_text(YAML, encoding="utf-8")
    a, b, c = load_tasks(path).tasks
    assert (a.question, a.labels, a.expected) == (Noul("Is it late"), ("no", "yes"), "yes")
    assert (b.question, b.labels, b.expected) == (Score("How bad", ("not", "somewhat", "very")), ("0", "1", "2"), "2")
    assert b.state == {"mail": "late", "days": "09"}
    assert (c.expected, c.group) == (None, None)


@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("expected: 2", "expected: true", 15, 'found "true"'),
        ("expected: 2", "expected: 02", 15, 'found "02"'),
        ("labels: [0, 1, 2]", "labels: [0, 1, two]", 14, 'found "two"'),
        ("expected: yes", "expected: maybe", 1, 'found "maybe"'),
        ("id: c", "id: a", 16, "stands in"),
        ("  group: ~", "  expected: yes", 21, '"expected" stands twice'),
        ("  group: ~", " group: ~", 21, "not YAML"),
    ],
)
def test_yaml_problems_name_the_line(tmp_path: Path, old: str, new: str, line: int, said: str) -> None:
    path = tmp_path / "t.yaml"
    path.write_text(YAML.replace(old, new), encoding="utf-8")
    [error] = check_tasks([path])[1]
    assert (error.place.file, error.place.line) == (path, line)
    assert said in str(error)


# Records against each other ------------------------------------------------------------------------------------------


def test_members_of_a_group_have_one_answer(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "t.jsonl",
        record("a", group="g", expected="yes"),
        record("b", group="g", expected="yes"),
        record("c", group="g", expected="no"),
        record("d", group="g", expected=None),
        record("e", group="h", expected="no"),
    )
    found = check_tasks([path])[1]
    assert [(e.place.line, e.place.field) for e in found] == [(3, "expected"), (4, "expected")]
    assert 'the group "g" disagrees on the label, "yes" and "no"' in str(found[0])
    assert f'(the other is "a" in {path}, line 1)' in str(found[0])


@pytest.mark.parametrize(
    ("other", "field"),
    [
        ({"question": SCORE, "expected": 1}, "question.type"),
        ({"question": {**CHOICE, "criteria": {"a": "one", "d": "two"}}, "expected": "a"}, "labels"),
        ({"question": CHOICE, "expected": "b"}, "expected"),
        ({"question": CHOICE, "expected": "a", "split": "private"}, "split"),
    ],
)
def test_members_of_a_group_are_alike(tmp_path: Path, other: dict[str, Any], field: str) -> None:
    one = lines(tmp_path / "1.jsonl", record("a", group="g", question=CHOICE, expected="a"))
    two = lines(tmp_path / "2.jsonl", record("b", group="g", **other))
    assert told(one, two) == [("2.jsonl", 1, field)]


def test_members_of_a_group_may_name_their_options_in_another_order(tmp_path: Path) -> None:
    turned = {**CHOICE, "criteria": {"c": "third", "a": "first", "b": "second"}}
    rows = [record(n, group="g", question=q, expected="a") for n, q in (("a", CHOICE), ("b", turned))]
    assert told(lines(tmp_path / "t.jsonl", *rows)) == []


def test_one_question_about_one_state_has_one_label(tmp_path: Path) -> None:
    rows = [record(name, state="same", expected=expected) for name, expected in (("a", "yes"), ("b", "no"))]
    assert told(lines(tmp_path / "t.jsonl", *rows)) == [("t.jsonl", 2, "expected")]


def test_tasks_about_one_state_are_one_case(tmp_path: Path) -> None:
    states = ["s", {"x": 1}, "s", {"x": 1.0}, {"x": 1}]
    rows = [record(f"t{i}", state=s, question={**NOUL, "instructions": f"{i}?"}) for i, s in enumerate(states)]
    tasks = load_tasks(lines(tmp_path / "t.jsonl", *rows)).tasks
    assert [task.case for task in tasks] == ["case-1", "case-2", "case-1", "case-3", "case-2"]


def test_splits_are_chosen_by_name(tmp_path: Path) -> None:
    path = lines(tmp_path / "t.jsonl", record("a"), record("b", split="dev"), record("c", split="test"))
    tasks = load_tasks(path)
    assert [task.id for task in tasks.of_splits(["test", "public"]).tasks] == ["a", "c"]
    with pytest.raises(InputError, match=r'no record has the split "tset"\. There are: "public", "dev", "test"'):
        tasks.of_splits(["tset"])
