"""What building refuses: answers, and requests that no model should be sent."""

from __future__ import annotations

import pytest

from pytest_jevbench.errors import BuildError, SealedError
from pytest_jevbench.questions import Choice, Noul, Question, Score
from pytest_jevbench.relations.base import (
    Edit,
    Measurement,
    Reading,
    Relation,
    SourceCase,
    Transformation,
    validate_batch,
)
from pytest_jevbench.relations.draws import Draw
from tests.relations.measuring import source_case


class _Peeking(Transformation):
    family = "peeking"

    def applies(self, source: SourceCase, key: str, question: Question) -> bool:
        return True

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        return Edit.of([key], {key: source.questions[key]}, p=source.answers[key]["true"])


class _Peeks(Relation):
    name = "peeks"
    group = "BAT.isolation"
    transformation = _Peeking()

    def measure(self, reading: Reading) -> Measurement:
        raise NotImplementedError


def test_reading_an_answer_while_building_raises() -> None:
    with pytest.raises(SealedError, match="before any model is asked"):
        _Peeks().build(source_case("pool-log"), "injured", 0, 0, 0)


@pytest.mark.parametrize(
    ("question", "problem"),
    [
        (Noul("  "), "empty"),
        (Choice("Which?", {"a": "An a"}), "1 options"),
        (Choice("Which?", {str(i): "x" for i in range(256)}), "256 options"),
        (Choice("Which?", {"a": "An a", "b": " "}), "empty"),
        (Choice("Which?", {"a": "An a", "": "A b"}), "empty"),
        (Score("How?", ("one",)), "1 levels"),
        (Score("How?", tuple(map(str, range(11)))), "11 levels"),
        (Score("How?", ("one", "one")), "same text"),
        (Score("How?", ("one", "")), "empty"),
    ],
)
def test_a_request_that_no_model_should_be_sent_is_not_built(question: Question, problem: str) -> None:
    with pytest.raises(BuildError, match=problem) as error:
        validate_batch({"q": question}, "option_clone on case-1")
    assert "option_clone on case-1" in str(error.value)
    assert "'q'" in str(error.value)


def test_a_blank_id_is_an_id() -> None:
    validate_batch({" ": Choice("Which?", {" ": "An a", "b": "A b"})}, "any")
