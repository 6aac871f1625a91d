"""YAML in which every scalar is the text that stands there."""

from __future__ import annotations

import pytest

from pytest_jevbench.errors import InputError
from pytest_jevbench.yaml_text import Entry, parse_yaml


def entry(text: str) -> Entry:
    return parse_yaml(text, "a.yaml")


@pytest.mark.parametrize(
    ("text", "number"), [("0", 0), ("-7", -7), ("18446744073709551616", 2**64), ("1" + "0" * 99, 10**99)]
)
def test_a_whole_number_is_read_as_it_is(text: str, number: int) -> None:
    assert entry(text).integer() == number
    assert entry(text).range() == (number, number)


@pytest.mark.parametrize(
    "text", ["010", "1e3", "1.5", "-0", "0x10", "+1", "", "٣", "9" * 101, "9" * 5000, "-" + "9" * 5000]
)
def test_what_is_no_plain_whole_number_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(InputError, match=r"a\.yaml, line 1.*Give a whole number, such as 10"):
        entry(f'"{text}"').integer()


@pytest.mark.parametrize("text", ["1.." + "9" * 5000, "-" + "9" * 5000 + "..1", "9..1", "1..x"])
def test_a_range_has_two_numbers_the_lower_first(text: str) -> None:
    assert entry("3 .. 20").range() == (3, 20)
    with pytest.raises(InputError, match=r"a\.yaml, line 1.*a range such as 3\.\.20"):
        entry(text).range()
