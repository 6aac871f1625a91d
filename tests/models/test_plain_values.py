"""Plain JSON of what a user's function takes and returns."""

from __future__ import annotations

import enum
import json
import math
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

from pytest_jevbench.json_text import DuplicateKeys
from pytest_jevbench.models.plain_values import copied, plain


class Colour(str, enum.Enum):
    RED = "red"


class Level(enum.IntEnum):
    LOW = 0


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (np.float64(0.5), 0.5),
        (np.float32(0.5), 0.5),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (np.array(0.25), 0.25),
        (np.array([[0.5, 0.25]]), [[0.5, 0.25]]),
        (np.str_("x"), "x"),
        (Decimal("0.5"), 0.5),
        (Fraction(1, 4), 0.25),
        (Colour.RED, "red"),
        ((1, 2), [1, 2]),
        ({Colour.RED: 1, 0: 2, np.int64(1): 3, Level.LOW: 4}, {"red": 1, "0": 4, "1": 3}),
        (MappingProxyType({"a": None}), {"a": None}),
        (True, True),
        (None, None),
    ],
)
def test_plain(value: Any, expected: Any) -> None:
    result = plain(value)
    assert result == expected
    assert type(result) is type(expected)
    assert json.loads(json.dumps(result)) == expected


def test_keys_are_exact_text() -> None:
    assert [type(key) for key in plain({Colour.RED: 1, np.str_("x"): 2})] == [str, str]


def test_numbers_that_are_no_json_stay_for_the_reader_of_answers() -> None:
    assert math.isnan(plain(np.float64("nan")))
    assert plain(np.float32("inf")) == math.inf


@pytest.mark.parametrize("value", [object(), {1, 2}, b"0.5", 1j, np.array([1j])[0]])
def test_what_is_no_json_becomes_a_text_that_names_its_type(value: Any) -> None:
    result = plain({"noul": value})
    assert result["noul"].startswith("<")
    assert type(value).__qualname__ in result["noul"]


def test_a_copy_shares_nothing() -> None:
    state = {"a": [1, {"b": 2}]}
    copy = copied(state)
    assert copy == state
    copy["a"][1]["b"] = 3
    copy["a"].append(4)
    assert state == {"a": [1, {"b": 2}]}


def test_two_keys_that_are_one_text_are_a_doubled_key() -> None:
    result = plain({"q": {1: 0.25, "1": 0.75, "0": 0.0}})
    assert isinstance(result["q"], DuplicateKeys)
    assert result["q"].repeated == ("1",)
    assert result["q"] == {"1": 0.75, "0": 0.0}
