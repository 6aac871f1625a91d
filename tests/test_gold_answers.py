"""Gold answers, checked against their questions."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.gold_answers import gold_answer, read_gold
from pytest_jevbench.questions import Choice, Noul, Score, case_from_json
from tests.suite_writing import MARKET

CASES = {"market": case_from_json(MARKET, Place())}


def rows(*values: Any) -> list[tuple[Place, Any]]:
    return [(Place("gold.jsonl", number), value) for number, value in enumerate(values, 1)]


def test_answers_by_case_and_key() -> None:
    answers = {"open": True, "busy": None, "goods": "fish"}
    assert read_gold(rows({"case": "market", "answers": answers}), CASES) == {"market": answers}
    assert read_gold([], CASES) == {}


def test_answer_ids_by_type() -> None:
    place = Place()
    assert gold_answer(Noul("Q?"), True, place) == "true"
    assert gold_answer(Choice("Q?", {"a": "A", "b": "B"}), "b", place) == "b"
    assert gold_answer(Score("Q?", ("low", "high")), 1, place) == "1"


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"case": "fair", "answers": {}}, 'line 1, case: there is no case "fair"'),
        ({"case": ["market"], "answers": {}}, "line 1, case: there is no case"),
        ({"case": "market"}, "line 1: found"),
        ({"case": "market", "answers": {"price": 1}}, r'line 1, answers\.price: the case has no question "price"'),
        ({"case": "market", "answers": {"open": 1}}, r"line 1, answers\.open: found 1\. Give true or false"),
        (
            {"case": "market", "answers": {"goods": "meat"}},
            r"answers\.goods: found .*one of the option ids bread, fish",
        ),
    ],
)
def test_what_does_not_fit_is_refused(row: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read_gold(rows(row), CASES)


def test_a_case_twice_is_refused() -> None:
    row = {"case": "market", "answers": {}}
    with pytest.raises(InputError, match='line 2, case: case "market" stands on an earlier line'):
        read_gold(rows(row, row), CASES)


@pytest.mark.parametrize("value", ["1", True, 2, -1, 1.0])
def test_a_level_is_an_index(value: Any) -> None:
    with pytest.raises(InputError, match="a level's index, 0 to 1"):
        gold_answer(Score("Q?", ("low", "high")), value, Place())
