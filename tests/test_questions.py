"""Questions, requests and cases: what is read, what is refused and where, and that order is kept."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import pytest

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.questions import (
    Case,
    Choice,
    Noul,
    Question,
    Request,
    Score,
    Threshold,
    answer_ids,
    case_from_json,
    question_from_json,
)

HERE = Place("cases.jsonl", 7)
NOUL = {"type": "noul", "instructions": "Is it?"}
CHOICE = {"type": "choice", "instructions": "Which?", "criteria": {"b": "A b", "a": "An a"}}
SCORE = {"type": "score", "instructions": "How much?", "criteria": ["none", "some"]}


def case_json(**changes: Any) -> dict[str, Any]:
    usual = {"id": "c", "state": "A state", "questions": {"n": NOUL, "c": CHOICE, "s": SCORE}}
    return {**usual, **changes}


def refused(value: object) -> str:
    with pytest.raises(InputError) as error:
        case_from_json(value, HERE)
    assert str(error.value).startswith("cases.jsonl, line 7")
    return str(error.value)


# Questions -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [NOUL, CHOICE, SCORE])
def test_a_question_goes_to_the_wire_as_it_was_read(value: dict[str, Any]) -> None:
    assert json.dumps(question_from_json(value, HERE).to_json()) == json.dumps(value)


def test_a_noul_s_null_criteria_are_left_out() -> None:
    assert question_from_json({**NOUL, "criteria": None}, HERE).to_json() == NOUL


@pytest.mark.parametrize(
    ("question", "ids"),
    [
        (Noul("Is it?"), ("false", "true")),
        (Choice("Which?", {"b": "A b", "a": "An a"}), ("b", "a")),
        (Score("How much?", ("none", "some", "all")), ("0", "1", "2")),
    ],
)
def test_the_declared_answers_are_in_order(question: Question, ids: tuple[str, ...]) -> None:
    assert answer_ids(question) == ids


def test_ids_are_any_text_that_is_not_empty() -> None:
    options = {"00": "Nought", " ": "Blank", "日本": "Japan", "a b": "Spaced", "q'uote\"": "Quoted"}
    question = question_from_json({"type": "choice", "instructions": "Which?", "criteria": options}, HERE)
    assert answer_ids(question) == tuple(options)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (None, "questions.n"),
        ([], "a question object"),
        ({"type": "bool"}, "questions.n.type"),
        ({"type": None}, "questions.n.type"),
        ({"instructions": ""}, "questions.n.instructions"),
        ({"instructions": " \n"}, "questions.n.instructions"),
        ({"instructions": 3}, "questions.n.instructions"),
        ({"criteria": {"true": "Yes", "false": "No"}}, "a Noul has criteria"),
        ({"prompt": "Is it?"}, "'prompt'"),
    ],
)
def test_a_malformed_question_is_refused_by_field(change: Any, said: str) -> None:
    question = {**NOUL, **change} if isinstance(change, dict) else change
    assert said in refused(case_json(questions={"n": question}))


@pytest.mark.parametrize(
    ("criteria", "said"),
    [
        (None, "2 to 255 options"),
        (["a", "b"], "2 to 255 options"),
        ({"a": "An a"}, "2 to 255 options"),
        ({str(i): "x" for i in range(256)}, "2 to 255 options"),
        ({"": "Nothing", "a": "An a"}, "option id"),
        ({"a": "", "b": "A b"}, "questions.c.criteria.a"),
        ({"a": None, "b": "A b"}, "questions.c.criteria.a"),
    ],
)
def test_malformed_options_are_refused(criteria: object, said: str) -> None:
    assert said in refused(case_json(questions={"c": {**CHOICE, "criteria": criteria}}))


@pytest.mark.parametrize(
    ("criteria", "said"),
    [
        (None, "2 to 10 levels"),
        ({"0": "none", "1": "some"}, "2 to 10 levels"),
        (["none"], "2 to 10 levels"),
        ([str(i) for i in range(11)], "2 to 10 levels"),
        (["none", ""], "questions.s.criteria.1"),
        (["none", 1], "questions.s.criteria.1"),
        (["none", "none"], "same text"),
    ],
)
def test_malformed_levels_are_refused(criteria: object, said: str) -> None:
    assert said in refused(case_json(questions={"s": {**SCORE, "criteria": criteria}}))


def test_the_largest_questions_are_read() -> None:
    options = {str(i): f"Option {i}" for i in range(255)}
    assert len(answer_ids(question_from_json({**CHOICE, "criteria": options}, HERE))) == 255
    levels = [f"Level {i}" for i in range(10)]
    assert len(answer_ids(question_from_json({**SCORE, "criteria": levels}, HERE))) == 10


# Cases ---------------------------------------------------------------------------------------------------------------


def test_a_whole_case_is_read() -> None:
    case = case_from_json(
        case_json(
            domain="shops",
            thresholds=[{"subject": "boxes", "value": 3}],
            hierarchies={"c": [{"one": ["a"], "two": ["b"]}]},
            source="written by hand",
        ),
        HERE,
    )
    assert (case.id, case.state, case.domain) == ("c", "A state", "shops")
    assert list(case.questions) == ["n", "c", "s"]
    assert case.thresholds == (Threshold("boxes", 3),)
    assert case.hierarchies == {"c": ({"one": ("a",), "two": ("b",)},)}
    assert case.metadata == {"source": "written by hand"}


@pytest.mark.parametrize("state", ["", "text", {"a": [1, None]}, [1, "x"], {}, []])
def test_a_state_is_text_object_or_array(state: Any) -> None:
    assert case_from_json(case_json(state=state), HERE).state == state


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"id": ""}, "an id"),
        ({"id": 3}, "an id"),
        ({"state": None}, "state"),
        ({"state": 3}, "state"),
        ({"questions": {}}, "at least one question"),
        ({"questions": [NOUL]}, "at least one question"),
        ({"questions": {"": NOUL}}, "question key"),
        ({"domain": 3}, "domain"),
        ({"thresholds": {"boxes": 3}}, "thresholds"),
        ({"thresholds": [3]}, "thresholds.0"),
        ({"thresholds": [{"subject": "boxes", "value": -1}]}, "thresholds.0.value"),
        ({"thresholds": [{"subject": "boxes", "value": 2.5}]}, "thresholds.0.value"),
        ({"thresholds": [{"subject": "boxes", "value": True}]}, "thresholds.0.value"),
        ({"thresholds": [{"subject": "", "value": 3}]}, "thresholds.0.subject"),
        ({"hierarchies": []}, "hierarchies"),
        ({"hierarchies": {"x": []}}, "hierarchies.x"),
        ({"hierarchies": {"n": []}}, "no Choice"),
        ({"hierarchies": {"c": {"one": ["a"]}}}, "hierarchies.c"),
        ({"hierarchies": {"c": [{"one": ["a", "b"]}]}}, "two blocks"),
        ({"hierarchies": {"c": [{"one": ["a"], "two": []}]}}, "exactly once"),
        ({"hierarchies": {"c": [{"one": ["a"], "two": ["a", "b"]}]}}, "exactly once"),
        ({"hierarchies": {"c": [{"one": ["a"], "two": ["x"]}]}}, "exactly once"),
    ],
)
def test_a_malformed_case_is_refused_by_field(changes: dict[str, Any], said: str) -> None:
    assert said in refused(case_json(**changes))


@pytest.mark.parametrize("value", [None, [], "c", {"state": "x", "questions": {"n": NOUL}}, {"id": "c"}])
def test_what_is_no_case_is_refused(value: object) -> None:
    refused(value)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"state": "half \ud83d"}, "state"),
        ({"state": {"deep": ["x", "\udc00"]}}, "state.deep"),
        ({"questions": {"n": {"type": "noul", "instructions": "Is \ud800 it?"}}}, "questions.n.instructions"),
    ],
)
def test_half_a_character_is_refused_with_its_field(changes: dict[str, Any], field: str) -> None:
    said = refused(case_json(**changes))
    assert "lone surrogate" in said
    assert field in said
    said.encode()


def test_a_restricted_case_keeps_the_case_s_order_and_facts() -> None:
    case = case_from_json(case_json(thresholds=[{"subject": "boxes", "value": 3}]), HERE)
    small = case.restricted(["s", "n"])
    assert list(small.questions) == ["n", "s"]
    assert small.questions["s"] is case.questions["s"]
    assert (small.id, small.state, small.thresholds) == (case.id, case.state, case.thresholds)


def test_keys_of_a_type_are_in_order() -> None:
    case = Case("c", "", {"b": Noul("B?"), "c": Choice("C?", {"x": "X", "y": "Y"}), "a": Noul("A?")})
    assert case.of_type(Noul) == ("b", "a")
    assert case.of_type(Choice) == ("c",)
    assert case.of_type(Score) == ()


# Requests ------------------------------------------------------------------------------------------------------------


def test_a_request_s_text_is_its_compact_json_in_order() -> None:
    case = case_from_json(case_json(state={"z": "é", "a": 1}), HERE)
    expected = '{"state":{"z":"é","a":1},"questions":' + json.dumps(
        {"n": NOUL, "c": CHOICE, "s": SCORE}, separators=(",", ":")
    )
    assert case.request().body_text() == expected + "}"
    assert case.request().digest == sha256((expected + "}").encode()).hexdigest()
    assert json.loads(case.request().body_text()) == case.request().body()


def test_follow_ups_write_known_and_new_questions_alike() -> None:
    case = case_from_json(case_json(), HERE)
    batch = {"new": Noul('Is "it"?'), "s": case.questions["s"], "n": Noul("Is it?")}
    assert case.follow_up(batch).body_text() == Request(case.state, batch).body_text()
    assert case.follow_up(batch).digest == Request(case.state, batch).digest
    assert case.follow_up(batch) == Request(case.state, batch)


N, C = Noul("Is it?"), Choice("Which?", {"a": "An a", "b": "A b"})


@pytest.mark.parametrize(
    "other",
    [
        Request("state", {"c": C, "n": N}),
        Request("state", {"n": N, "c": Choice("Which?", {"b": "A b", "a": "An a"})}),
        Request("state", {"m": N, "c": C}),
        Request("State", {"n": N, "c": C}),
        Request("state", {"n": N}),
        Request(["state"], {"n": N, "c": C}),
        Request("state", {"n": N, "c": Score("Which?", ("An a", "A b"))}),
    ],
)
def test_any_difference_is_another_digest(other: Request) -> None:
    assert other.digest != Request("state", {"n": N, "c": C}).digest


def test_equal_requests_share_their_digest() -> None:
    one = Request({"a": 1}, {"n": N, "c": C})
    other = Request({"a": 1}, {"n": Noul("Is it?"), "c": Choice("Which?", {"a": "An a", "b": "A b"})})
    assert one.digest == other.digest
