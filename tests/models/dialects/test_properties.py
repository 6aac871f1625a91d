"""What holds for every request and every cut of an answer, whatever stands in them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_jevbench.answers import read_answers
from pytest_jevbench.models.dialects import DIALECT_NAMES, dialect_of
from pytest_jevbench.models.dialects.base import Response
from pytest_jevbench.models.dialects.openai import read_chat
from pytest_jevbench.models.troubles import Trouble
from pytest_jevbench.questions import Choice, Noul, Question, Request, Score
from tests.models.dialects.conftest import ASKED
from tests.servers.chat import completion
from tests.servers.dialects import chat_answers

IDS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=6)
QUESTIONS: st.SearchStrategy[Question] = st.one_of(
    st.just(Noul("Is it?")),
    st.lists(IDS, min_size=2, max_size=5, unique=True).map(lambda ids: Choice("Which?", dict.fromkeys(ids, "text"))),
    st.integers(2, 5).map(lambda count: Score("How much?", tuple(f"level {i}" for i in range(count)))),
)
REQUESTS = st.dictionaries(IDS, QUESTIONS, min_size=1, max_size=4).map(lambda batch: Request("x", batch))


def numbered(count: int) -> list[float]:
    """Distinct probabilities that sum to 1: which one belongs to which option shows in the order."""
    return [2 * (i + 1) / (count * (count + 1)) for i in range(count)]


def served(dialect: str, body: Any) -> Any:
    """Answers made from a body as it was sent, the options numbered in the order in which they stand there."""
    if dialect == "openai":
        form = chat_answers(body["response_format"]["json_schema"]["schema"])["answers"]
        for answer in form.values():
            if "probabilities" in answer:
                ids = list(answer["probabilities"])
                answer["probabilities"] = dict(zip(ids, numbered(len(ids)), strict=True))
        return completion(json.dumps({"answers": form}))
    if dialect == "openai-decisions":
        return {"answers": [_typed(question) for question in body["questions"]]}
    asked = body["questions"]
    if dialect == "list":
        return {"answers": [{"id": question["id"], **_native(question)} for question in asked]}
    return {"answers": {key: _native(question) for key, question in asked.items()}}


def _native(question: Any) -> dict[str, Any]:
    if question["type"] == "noul":
        return {"type": "noul", "noul": 0.25}
    criteria = question["criteria"]
    ids = list(criteria) if isinstance(criteria, dict) else [str(i) for i in range(len(criteria))]
    return {"type": question["type"], "probabilities": dict(zip(ids, numbered(len(ids)), strict=True))}


def _typed(question: Any) -> dict[str, Any]:
    common = {"name": question["name"], "type": question["type"]}
    if question["type"] == "predicate":
        return {**common, "probability": 0.25}
    values = [c["value"] for c in question["choices"]] if "choices" in question else range(len(question["levels"]))
    pairs = zip(values, numbered(len(values)), strict=True)
    return {**common, "probabilities": [{"value": value, "probability": p} for value, p in pairs]}


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
@given(request=REQUESTS)
@settings(max_examples=60, deadline=None)
def test_ids_and_orders_survive(dialect: str, request: Request) -> None:
    spoken = dialect_of(dialect)
    body = json.loads(spoken.write(request, "m"))
    found = spoken.read(json.loads(json.dumps(served(dialect, body))), request)
    assert isinstance(found, Response)
    for key, read in read_answers(request.questions, found.answers).items():
        question = request.questions[key]
        if isinstance(question, Noul):
            assert read.distribution == {"false": 0.75, "true": 0.25}
            continue
        ids = list(question.options) if isinstance(question, Choice) else [str(i) for i in range(len(question.levels))]
        assert list(read.distribution or ()) == ids
        assert list((read.distribution or {}).values()) == pytest.approx(numbered(len(ids)))


TEXT = json.dumps(
    {
        "answers": {
            "00": {"noul": 0.25},
            "welcher Teil": {"probabilities": {"lid": 0.5, "cup": 0.3, "10": 0.2}},
            "s": {"probabilities": {"0": 0.1, "1": 0.2, "2": 0.7}},
        }
    }
)


@pytest.mark.parametrize("before", ["", "```json\n", "Here it is: "])
def test_no_cut_answer_is_taken_for_a_whole_one(before: str) -> None:
    for length in range(len(TEXT)):
        assert isinstance(read_chat(completion(before + TEXT[:length]), ASKED), Trouble)
        assert length == 0 or isinstance(read_chat(completion(before + TEXT[length:]), ASKED), Trouble)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from(
    [
        "answers",
        "choices",
        "message",
        "content",
        "refusal",
        "error",
        "id",
        "name",
        "type",
        "probabilities",
        "usage",
        "00",
    ]
)
BODIES = st.recursive(
    JSON_VALUES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=10,
)


@pytest.mark.parametrize("dialect", DIALECT_NAMES)
@given(body=BODIES)
@settings(max_examples=150, deadline=None)
def test_no_body_is_a_crash(dialect: str, body: Any) -> None:
    found = dialect_of(dialect).read(body, ASKED)
    assert isinstance(found, (Response, Trouble))
    if isinstance(found, Response):
        read_answers(ASKED.questions, found.answers)
