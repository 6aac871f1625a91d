"""The rule language: truth by hand, and what it refuses."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from pytest_jevbench.datagen.rules import FactKind, parse_rule
from pytest_jevbench.errors import InputError, Place

KINDS = {
    "refund": FactKind("boolean"),
    "happy": FactKind("boolean"),
    "days": FactKind("integer"),
    "limit": FactKind("integer"),
    "code": FactKind("enum", ("no", "010", "off-site", "refund")),
    "other": FactKind("enum", ("010", "x")),
    "who": FactKind("name"),
}


class Given(NamedTuple):
    value: bool | int | str | None
    stated: bool = True


FACTS = {
    "refund": Given(True),
    "happy": Given(False, False),
    "days": Given(7),
    "limit": Given(None, False),
    "code": Given("010"),
    "other": Given("010"),
    "who": Given("Oda"),
}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("refund", True),
        ("not refund", False),
        ("happy or refund and not happy", True),
        ("(happy or refund) and happy", False),
        ("not happy and refund", True),
        ("refund = yes", True),
        ("refund = no", False),
        ("happy = false", True),
        ("refund = happy", False),
        ("days > 6 and days <= 7", True),
        ("days - 2 * 3 = 1", True),
        ("3 + 4 * 1 = days", True),
        ("(3 + 4) * 1 != days", False),
        ("code = 010", True),
        ("code = no", False),
        ("code != no", True),
        ("code in [no, 010]", True),
        ("code not in [no, off-site]", True),
        ("code in ['off-site', \"010\"]", True),
        ("code = other", True),
        ("count(refund, happy, days > 3, code = no) = 2", True),
        ("stated(refund) and not stated(happy) and stated(who)", True),
    ],
)
def test_truth(text: str, holds: bool) -> None:
    assert parse_rule(text, KINDS, Place("f")).holds(FACTS) is holds


@pytest.mark.parametrize(
    "text", ["limit > 1", "limit <= 1", "limit = 0", "limit != 0", "days > limit", "limit + days > 1"]
)
def test_a_comparison_with_a_fact_that_does_not_apply_is_false(text: str) -> None:
    assert parse_rule(text, KINDS, Place("f")).holds(FACTS) is False
    assert parse_rule(f"not {text}", KINDS, Place("f")).holds(FACTS) is True


def test_the_facts_of_a_rule_come_in_the_order_of_their_appearance() -> None:
    assert parse_rule("days > 2 and not (code = 010 or days < 9) or refund", KINDS, Place("f")).facts == (
        "days",
        "code",
        "refund",
    )


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("refnd", "Did you mean refund?"),
        ("days", "a condition is needed"),
        ("days > refund", "only numbers have an order"),
        ("refund + 1 = 2", "only numbers can be calculated with"),
        ("code = 10", '"10" is not one of its values'),
        ("code > 1", "only numbers have an order"),
        ("days = code", "kind integer is compared with one of kind enum"),
        ("who = who", "a name cannot be compared"),
        ("refund and", "missing at the end"),
        ("(refund", "`)` is missing"),
        ("refund happy", '"happy" is not expected'),
        ("refund & happy", "is not understood"),
        ("__import__('os')", "there is no fact"),
        ("days > 010", "there is no fact"),
        ("", "missing at the end"),
    ],
)
def test_what_is_not_understood_is_named(text: str, words: str) -> None:
    with pytest.raises(InputError) as error:
        parse_rule(text, KINDS, Place("domain.yaml", 7, "answer"))
    assert words in str(error.value)
    assert str(error.value).startswith("domain.yaml, line 7, answer: ")
