"""Patterns of the offline check."""

from __future__ import annotations

import pytest

from pytest_jevbench.datagen.patterns import compile_pattern, found, plain_text
from pytest_jevbench.datagen.states import draft_of
from pytest_jevbench.errors import InputError, Place


@pytest.mark.parametrize(
    ("value", "text", "there"),
    [
        (12, "we have 12 seats", True),
        (12, "we have twelve seats", True),
        (12, "a dozen seats", True),
        (12, "we have 112 seats", False),
        (12, "we have 12.5 seats", False),
        (12, "we have 12,500 seats", False),
        (12, "we have 12 more seats", False),
        (1240, "1,240 seats", True),
        (1240, "1.240 seats", True),
        (1240, "1240 seats", True),
        (1240, "11,240 seats", False),
        (21, "twenty-one seats", True),
        (20, "twenty-one seats", False),
        (0, "zero seats", True),
        (None, "they hold 77 seats", True),
        (None, "they hold some seats", False),
    ],
)
def test_numbers(value: int | None, text: str, there: bool) -> None:
    assert (found("{value} seats", value, plain_text(text)) is not None) is there


def test_names_keep_their_edges() -> None:
    assert found("{value}", "Rui Carvalhal", plain_text("from Rui\n Carvalhal, owner"))
    assert found("{value}", "Rui Carvalhal", plain_text("from Rui Carvalhals")) is None


def test_a_text_is_compared_in_its_plain_form() -> None:
    assert plain_text("It\u2019s\u00a0 NOT \n\u201cours\u201d \u2013 no") == 'it\'s not "ours" - no'


def test_a_malformed_pattern_is_named() -> None:
    with pytest.raises(InputError, match=r"the pattern `a\(b` is not a regular expression"):
        compile_pattern("a(b", "x")


def test_the_pattern_that_the_page_gives_for_records() -> None:
    record = draft_of({"account": {"seat_count": 12}, "note": "Slow"}, Place())
    assert plain_text(record.flat) == "account seat count: 12 note: slow"
    pattern = "({value} seats|seat count: {value})"
    assert found(pattern, 12, plain_text(record.flat)) == "seat count: 12"
    assert found(pattern, 12, plain_text("We pay for twelve seats.")) == "twelve seats"
    assert found(pattern, 13, plain_text(record.flat)) is None
