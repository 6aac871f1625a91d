"""Result documents: what is read is what was written, and nothing in a file is believed that its rows do not say."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from pytest_jevbench.errors import InputError
from pytest_jevbench.json_text import dumps
from pytest_jevbench.labelled.document import LabelledDocument, build_document, read_labelled, schema, write_labelled
from pytest_jevbench.labelled.ranking import rank
from pytest_jevbench.labelled.records import Task
from pytest_jevbench.labelled.results import TaskResult, judge_task
from pytest_jevbench.labelled.task_sets import TaskSet
from pytest_jevbench.models.protocol import Usage
from tests.labelled.tasks import HOW, TEAM, YES, many

TASKS = TaskSet("three", Path("three.jsonl"), (YES, TEAM, HOW))


def answered(task: Task, *p: float, **more: Any) -> TaskResult:
    """A native answer with these probabilities, judged."""
    probabilities = dict(zip(task.labels, p, strict=True))
    made = TaskResult(task.id, "wrong", probabilities=probabilities, probs_source="native", model_asked="m", **more)
    return judge_task(task, made)


RESULTS = [
    answered(YES, 0.25, 0.75, latency_s=0.5, usage=Usage(10, 5), cost_usd=0.02, cost_basis="derived", http_status=200),
    answered(
        TEAM,
        0.5,
        0.25,
        0.25,
        returned_sum=1.01,
        returned={"a": 0.505, "b": 0.2525, "c": 0.2525},
        flags=("renormalised",),
    ),
]


@pytest.fixture
def document() -> LabelledDocument:
    return build_document(TASKS, RESULTS, model={"name": "m"}, run={"asked_here": 2}, stopped="the budget")


@pytest.fixture
def value(document: LabelledDocument) -> Any:
    return json.loads(dumps(document.to_json()))


def test_what_is_read_is_what_was_written(document: LabelledDocument, tmp_path: Path) -> None:
    path = tmp_path / "d.json"
    write_labelled(path, document)
    read = read_labelled(path)
    assert read.rows == document.rows
    assert read.to_json() == document.to_json()
    assert (read.path, read.name, read.stopped) == (str(path), "m", "the budget")
    jsonschema.validate(json.loads(path.read_text()), schema())


def test_a_document_says_what_was_not_asked(value: Any) -> None:
    assert [(row["id"], row["verdict"], row["reason"]) for row in value["tasks"]] == [
        ("yes", "correct", ""),
        ("team", "wrong", ""),
        ("how", "unjudged", "unattempted"),
    ]
    assert value["figures"]["counts"]["complete"] is False
    assert value["dataset"]["splits"] == {"public": {"sha256": TASKS.dataset_hash, "tasks": 3, "private": False}}
    text = dumps(value)
    assert "A state." not in text
    assert "Which?" not in text


def test_figures_of_a_file_are_not_believed(value: Any) -> None:
    value["figures"]["accuracy"]["accuracy_strict"] = 1.0
    value["figures"]["cost"] = {"usd": 0}
    value["summary"] = {"accuracy": 1.0}
    read = LabelledDocument.from_json(value)
    assert read.figures.accuracy.accuracy_strict == 1 / 2
    assert read.figures.cost.usd is None
    assert "summary" not in read.to_json()


def changed(value: Any, where: str, to: Any) -> Any:
    """The document with one field of it, by its path, set to another value."""
    made = copy.deepcopy(value)
    *path, last = where.split(".")
    inside = made
    for step in path:
        inside = inside[int(step)] if isinstance(inside, list) else inside[step]
    if to is ...:
        del inside[last]
    else:
        inside[last] = to
    return made


@pytest.mark.parametrize(
    ("where", "to", "field"),
    [
        ("format", "jevbench-judges", "format"),
        ("schema_version", "2.0", "schema_version"),
        ("schema_version", 1.0, "schema_version"),
        ("tasks", {}, "tasks"),
        ("dataset.name", "", "dataset.name"),
        ("dataset.splits.public", [], "dataset.splits.public"),
        ("dataset.splits.public.private", 1, "dataset.splits.public.private"),
        ("tasks", [[]], "tasks[0]"),
        ("tasks.0.id", "team", "tasks[1].id"),
        ("tasks.0.id", 7, "tasks[0].id"),
        ("tasks.0.type", "bool", "tasks[0].type"),
        ("tasks.0.verdict", "right", "tasks[0].verdict"),
        ("tasks.0.verdict", ..., "tasks[0].verdict"),
        ("tasks.0.verdict", "wrong", "tasks[0].verdict"),
        ("tasks.1.verdict", "correct", "tasks[1].verdict"),
        ("tasks.1.reason", "tied", "tasks[1].verdict"),
        ("tasks.1.reason", "unattempted", "tasks[1].reason"),
        ("tasks.2.reason", "unlabelled", "tasks[2].verdict"),
        ("tasks.1.given", None, "tasks[1].verdict"),
        ("tasks.1.given", "b", "tasks[1].verdict"),
        ("tasks.1.given", "d", "tasks[1].given"),
        ("tasks.1.expected", "d", "tasks[1].expected"),
        ("tasks.1.expected", None, "tasks[1].verdict"),
        ("tasks.1.labels", ["a", "b", "b"], "tasks[1].labels"),
        ("tasks.1.labels", ["a", "c", "b"], "tasks[1].probabilities"),
        ("tasks.1.probabilities", {"a": 0.5, "b": 0.25}, "tasks[1].probabilities"),
        ("tasks.1.probabilities", {"a": 0.5, "b": 0.25, "c": 0.5}, "tasks[1].probabilities"),
        ("tasks.1.probabilities", {"a": True, "b": 0.0, "c": 0.0}, "tasks[1].probabilities.a"),
        ("tasks.1.probabilities.a", 1.5, "tasks[1].probabilities.a"),
        ("tasks.0.latency_s", -1, "tasks[0].latency_s"),
        ("tasks.0.latency_s", True, "tasks[0].latency_s"),
        ("tasks.0.cost_usd", "free", "tasks[0].cost_usd"),
        ("tasks.0.usage.input_tokens", 1.5, "tasks[0].usage.input_tokens"),
        ("tasks.0.flags", "odd", "tasks[0].flags"),
        ("tasks.0.probs_source", "guessed", "tasks[0].probs_source"),
        ("tasks.0.private", 0, "tasks[0].private"),
    ],
)
def test_a_file_that_contradicts_itself_is_told_by_its_field(value: Any, where: str, to: Any, field: str) -> None:
    with pytest.raises(InputError) as error:
        LabelledDocument.from_json(changed(value, where, to))
    assert error.value.place.field == field


@pytest.mark.parametrize("content", ["", "[]", "7", '{"format": "jevbench-labelled", "format": "x"}', '{"a": NaN}'])
def test_a_file_that_is_no_document(tmp_path: Path, content: str) -> None:
    path = tmp_path / "d.json"
    path.write_text(content)
    with pytest.raises(InputError) as error:
        read_labelled(path)
    assert error.value.place.file == path


def test_fields_of_a_later_minor_version_are_read_over(value: Any) -> None:
    value |= {"schema_version": "1.7", "more": 1}
    value["tasks"][0]["more"] = 2
    assert LabelledDocument.from_json(value).figures.counts.planned == 3


# Several side by side -------------------------------------------------------------------------------------------------


def run_of(name: str, right: int, count: int = 4, asked: int | None = None) -> LabelledDocument:
    tasks = many(count)
    results = [answered(task, *((0.1, 0.9) if i < right else (0.9, 0.1))) for i, task in enumerate(tasks[:asked])]
    return build_document(TaskSet("many", Path("many.jsonl"), tasks), results, model={"name": name})


def places(*documents: LabelledDocument) -> list[tuple[str, int | None, str]]:
    return [(of.document.name, of.place, of.why) for of in rank(documents)]


def test_the_most_accurate_is_first_and_equal_ones_share_a_place() -> None:
    assert places(run_of("a", 1), run_of("b", 3), run_of("c", 1), run_of("d", 0)) == [
        ("b", 1, ""),
        ("a", 2, ""),
        ("c", 2, ""),
        ("d", 4, ""),
    ]


def test_an_incomplete_run_shares_no_rank_however_good() -> None:
    assert places(run_of("part", 3, asked=3), run_of("whole", 1)) == [
        ("whole", 1, ""),
        ("part", None, "incomplete: 3 of 4 tasks asked"),
    ]
    assert places(run_of("part", 3, asked=3)) == [("part", None, "incomplete: 3 of 4 tasks asked")]


def test_runs_of_other_tasks_share_no_rank() -> None:
    assert places(run_of("a", 1), run_of("b", 5, count=5)) == [("a", 1, ""), ("b", None, "another data set")]


@pytest.mark.parametrize(
    ("source", "mark"), [("native", ""), ("verbalised", " (verbalised)"), ("label_only", " (label only)")]
)
def test_a_name_says_where_probabilities_come_from(source: Any, mark: str) -> None:
    made: Callable[..., TaskResult] = TaskResult
    result = judge_task(YES, made("yes", "wrong", given="yes", probs_source=source, model_asked="m"))
    document = build_document(TaskSet("one", Path("one.jsonl"), (YES,)), [result])
    assert document.name == f"m{mark}"
