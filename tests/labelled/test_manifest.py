"""Pinned hashes: what a manifest may say, and what is said where the records are not those that were pinned."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from pytest_jevbench.errors import InputError
from pytest_jevbench.labelled.manifest import Manifest, PinnedSplit, manifest_json, read_manifest
from pytest_jevbench.labelled.problems import TaskProblems
from pytest_jevbench.labelled.task_sets import check_tasks, load_tasks

HASH = "0123456789abcdef" * 4
QUESTION = {"type": "noul", "instructions": "Is it?"}


def record(task_id: str, **more: Any) -> dict[str, Any]:
    return {"id": task_id, "family": "f", "state": f"S {task_id}", "question": QUESTION, "expected": "yes", **more}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of tasks with two splits, one private, and no manifest."""
    place = tmp_path / "tasks"
    place.mkdir()
    write(place / "public.jsonl", record("a"), record("b"))
    write(place / "private.jsonl", record("p", split="private"))
    return place


def write(path: Path, *rows: dict[str, Any]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def pin(folder: Path, **changes: dict[str, Any] | None) -> Path:
    """A manifest of what is there, with some splits changed; None takes one out."""
    value: Any = manifest_json(check_tasks([folder])[0].tasks)
    for name, change in changes.items():
        if change is None:
            del value["splits"][name]
        else:
            value["splits"][name] = {**value["splits"].get(name, {}), **change}
    path = folder / "manifest.json"
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def said(folder: Path) -> list[str]:
    return [str(error) for error in check_tasks([folder])[1]]


def test_what_is_pinned_is_what_is_there(folder: Path) -> None:
    tasks = load_tasks(folder)
    assert manifest_json(tasks.tasks) == {
        "format": "jevbench-tasks",
        "schema_version": "1.0",
        "splits": {
            "private": {"sha256": tasks.split_hashes["private"], "tasks": 1, "private": True},
            "public": {"sha256": tasks.split_hashes["public"], "tasks": 2},
        },
    }
    pin(folder)
    again = load_tasks(folder)
    assert again.manifest is not None
    assert again.manifest.splits["public"] == PinnedSplit(tasks.split_hashes["public"], 2, False)
    assert again.dataset_hash == tasks.dataset_hash


def test_json_and_yaml_say_the_same(folder: Path, tmp_path: Path) -> None:
    value = json.loads(pin(folder).read_text(encoding="utf-8"))
    (tmp_path / "m.yaml").write_text(yaml.safe_dump(value, sort_keys=False), encoding="utf-8")
    (tmp_path / "m.json").write_text(json.dumps(value), encoding="utf-8")
    of_yaml, of_json = read_manifest(tmp_path / "m.yaml"), read_manifest(tmp_path / "m.json")
    assert of_yaml.splits == of_json.splits
    assert of_yaml.splits["private"].private is True


def test_an_edited_record_is_told(folder: Path) -> None:
    pin(folder)
    before = load_tasks(folder).split_hashes["public"]
    write(folder / "public.jsonl", record("a"), record("b", expected="no"))
    [problem] = said(folder)
    assert problem.startswith(f"{folder / 'manifest.json'}, splits.public: {before} is pinned, and the records have ")
    with pytest.raises(TaskProblems, match=r"splits\.public"):
        load_tasks(folder)


def test_a_reordered_file_is_the_same(folder: Path) -> None:
    pin(folder)
    write(folder / "public.jsonl", record("b"), record("a"))
    assert said(folder) == []


def test_every_split_that_differs_is_told(folder: Path) -> None:
    pin(folder, public={"tasks": 3}, private={"sha256": HASH}, old={"sha256": HASH})
    problems = said(folder)
    assert [p.partition("splits.")[2].partition(":")[0] for p in problems] == ["private", "public", "old"]
    assert "3 records are pinned, and there are 2" in problems[1]
    assert "there is no record of this split" in problems[2]


def test_a_split_that_is_not_pinned_is_told(folder: Path) -> None:
    pin(folder, public=None)
    [problem] = said(folder)
    assert 'the split "public" of the records is not in the manifest' in problem


def test_a_private_split_may_be_elsewhere_and_a_public_one_not(folder: Path) -> None:
    pin(folder)
    (folder / "private.jsonl").unlink()
    assert said(folder) == []
    write(folder / "private.jsonl", record("p", split="private"))
    (folder / "public.jsonl").unlink()
    assert len(said(folder)) == 1


def test_capital_hexadecimal_digits_are_the_same_hash(folder: Path) -> None:
    pin(folder, public={"sha256": load_tasks(folder).split_hashes["public"].upper()})
    assert said(folder) == []


def test_a_split_is_private_by_the_manifest_alone(folder: Path) -> None:
    write(folder / "held.jsonl", record("h", split="held-out"))
    pin(folder, **{"held-out": {"private": True}})
    tasks = load_tasks(folder)
    assert {task.id: task.private for task in tasks.tasks} == {"a": False, "b": False, "p": True, "h": True}
    assert tasks.private_splits == ("held-out", "private")


def test_a_manifest_elsewhere_and_two_of_them(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "pins.json"
    other.write_text(pin(folder, public={"tasks": 7}).read_text(encoding="utf-8"), encoding="utf-8")
    pin(folder)
    assert load_tasks(folder).tasks
    assert "7 records are pinned" in str(check_tasks([folder], manifest=other)[1][0])
    (folder / "manifest.yaml").write_text("format: jevbench-tasks", encoding="utf-8")
    assert "there is more than one manifest" in said(folder)[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "jevbench"}, 'format: found "jevbench". Give "jevbench-tasks"'),
        ({"format": None}, "format: found null"),
        ({"schema_version": "2.0"}, 'schema_version: found "2.0"'),
        ({"schema_version": 1.0}, "schema_version: found 1.0"),
        ({"splits": {}}, "splits: no split is pinned"),
        ({"splits": []}, "splits: found []"),
        ({"splits": {"public": HASH}}, f'splits.public: found "{HASH}"'),
        ({"splits": {"public": {}}}, "splits.public.sha256: found null"),
        ({"splits": {"public": {"sha256": HASH[1:]}}}, "splits.public.sha256: found"),
        ({"splits": {"public": {"sha256": HASH + "\n"}}}, "splits.public.sha256: found"),
        ({"splits": {"public": {"sha256": HASH, "tasks": True}}}, "splits.public.tasks: found true"),
        ({"splits": {"public": {"sha256": HASH, "tasks": -1}}}, "splits.public.tasks: found -1"),
        ({"splits": {"public": {"sha256": HASH, "private": "yes"}}}, 'splits.public.private: found "yes"'),
        ({"splits": {"private": {"sha256": HASH, "private": False}}}, "a split of this name is private"),
        ({"splits": {"held": {"sha256": HASH, "privat": True}}}, 'splits.held.privat: unknown field "privat"'),
        ({"split": {}}, 'split: unknown field "split"'),
    ],
)
@pytest.mark.parametrize("suffix", [".json", ".yaml"])
def test_what_is_no_manifest(change: dict[str, Any], message: str, suffix: str, tmp_path: Path) -> None:
    value = {"format": "jevbench-tasks", "schema_version": "1.0", "splits": {"public": {"sha256": HASH}}, **change}
    path = tmp_path / f"m{suffix}"
    path.write_text(json.dumps(value) if suffix == ".json" else yaml.safe_dump(value), encoding="utf-8")
    if suffix == ".yaml" and change == {"schema_version": 1.0}:
        assert read_manifest(path).splits["public"].sha256 == HASH  # in YAML the number is the text that stands there
        return
    with pytest.raises(InputError) as raised:
        read_manifest(path)
    place = message.partition(":")[0]
    assert str(raised.value).startswith(f"{path}, ")
    assert place in str(raised.value)
    if suffix == ".json":
        assert message in str(raised.value)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff", b"null", b'{"format": 1, "format": 2}'])
@pytest.mark.parametrize("name", ["manifest.json", "manifest.yaml"])
def test_a_damaged_manifest_is_one_more_problem(folder: Path, name: str, content: bytes) -> None:
    write(folder / "public.jsonl", record("a", expected="maybe"))
    (folder / name).write_bytes(content)
    problems = said(folder)
    assert len(problems) == 2
    assert str(folder / name) in problems[0]
    assert "public.jsonl, line 1, expected" in problems[1]


def test_names_that_are_private_by_themselves() -> None:
    manifest = Manifest(Path("m.json"), {"dev": PinnedSplit(HASH, None, False), "held": PinnedSplit(HASH, None, True)})
    names = ["private", "Private", "private-2", "private_test", "held", "dev", "public", "nonprivate", "privately"]
    assert [name for name in names if manifest.is_private(name)] == names[:5]
