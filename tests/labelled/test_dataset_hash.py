"""The hash of a data set, worked out here from its definition with hashlib and json alone."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_jevbench.errors import Place
from pytest_jevbench.labelled.dataset_hash import dataset_hash, split_hashes
from pytest_jevbench.labelled.record_checks import check_record
from pytest_jevbench.labelled.records import Task
from pytest_jevbench.labelled.task_sets import load_tasks

WHOLE: list[dict[str, Any]] = [
    {
        "id": "b",
        "family": "mail",
        "state": {"von": "Zoë", "text": "naïve “quotes”, 日本語, 🙂", "n": [1, 2.5, True, None]},
        "question": {"type": "choice", "instructions": "Which?", "criteria": {"z": "last", "a": "first"}},
        "labels": ["z", "a"],
        "expected": "a",
        "split": "public",
        "group": None,
        "provenance": {"by": "hand"},
    },
    {
        "id": "a",
        "family": "mail",
        "state": 'line one\nline two\u2028 / \\ "',
        "question": {"type": "score", "instructions": "How bad?", "criteria": ["not", "very"]},
        "labels": [0, 1],
        "expected": 1,
        "split": "dev",
        "group": "g",
        "provenance": "hand",
    },
    {
        "id": "é",
        "family": "f",
        "state": [],
        "question": {"type": "noul", "instructions": "Is it?"},
        "labels": ["yes", "no"],
        "expected": None,
        "split": "public",
        "group": "g",
        "provenance": None,
    },
]
"""Records with every field."""


def by_definition(rows: list[dict[str, Any]]) -> str:
    texts = sorted(json.dumps(row, sort_keys=True, ensure_ascii=False) for row in rows)
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text.encode("utf-8"))
        digest.update(b"\n")
    return digest.hexdigest()


def tasks(rows: list[dict[str, Any]]) -> list[Task]:
    found = [check_record(row, Place())[0] for row in rows]
    assert None not in found
    return [task for task in found if task is not None]


def test_the_hash_is_that_of_its_definition() -> None:
    assert dataset_hash(tasks(WHOLE)) == by_definition(WHOLE)
    for row in WHOLE:
        assert dataset_hash(tasks([row])) == by_definition([row])


def test_a_hash_that_was_written_down() -> None:
    """The text that is hashed, spelled out: sorted keys, ", " and ": ", non-ASCII kept, a line feed at the end."""
    text = (
        '{"expected": null, "family": "f", "group": "g", "id": "é", "labels": ["yes", "no"], "provenance": null, '
        '"question": {"instructions": "Is it?", "type": "noul"}, "split": "public", "state": []}\n'
    )
    assert dataset_hash(tasks([WHOLE[2]])) == hashlib.sha256(text.encode()).hexdigest()


@given(st.permutations(range(3)), st.data())
def test_order_of_records_and_of_keys_is_none_of_its_business(order: list[int], data: st.DataObject) -> None:
    rows = []
    for place in order:
        keys = data.draw(st.permutations(sorted(WHOLE[place])))
        rows.append({key: WHOLE[place][key] for key in keys})
    assert dataset_hash(tasks(rows)) == by_definition(WHOLE)


@pytest.mark.parametrize(
    ("place", "change"),
    [
        (0, {"id": "c"}),
        (0, {"family": "mails"}),
        (0, {"state": "other"}),
        (0, {"question": {**WHOLE[0]["question"], "instructions": "Which ?"}}),
        (0, {"expected": "z"}),
        (0, {"split": "dev"}),
        (1, {"group": "h"}),
        (1, {"provenance": "Hand"}),
        (1, {"expected": 0}),
        (2, {"labels": ["no", "yes"]}),
        (2, {"expected": "yes"}),
    ],
)
def test_an_edit_is_another_data_set(place: int, change: dict[str, Any]) -> None:
    edited = [{**row, **change} if i == place else row for i, row in enumerate(WHOLE)]
    assert dataset_hash(tasks(edited)) == by_definition(edited) != by_definition(WHOLE)


def test_what_is_left_out_is_hashed_as_what_it_means() -> None:
    bare = {name: WHOLE[0][name] for name in ("id", "family", "state", "question", "expected", "provenance")}
    short = {name: WHOLE[1][name] for name in ("id", "family", "state", "question", "expected", "split", "group")}
    whole = [WHOLE[0], {**WHOLE[1], "provenance": None}]
    assert dataset_hash(tasks([bare, short])) == by_definition(whole)


def test_each_split_has_its_own(tmp_path: Path) -> None:
    dev, public = [WHOLE[1]], [WHOLE[0], WHOLE[2]]
    public_of_dev = {**WHOLE[1], "group": "other"}  # the two groups g have questions of two types
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in (WHOLE[0], public_of_dev, WHOLE[2])), encoding="utf-8")
    found = load_tasks(path)
    assert list(found.split_hashes.items()) == [
        ("public", by_definition(public)),
        ("dev", by_definition([public_of_dev])),
    ]
    assert found.dataset_hash == by_definition([*public, public_of_dev])
    assert split_hashes(tasks(dev)) == {"dev": by_definition(dev)}
