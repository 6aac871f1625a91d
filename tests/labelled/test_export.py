"""What an export holds is what it names, computed anew; nothing that was put into a result rides out with it."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_jevbench.errors import InputError
from pytest_jevbench.json_text import dumps
from pytest_jevbench.labelled.document import LabelledDocument, build_document
from pytest_jevbench.labelled.export import public_export
from pytest_jevbench.labelled.results import TaskResult
from pytest_jevbench.labelled.task_sets import TaskSet
from tests.labelled.tasks import HOW, TEAM, YES
from tests.labelled.test_document import answered

SECRET = "the quokka of the narwhal"
HIDDEN = replace(TEAM, id="p1", split="private", private=True, state=SECRET, family="g")
TASKS = TaskSet("four", Path("four.jsonl"), (YES, TEAM, HOW, HIDDEN))
DOCUMENT = build_document(
    TASKS,
    [
        answered(YES, 0.25, 0.75, detail=SECRET, model_answered="m-1"),
        answered(TEAM, 0.5, 0.25, 0.25),
        TaskResult("how", "unjudged", "refused", detail=SECRET, model_asked="m"),
        answered(HIDDEN, 0.25, 0.5, 0.25, detail=SECRET, model_answered=SECRET),
    ],
    model={"name": "m", "details": {"note": SECRET}},
    run={"notes": SECRET},
)
VALUE = json.loads(dumps(DOCUMENT.to_json()))


def exported(value: Any) -> Any:
    return json.loads(dumps(public_export([LabelledDocument.from_json(value)])))


ROWS = exported(VALUE)["results"][0]["tasks"]


def test_an_export_has_the_public_rows_and_the_figures_of_all() -> None:
    [result] = exported(VALUE)["results"]
    assert [row["id"] for row in result["tasks"]] == ["yes", "team", "how"]
    assert result["model"] == {"name": "m", "asked": ["m"], "answered": ["m-1"]}
    assert result["figures"]["accuracy"]["n"] == 4
    assert result["figures"]["accuracy"]["accuracy_strict"] == 0.5
    assert set(result["figures"]["by_split"]) == {"public", "private"}
    assert [(split["name"], split["private"]) for split in result["dataset"]["splits"]] == [
        ("public", False),
        ("private", True),
    ]
    assert (result["rank"], result["no_rank_because"]) == (1, "")


def test_rows_may_be_left_out() -> None:
    [result] = public_export([DOCUMENT], rows=False)["results"]  # type: ignore[union-attr]
    assert result["tasks"] == []  # type: ignore[index, call-overload]


def test_figures_of_an_export_are_computed_anew() -> None:
    value = copy.deepcopy(VALUE)
    value["figures"] = {"accuracy": {"accuracy_strict": 1.0}, "injected": 1}
    assert exported(value) == exported(VALUE)


def test_an_export_names_its_fields() -> None:
    """An allowlist: what a result has beside it is not there, whatever it is called."""
    [result] = exported(VALUE)["results"]
    assert set(result) == {"model", "rank", "no_rank_because", "dataset", "figures", "tasks"}
    for row in result["tasks"]:
        assert set(row) == {
            *("id", "family", "type", "split", "group", "labels", "expected", "verdict", "reason", "given"),
            *("probabilities", "probs_source", "returned_sum", "latency_s", "usage", "cost_usd", "cost_basis"),
        }


def test_a_private_row_is_private_by_its_split_or_its_mark() -> None:
    """Where one of the two was taken off, the other holds; and a split of that name is private without both."""
    by_row, by_split, by_name, unlisted = (copy.deepcopy(VALUE) for _ in range(4))
    by_row["dataset"]["splits"]["private"]["private"] = False
    by_split["tasks"][3]["private"] = False
    by_name["dataset"]["splits"]["private"]["private"] = by_name["tasks"][3]["private"] = False
    unlisted["tasks"][3]["private"] = False
    del unlisted["dataset"]["splits"]["private"]
    for value in (by_row, by_split, by_name, unlisted):
        assert exported(value)["results"][0]["tasks"] == exported(VALUE)["results"][0]["tasks"]


def objects(value: Any) -> Iterator[dict[str, Any]]:
    """All objects inside a value of JSON."""
    if isinstance(value, dict):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from objects(item)


COUNT = sum(1 for _ in objects(VALUE))
INJECTED = st.sampled_from([SECRET, [SECRET], {"text": SECRET}, {SECRET: 1}, True, 7])


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, COUNT - 1), st.sampled_from([SECRET, "state", "note", "text"]), INJECTED), max_size=5
    )
)
def test_an_injected_key_does_not_ride_out(injections: list[tuple[int, str, Any]]) -> None:
    """Put anywhere into a result, it is either refused with the file or left behind."""
    value = copy.deepcopy(VALUE)
    places = list(objects(value))
    for place, key, item in injections:
        places[place].setdefault(key, item)
    try:
        text = dumps(exported(value))
    except InputError:
        return
    assert "quokka" not in text
    assert json.loads(text)["results"][0]["tasks"] == ROWS


TEXTS = [
    ("tasks", 3, "id"),
    ("tasks", 3, "family"),
    ("tasks", 3, "group"),
    ("tasks", 3, "case"),
    ("tasks", 3, "detail"),
    ("tasks", 3, "model_asked"),
    ("tasks", 3, "model_answered"),
    ("tasks", 3, "cost_basis"),
    ("tasks", 3, "time"),
    ("tasks", 0, "detail"),
    ("tasks", 0, "cost_basis"),
    ("tasks", 0, "model_asked"),
    ("tasks", 0, "model_answered"),
    ("model", "name"),
    ("model", "revision"),
    ("dataset", "name"),
    ("stopped",),
]


@pytest.mark.parametrize("path", TEXTS, ids=str)
def test_a_private_text_in_a_field_that_takes_text_does_not_ride_out(path: tuple[Any, ...]) -> None:
    value = copy.deepcopy(VALUE)
    inside = value
    for step in path[:-1]:
        inside = inside[step]
    inside[path[-1]] = SECRET
    assert "quokka" not in dumps(exported(value))


def test_private_labels_do_not_ride_out() -> None:
    """As an older or a foreign writer may have left them: under their own names."""
    value = copy.deepcopy(VALUE)
    row = value["tasks"][3]
    names = [SECRET, "b", "c"]
    row |= {"labels": names, "probabilities": dict(zip(names, [0.25, 0.5, 0.25], strict=True))}
    row |= {"given": "b", "expected": "b"}
    assert "quokka" not in dumps(exported(value))


def test_a_split_whose_name_is_a_text_is_withheld() -> None:
    value = json.loads(dumps(VALUE).replace('"private":', '"was":').replace('"was": true', '"private": true'))
    value["dataset"]["splits"] = {SECRET: {"sha256": "0" * 64, "tasks": 1, "private": True}}
    value["tasks"][3] |= {"split": SECRET, "private": True}
    text = dumps(exported(value))
    assert "quokka" not in text
    assert "(withheld)" in text
