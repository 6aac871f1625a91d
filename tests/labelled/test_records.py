"""One labelled record: what is refused, and that everything wrong with it is told at once."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.labelled.answer_keys import find_answer_keys
from pytest_jevbench.labelled.record_checks import check_record
from pytest_jevbench.labelled.records import Task
from pytest_jevbench.questions import Choice
from tests.labelled.raw_records import CHOICE, NOUL, SCORE, problems, record

# What a record may be ------------------------------------------------------------------------------------------------


def test_a_whole_record() -> None:
    row = record(
        "née-1",
        question=CHOICE,
        labels=["a", "b", "c"],
        expected="b",
        split="public",
        group="g",
        provenance={"by": "hand", "year": 2026},
    )
    task, wrong = check_record(row, Place())
    assert wrong == []
    options = {"a": "first", "b": "second", "c": "third"}
    provenance = {"by": "hand", "year": 2026}
    assert task == Task(
        "née-1", "f", "State of née-1.", Choice("Which?", options), ("a", "b", "c"), "b", "public", "g", provenance
    )
    assert task is not None
    assert task.to_json() == row


@pytest.mark.parametrize(
    ("question", "labels", "expected", "kept", "wanted"),
    [
        (NOUL, None, None, ("no", "yes"), None),
        (NOUL, ["yes", "no"], "no", ("yes", "no"), "no"),
        (CHOICE, None, "c", ("a", "b", "c"), "c"),
        (SCORE, [0, 1, 2], 0, ("0", "1", "2"), "0"),
        (SCORE, None, 2, ("0", "1", "2"), "2"),
    ],
)
def test_labels_follow_from_the_question_and_a_label_may_be_unknown(
    question: Any, labels: Any, expected: Any, kept: tuple[str, ...], wanted: str | None
) -> None:
    task, wrong = check_record(record(question=question, labels=labels, expected=expected), Place())
    assert (wrong, task and (task.labels, task.expected)) == ([], (kept, wanted))


def test_what_a_model_is_asked_holds_nothing_of_the_record_beside_it() -> None:
    task, _ = check_record(record("secret-id", expected="yes", provenance="made by hand", group="g"), Place())
    assert task is not None
    assert task.request().body() == {"state": "State of secret-id.", "questions": {"q": NOUL}}
    assert "State" not in repr(task)


# What a record may not be --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("state", "place"),
    [
        ({"expected": "yes"}, "state.expected"),
        ({"label": 1}, "state.label"),
        ({"ground_truth": None}, "state.ground_truth"),
        ({"answer_key": []}, "state.answer_key"),
        ({"mail": {"meta": [{"x": 1}, {"label": "yes"}]}}, "state.mail.meta[1].label"),
        ([[{"Ground-Truth": 1}]], "state[0][0].Ground-Truth"),
        ({"a": {"groundTruth": 1}}, "state.a.groundTruth"),
        ({"mail": '{"expected": "yes"}'}, "state.mail.expected"),
        ('[{"answer_key": 0}]', "state[0].answer_key"),
    ],
)
def test_a_state_that_gives_the_answer_away(state: Any, place: str) -> None:
    assert problems(record(state=state)) == [
        f"{place}: a key of the state gives the answer away. Take it out: the model reads the whole state"
    ]


def test_every_key_that_gives_the_answer_away_is_told() -> None:
    state = {"label": 1, "mail": [{"expected": 2, "to": "us"}, {"answer_key": 3}], "text": "the expected label"}
    assert find_answer_keys(state) == ["state.label", "state.mail[0].expected", "state.mail[1].answer_key"]
    assert len(problems(record(state=state))) == 3


@given(
    st.recursive(
        st.just({"label": 1}),
        lambda inner: (
            st.lists(inner, min_size=1, max_size=2)
            | st.dictionaries(st.sampled_from("xyz"), inner, min_size=1, max_size=2)
            | inner.map(json.dumps)
        ),
        max_leaves=5,
    )
)
def test_no_depth_hides_an_answer_key(state: Any) -> None:
    assert find_answer_keys(state)


@pytest.mark.parametrize("state", ["the expected label is in the text", {"labels": 1, "to": "expected"}, ["label"]])
def test_words_that_are_no_answer_key(state: Any) -> None:
    assert problems(record(state=state)) == []


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"question": SCORE, "expected": True}, "expected: found true. Give one of the record's labels, 0, 1, 2"),
        ({"question": SCORE, "labels": [False, True, 2]}, "labels[0]: found false. Give the level's index"),
        ({"question": SCORE, "expected": 1.0}, "expected: found 1.0"),
        ({"question": SCORE, "expected": "1"}, 'expected: found "1"'),
        ({"question": SCORE, "expected": 3}, "expected: found 3"),
        ({"question": SCORE, "expected": -1}, "expected: found -1"),
        ({"expected": True}, 'expected: found true. Give one of the record\'s labels, "no", "yes", or null'),
        ({"expected": 1}, "expected: found 1"),
        ({"expected": "Yes"}, 'expected: found "Yes"'),
        ({"expected": ["yes"]}, 'expected: found ["yes"]'),
        ({"question": CHOICE, "expected": "d"}, 'expected: found "d". Give one of the record\'s labels, "a", "b", "c"'),
        ({"question": CHOICE, "labels": ["a", "b"], "expected": "c"}, 'labels: found ["a", "b"]'),
        ({"question": CHOICE, "labels": ["a", "a", "b", "c"]}, 'labels: the label "a" stands twice'),
        ({"question": CHOICE, "labels": ["b", "a", "c"]}, "labels: found"),
        ({"question": CHOICE, "labels": ["a", "b", "c", "d"]}, "labels: found"),
        ({"question": SCORE, "labels": [0, 0, 1]}, 'labels: the label "0" stands twice'),
        ({"labels": ["yes", "yes"]}, 'labels: the label "yes" stands twice'),
        ({"labels": ["yes"]}, 'labels: found ["yes"]. Give the labels of a Noul, "no" and "yes"'),
        ({"labels": "yes"}, 'labels: found "yes". Give a list'),
        ({"labels": []}, "labels: found []. Give a list"),
        ({"labels": {"yes": 1}}, 'labels: found {"yes": 1}'),
        ({"question": "Is it?"}, 'question: found "Is it?"'),
        ({"question": {**NOUL, "type": "bool"}}, 'question.type: found "bool"'),
        ({"question": {**NOUL, "instructions": " "}}, 'question.instructions: found " "'),
        ({"question": {**NOUL, "expected": "yes"}}, "question: unknown field 'expected'"),
        ({"question": {**SCORE, "criteria": ["one", "one"]}}, "question.criteria: two levels have the same text"),
        ({"question": {**CHOICE, "criteria": {"a": "one"}}}, "question.criteria: found"),
        ({"state": 3}, "state: found 3. Give the state as text, object or array"),
        ({"state": None}, "state: found null"),
        ({"family": ["f"]}, 'family: found ["f"]'),
        ({"family": "  "}, 'family: found "  "'),
        ({"id": 7}, "id: found 7"),
        ({"id": ""}, 'id: found ""'),
        ({"split": None}, "split: found null"),
        ({"split": 1}, "split: found 1"),
        ({"group": 5}, "group: found 5"),
        ({"group": ""}, 'group: found ""'),
        ({"provenance": 2026}, "provenance: found 2026"),
        ({"provenance": True}, "provenance: found true"),
        ({"answer": "yes"}, 'answer: unknown field "answer"'),
        ({"state": {"x": [1.0, float("nan")]}}, "state.x[1]: the number is not finite"),
        ({"provenance": {"p": float("inf")}}, "provenance.p: the number is not finite"),
        ({"state": "half \ud83d of a face"}, "state: the text has a lone surrogate"),
        ({"state": {"\udc00": 1}}, "the key has a lone surrogate"),
    ],
)
def test_what_no_record_may_hold(fields: dict[str, Any], said: str) -> None:
    found = problems(record(**fields))
    assert len(found) == 1
    assert said in found[0]


@pytest.mark.parametrize("row", [[], "yes", 3, None, True])
def test_what_is_no_record(row: Any) -> None:
    [said] = problems(row)
    assert "Give a record, an object with id, family, state" in said


def test_every_field_that_is_missing_is_told() -> None:
    assert [p.partition(":")[0] for p in problems({})] == ["id", "family", "state", "question"]
    assert all("the field is missing" in p for p in problems({}))


def test_all_that_is_wrong_with_a_record_is_told_at_once() -> None:
    row = {"id": 3, "state": {"label": float("nan")}, "question": SCORE, "labels": [0, 1], "expected": True, "note": ""}
    assert [p.partition(":")[0] for p in problems(row)] == [
        "note",
        "state.label",  # not finite
        "id",
        "family",
        "state.label",  # an answer key
        "labels",
        "expected",
    ]


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None)),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(
                st.sampled_from(
                    ["id", "family", "state", "question", "labels", "expected", "split", "type", "criteria"]
                ),
                inner,
                max_size=6,
            )
        ),
        max_leaves=12,
    )
)
def test_any_value_is_a_task_or_has_problems(value: Any) -> None:
    task, wrong = check_record(value, Place("f", 1))
    assert (task is None) == bool(wrong)
    assert all(isinstance(error, InputError) and "\n" not in str(error) for error in wrong)
