"""The gold answers of a coherence suite as labelled tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench.errors import InputError
from pytest_jevbench.labelled.suite_tasks import tasks_of_suite
from pytest_jevbench.questions import Choice, Noul, Score
from pytest_jevbench.suite_freezing import freeze_suite
from pytest_jevbench.suite_loading import load_suite
from tests.suite_writing import MARKET, write_lines, write_suite

FULL: dict[str, Any] = {
    **MARKET,
    "questions": {
        **MARKET["questions"],
        "loud": {"type": "score", "instructions": "How loud is it?", "criteria": ["quiet", "some", "loud"]},
    },
}


def suite_with(folder: Path, *gold: dict[str, Any]) -> Any:
    write_suite(folder, [FULL, {**FULL, "id": "fair", "domain": "", "state": "The fair is shut."}])
    if gold:
        write_lines(folder / "gold.jsonl", gold)
    freeze_suite(folder)
    return load_suite(str(folder))


def test_each_gold_answer_is_a_task(tmp_path: Path) -> None:
    answers = {"open": True, "busy": False, "goods": "bread", "loud": 2}
    suite = suite_with(
        tmp_path / "made",
        {"case": "market", "answers": answers},
        {"case": "fair", "answers": {"open": False, "busy": None}},
    )
    tasks = tasks_of_suite(suite)
    assert {task.id: (type(task.question), task.labels, task.expected) for task in tasks.tasks} == {
        "market::open": (Noul, ("no", "yes"), "yes"),
        "market::busy": (Noul, ("no", "yes"), "no"),
        "market::goods": (Choice, ("bread", "fish"), "bread"),
        "market::loud": (Score, ("0", "1", "2"), "2"),
        "fair::open": (Noul, ("no", "yes"), "no"),
    }
    first, last = tasks.tasks[0], tasks.tasks[-1]
    assert (first.family, last.family) == ("stalls", suite.name)
    assert (first.case, last.case) == ("market", "fair")
    assert (first.split, first.private, tasks.private_splits) == ("public", False, ())
    assert first.provenance == {"suite": suite.name, "version": suite.version, "case": "market", "question": "open"}


def test_a_task_asks_what_the_case_asks(tmp_path: Path) -> None:
    suite = suite_with(tmp_path / "made", {"case": "market", "answers": {"goods": "fish"}})
    [task] = tasks_of_suite(suite).tasks
    assert task.request().body() == {"state": FULL["state"], "questions": {"q": FULL["questions"]["goods"]}}


def test_a_suite_without_gold_answers_is_none_to_be_labelled(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="has no gold answer"):
        tasks_of_suite(suite_with(tmp_path / "made"))


def test_the_hash_is_of_the_suite_whatever_its_place(tmp_path: Path) -> None:
    gold = {"case": "market", "answers": {"open": True}}
    here, there = (tasks_of_suite(suite_with(tmp_path / name / "made", gold)) for name in ("here", "there"))
    assert here.dataset_hash == there.dataset_hash
    other = tasks_of_suite(suite_with(tmp_path / "other" / "made", {"case": "market", "answers": {"open": False}}))
    assert other.dataset_hash != here.dataset_hash
