"""Result documents that somebody changed: refused by the field, or read, and then everything made of them holds."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import dumps
from pytest_jevbench.labelled.document import LabelledDocument, build_document, schema
from pytest_jevbench.labelled.export import public_export
from pytest_jevbench.labelled.results import TaskResult, judge_task
from pytest_jevbench.labelled.task_sets import TaskSet
from pytest_jevbench.reports.labelled_text import labelled_summary, labelled_table
from pytest_jevbench.reports.text import plain
from tests.labelled.tasks import HOW, TEAM, YES

VALIDATOR = Draft202012Validator(schema())
ANSWERS = ({"no": 0.25, "yes": 0.75}, {"a": 0.5, "b": 0.25, "c": 0.25}, {"0": 0.25, "1": 0.0, "2": 0.75})
RESULTS = [
    judge_task(
        task, TaskResult(task.id, "wrong", probabilities=p, probs_source="native", model_asked="m", latency_s=0.5)
    )
    for task, p in zip((YES, TEAM, HOW), ANSWERS, strict=True)
]
DOCUMENT = build_document(TaskSet("three", Path("three.jsonl"), (YES, TEAM, HOW)), RESULTS, model={"name": "m"})
VALUE: Any = json.loads(dumps(DOCUMENT.to_json()))
del VALUE["figures"]


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values inside."""
    yield path
    if isinstance(value, (dict, list)):
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from places(item, (*path, key))


PATHS = [path for path in places(VALUE) if path]
ODD = (None, True, False, 0, 1, -1, 3, 1e308, 10**400, float("nan"), 0.5, "", "-", "\x1b[2J", "x" * 5000)
WORDS = ("yes", "a", "0", "noul", "score", "choice", "correct", "wrong", "unjudged", "refused", "tied", "label_only")
SCALARS = st.sampled_from([*ODD, *WORDS])
ITEMS = SCALARS | st.lists(SCALARS, max_size=3) | st.dictionaries(st.sampled_from("ab0"), SCALARS, max_size=3)


def changed(path: tuple[Any, ...], to: Any) -> Any:
    value = copy.deepcopy(VALUE)
    inside = value
    for step in path[:-1]:
        inside = inside[step]
    inside[path[-1]] = to
    return value


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(PATHS), ITEMS)
def test_a_changed_document_is_refused_by_its_field_or_everything_made_of_it_holds(
    path: tuple[Any, ...], item: Any
) -> None:
    refused = None
    try:
        document = LabelledDocument.from_json(changed(path, item), Place("d.json"))
    except InputError as error:
        refused = error
    if refused is not None:
        assert refused.place.field
        assert "\n" not in str(refused)
        return
    value = json.loads(dumps(document.to_json()))
    assert LabelledDocument.from_json(value).rows == document.rows
    assert all(plain(line).isprintable() for line in labelled_summary(document, parts=("family", "split", "type")))
    assert all(plain(line).isprintable() for line in labelled_table([document, DOCUMENT]))
    dumps(public_export([document]))
    assert document.figures.counts.planned == len(document.rows)
    VALIDATOR.validate(value)


@pytest.mark.parametrize(
    ("place", "more", "field"),
    [
        (0, {"type": "choice", "labels": ["no"]}, "labels"),
        (0, {"labels": ["a", "b"], "expected": "a", "given": "b", "probabilities": {"a": 0.25, "b": 0.75}}, "labels"),
        (2, {"labels": ["0", "1", "x"], "probabilities": {"0": 0.25, "1": 0, "x": 0.75}, "given": "x"}, "labels"),
        (2, {"labels": ["1", "2", "0"], "probabilities": {"1": 0.25, "2": 0.75, "0": 0}}, "labels"),
        (1, {"type": "noul"}, "labels"),
        (1, {"type": "score"}, "labels"),
        (0, {"probs_source": "label_only"}, "probs_source"),
        (0, {"probs_source": None}, "probs_source"),
    ],
)
def test_labels_and_sources_fit_the_type_and_the_answer(place: int, more: dict[str, Any], field: str) -> None:
    """Else a figure would be made of what is no probability of yes, no level, or none of the model's at all."""
    value = copy.deepcopy(VALUE)
    value["tasks"][place] |= more
    with pytest.raises(InputError) as error:
        LabelledDocument.from_json(value)
    assert error.value.place.field == f"tasks[{place}].{field}"
