"""Private splits: where their outputs may be, and that no word of them is told."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.errors import InputError
from pytest_jevbench.labelled.document import build_document
from pytest_jevbench.labelled.preflight import check_askable
from pytest_jevbench.labelled.private import HIDDEN, Hiding, check_private_outputs, work_tree
from pytest_jevbench.labelled.records import Task
from pytest_jevbench.labelled.results import TaskResult, judge_task
from pytest_jevbench.labelled.rows import rows_of
from pytest_jevbench.labelled.task_sets import TaskSet, check_tasks
from pytest_jevbench.models.dialects.gradio_space import gradio_space
from pytest_jevbench.questions import Choice, Noul, Score

WORDS = ("zebrafish", "quokka", "narwhal", "axolotl", "wombat")
"""These stand in the texts of private tasks and nowhere else."""


def private(task_id: str = "p1", question: Any = None, **fields: Any) -> Task:
    question = question or Choice("Which narwhal?", {"quokka": "a quokka", "axolotl": "an axolotl", "other": "none"})
    labels = {Choice: lambda q: tuple(q.options), Noul: lambda q: ("no", "yes"), Score: lambda q: ("0", "1")}
    task = Task(task_id, "f", "A zebrafish.", question, labels[type(question)](question), split="private", private=True)
    return replace(task, **fields)


# Where outputs may be ------------------------------------------------------------------------------------------------


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    place = tmp_path / "repository"
    (place / ".git").mkdir(parents=True)
    (place / "deep").mkdir()
    return place


def test_outputs_of_private_tasks_lie_outside_of_repositories(repository: Path, tmp_path: Path) -> None:
    inside = repository / "deep" / "not" / "yet" / "result.json"
    assert work_tree(inside) == repository
    assert work_tree(tmp_path / "elsewhere" / "result.json") is None
    with pytest.raises(InputError) as raised:
        check_private_outputs([private()], {"--a": None, "--b": tmp_path / "fine.json", "--c": inside})
    assert str(raised.value).startswith(f"{inside}, --c: the output lies inside the repository {repository}")
    check_private_outputs([private()], {"--a": None, "--b": tmp_path / "fine.json"})
    check_private_outputs([replace(private(), private=False, split="public")], {"--c": inside})
    check_private_outputs([], {"--c": inside})


def test_one_private_task_among_many_is_enough(repository: Path) -> None:
    public = replace(private("a"), private=False, split="public")
    with pytest.raises(InputError, match="the split 'private' is private"):
        check_private_outputs([public, public, private()], {"--out": repository / "x"})


@pytest.mark.parametrize("mark", [".git", ".hg", ".jj", ".svn"])
def test_every_kind_of_repository_and_a_file_called_git(tmp_path: Path, mark: str) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / mark).write_text("gitdir: elsewhere", encoding="utf-8")  # a linked work tree has a file
    assert work_tree(tmp_path / "one" / "sub" / "x.json") == tmp_path / "one"


@pytest.mark.skipif(os.name == "nt", reason="links need a right that users of Windows have not")
def test_a_link_into_a_repository_is_followed(repository: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(repository / "deep")
    (tmp_path / "file.json").symlink_to(repository / "result.json")
    assert work_tree(tmp_path / "link" / "x.json") == repository
    assert work_tree(tmp_path / "file.json") == repository


def test_a_relative_path_is_taken_from_where_one_is(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository / "deep")
    assert work_tree("result.json") == repository
    assert work_tree("../../result.json") is None


# What is told --------------------------------------------------------------------------------------------------------


def test_options_are_told_by_position_in_the_order_of_the_groups_first_task() -> None:
    question = Choice("Which?", {"axolotl": "an axolotl", "other": "none", "quokka": "a quokka"})
    first, turned = private(group="g"), private("p2", question, group="g")
    alone = private("p3", question)
    hiding = Hiding([first, turned, alone])
    assert hiding.names(first) == {"quokka": "0", "axolotl": "1", "other": "2"}
    assert hiding.names(turned) == {"axolotl": "1", "other": "2", "quokka": "0"}
    assert hiding.names(alone) == {"axolotl": "0", "other": "1", "quokka": "2"}
    assert list(hiding.names(turned)) == list(turned.labels)


def test_labels_that_hold_no_text_stay() -> None:
    noul, score = private(question=Noul("Is it?")), private(question=Score("How?", ("wombat", "more")))
    assert Hiding([noul]).names(noul) == {"no": "no", "yes": "yes"}
    assert Hiding([score]).names(score) == {"0": "0", "1": "1"}
    public = replace(private(), private=False)
    assert Hiding([public]).names(public) == {"quokka": "quokka", "axolotl": "axolotl", "other": "other"}


def test_a_result_is_told_without_words() -> None:
    task = private(expected="axolotl")
    result = judge_task(
        task,
        TaskResult(
            "p1",
            "wrong",
            probabilities={"quokka": 0.25, "axolotl": 0.5, "other": 0.25},
            probs_source="native",
            returned_sum=1.01,
            returned={"quokka": 0.2525, "axolotl": 0.505, "other": 0.2525},
            flags=("renormalised", "the state says: zebrafish"),
            detail="the server said: zebrafish",
            model_asked="m",
            model_answered="m-zebrafish",
            latency_s=1.5,
            cost_usd=0.25,
            cost_basis="b",
        ),
    )
    [row] = rows_of([task], [result])
    assert row.result == replace(
        result,
        given="1",
        probabilities={"0": 0.25, "1": 0.5, "2": 0.25},
        returned={"0": 0.2525, "1": 0.505, "2": 0.2525},
        flags=("renormalised",),
        detail=HIDDEN,
        model_answered=None,
    )
    assert (row.labels, row.expected) == (("0", "1", "2"), "1")
    assert not any(word in repr(row) for word in WORDS)


def test_a_document_holds_no_word_of_a_private_task() -> None:
    tasks = (private(expected="axolotl"), replace(private("a"), split="public", private=False, state="open"))
    results = [TaskResult("p1", "unjudged", "refused", detail="HTTP 422: zebrafish", model_answered="wombat")]
    document = build_document(TaskSet("set", Path("set"), tasks), results, stopped="HTTP 429: the zebrafish said so")
    [hidden, shown] = document.to_json()["tasks"]  # type: ignore[misc]
    assert not any(word in json.dumps(hidden) for word in WORDS)
    assert "quokka" in json.dumps(shown)
    assert document.stopped == "the run ended before its last task"
    assert document.splits["private"].private
    assert not document.splits["public"].private


def test_what_a_dialect_cannot_ask_is_told_without_words() -> None:
    tasks = [private(question=Choice("Which?", {"a quokka, wet": "one", "other": "two"}))]
    with pytest.raises(InputError) as raised:
        check_askable(tasks, gradio_space(), "m")
    assert "p1: (not told: private)" in str(raised.value)
    assert "quokka" not in str(raised.value)


def test_a_task_is_shown_without_its_text() -> None:
    assert repr(private()) == "Task('p1', choice, split='private')"


# Records of private splits that are wrong ----------------------------------------------------------------------------

NOUL = {"type": "noul", "instructions": "Is it a quokka?"}
GOOD = {"id": "p", "family": "f", "state": "A zebrafish.", "question": NOUL, "split": "private"}
HALF = '{"id": "x", "split": "private", "state": {"zebrafish": 1'


@pytest.mark.parametrize(
    ("name", "lines", "fields"),
    [
        ("t.jsonl", [{**GOOD, "expected": "wombat"}], ["expected"]),
        ("t.jsonl", [{**GOOD, "split": "private-2", "wombat": 1}], [None]),
        ("t.jsonl", [{**GOOD, "state": {"zebrafish": {"label": 1}}}], ["state"]),
        ("t.jsonl", [{**GOOD, "id": "the zebrafish of the house"}], ["id"]),
        ("t.jsonl", [{**GOOD, "family": "zebrafish family", "group": "wombat!"}], ["family", "group"]),
        ("t.jsonl", [{**GOOD, "split": "private wombat"}], ["split"]),
        ("t.jsonl", [{**GOOD, "split": ["private", "wombat"], "expected": "wombat"}], ["split", "expected"]),
        ("t.jsonl", [GOOD, HALF], [None]),
        ("t.jsonl", [HALF], [None]),
        ("t.jsonl", [json.dumps(GOOD)[:-1] + ', "wombat": 1, "wombat": 2}'], [None, None]),
        ("t.jsonl", [json.dumps(GOOD)[:-1] + ', "split": "public", "expected": "wombat"}'], ["split", "expected"]),
        ("t.json", [[{**GOOD, "expected": "wombat"}]], ["expected"]),
        ("t.json", [[GOOD], "zebrafish"], [None]),
        ("t.yaml", ["- id: p\n  split: private\n  state: a wombat #zebrafish"], [None]),
        ("t.yaml", ["- id: p\n  split: private\n  question: {type: score}\n  expected: wombat"], [None]),
    ],
)
def test_what_is_wrong_is_told_by_its_place_alone(
    tmp_path: Path, name: str, lines: list[Any], fields: list[str | None]
) -> None:
    path = tmp_path / name
    texts = [one if isinstance(one, str) else json.dumps(one) for one in lines]
    path.write_text("\n".join(texts), encoding="utf-8")
    problems = check_tasks([path])[1]
    assert [error.place.field for error in problems] == fields
    for error in problems:
        assert error.place.file == path
        assert not any(word in str(error) for word in WORDS)
        assert "--show-private" in str(error)
    told = " ".join(map(str, check_tasks([path], show_private=True)[1]))
    assert "is private, or may be" not in told
    assert told.startswith(str(path))


def test_public_records_beside_them_are_told_in_words(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    public = {**GOOD, "id": "a", "split": "public", "expected": "maybe"}
    path.write_text(f"{json.dumps(public)}\n{json.dumps({**GOOD, 'expected': 'wombat'})}\n", encoding="utf-8")
    said = [str(error) for error in check_tasks([path])[1]]
    assert 'found "maybe"' in said[0]
    assert "wombat" not in said[1]
    path.write_text('{"id": "x", "state": "nothing private here"', encoding="utf-8")
    assert "not JSON" in str(check_tasks([path])[1][0])


def test_members_of_a_private_group_that_disagree_are_told_without_labels(tmp_path: Path) -> None:
    question = {"type": "choice", "instructions": "Which?", "criteria": {"quokka": "one", "axolotl": "two"}}
    rows = [
        {**GOOD, "id": f"p{i}", "group": "g", "question": question, "expected": expected}
        for i, expected in enumerate(("quokka", "axolotl"))
    ]
    path = tmp_path / "t.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    [said] = [str(error) for error in check_tasks([path])[1]]
    assert 'the group "g" has members that disagree on the label (the other is "p0"' in said
    assert not any(word in said for word in WORDS)
