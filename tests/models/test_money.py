"""Exact dollars, and bounds on what a request costs."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.models.money import Prices, TokenBound, cost_of, dollars, exact_amount, most_tokens, worst_case
from pytest_jevbench.models.protocol import Usage
from pytest_jevbench.questions import Choice, Noul, Request, Score

HERE = Place(field="usd")


@pytest.mark.parametrize(
    ("value", "amount"),
    [
        (0.1, "0.1"),
        ("0.10", "0.1"),
        (2, "2"),
        (Decimal("1E+2"), "100"),
        ("0.0000000000001", "1e-12"),
        (0, "0"),
        (-0.0, "0"),
    ],
)
def test_an_amount_is_taken_as_it_is_printed(value: object, amount: str) -> None:
    assert exact_amount(value, HERE) == Decimal(amount)
    assert not exact_amount(value, HERE).is_signed()


@pytest.mark.parametrize(
    "value",
    [
        -0.01,
        "-1",
        "nan",
        "inf",
        float("nan"),
        float("-inf"),
        "1e400",
        10**10,
        True,
        None,
        "",
        "ten",
        [1],
        "0,5",
        "sNaN",
    ],
)
def test_what_is_no_amount_is_refused_not_coerced(value: object) -> None:
    with pytest.raises(InputError, match="dollars of at least 0"):
        exact_amount(value, HERE)


def test_ten_dimes_are_a_dollar() -> None:
    assert sum((exact_amount(0.1, HERE) for _ in range(10)), Decimal(0)) == 1


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        ("1", "$1.00"),
        ("0.02", "$0.02"),
        ("0.0005", "$0.0005"),
        ("100", "$100.00"),
        ("1234567.5", "$1,234,567.50"),
        ("0", "$0.00"),
    ],
)
def test_amounts_are_shown_with_all_their_digits(amount: str, text: str) -> None:
    assert dollars(Decimal(amount)) == text
    assert dollars(Decimal(amount).normalize()) == text


def test_a_cost_by_hand() -> None:
    prices = Prices(input=Decimal("0.15"), output=Decimal("0.60"))
    assert cost_of(Usage(1000, 50), prices) == Decimal("0.00018")
    assert worst_case(TokenBound(1000, 50), prices) == Decimal("0.00018")


@pytest.mark.parametrize(
    "usage", [Usage(), Usage(10, None), Usage(None, 10), Usage(-1, 5), Usage(True, 5), Usage(1, 1.5)]
)  # type: ignore[arg-type]
def test_a_cost_is_unknown_without_both_counts(usage: Usage) -> None:
    assert cost_of(usage, Prices(Decimal(1), Decimal(1))) is None


@given(
    st.text(max_size=40),
    st.dictionaries(st.text(min_size=1, max_size=8), st.text(min_size=1, max_size=30), min_size=2, max_size=9),
    st.floats(0, 1),
)
def test_no_request_and_no_full_reply_is_longer_than_its_bound(state: str, options: dict[str, str], p: float) -> None:
    """A token stands for at least a byte: the bound in tokens must be above the bytes that are really sent."""
    request = Request(state, {"n": Noul("Is it?"), "c": Choice("Which?", options), "s": Score("How?", ("no", "yes"))})
    bound = most_tokens(request)
    assert bound.input >= len(json.dumps(request.body(), ensure_ascii=False, separators=(",", ":")).encode())
    reply = {
        "answers": {
            "n": {"type": "noul", "noul": p},
            "c": {
                "type": "choice",
                "probabilities": dict.fromkeys(options, p),
                "choice": max(options, key=len),
                "confidence": p,
            },
            "s": {"type": "score", "probabilities": {"0": p, "1": 1 - p}, "score": p, "confidence": p},
        },
        "usage": {"input_tokens": bound.input, "output_tokens": bound.output},
    }
    assert bound.output >= len(json.dumps(reply, ensure_ascii=False).encode())


def test_a_limit_sent_with_the_request_bounds_the_reply() -> None:
    request = Request("s", {"n": Noul("Is it?")})
    assert most_tokens(request, longest_output=64).output == 64
    assert most_tokens(request, frame=0).input == len(
        '{"state":"s","questions":{"n":{"type":"noul","instructions":"Is it?"}}}'
    )
