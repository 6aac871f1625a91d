"""What a run needs, added up from its requests."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from pytest_jevbench.models.money import Prices, TokenBound
from pytest_jevbench.models.protocol import Usage
from pytest_jevbench.questions import Choice, Noul, Request, Score
from pytest_jevbench.runs.estimating import (
    QUARTER,
    Sizes,
    TokenRule,
    add_up,
    asking_seconds,
    measured_rule,
    sizes_of,
)

REQUEST = Request(
    "Grüße",
    {
        "n": Noul("Is it?"),
        "c": Choice("Which?", {"a": "One", "ü": "Two"}),
        "s": Score("How much?", ("low", "mid", "high")),
    },
)


def test_the_sizes_are_those_of_the_json_on_the_wire() -> None:
    body = json.dumps(
        {
            "state": "Grüße",
            "questions": {
                "n": {"type": "noul", "instructions": "Is it?"},
                "c": {"type": "choice", "instructions": "Which?", "criteria": {"a": "One", "ü": "Two"}},
                "s": {"type": "score", "instructions": "How much?", "criteria": ["low", "mid", "high"]},
            },
        },
        ensure_ascii=False,
        separators=(",", ":"),
    )
    reply = (
        '{"answers":{"n":{"type":"noul","noul":0.1234},"c":{"type":"choice","probabilities":{"a":0.1234,"ü":0.8766}},'
        '"s":{"type":"score","probabilities":{"0":0.1234,"1":0.1234,"2":0.7532}}}}'
    )
    sizes = sizes_of(REQUEST)
    assert sizes.sent == len(body.encode())
    assert sizes.answered == pytest.approx(len(reply.encode()), abs=6)  # commas after the last, "score" for "choice"


def test_the_rule_of_thumb_is_a_quarter() -> None:
    assert QUARTER.tokens(Sizes(401, 40)) == TokenBound(101, 10)


def test_what_a_model_told_becomes_tokens_a_byte() -> None:
    rule = measured_rule([(Sizes(100, 50), Usage(30, 10)), (Sizes(300, 50), Usage(90, 15))], "as told")
    assert rule == TokenRule(0.3, 0.25, "as told")


def test_a_number_that_was_not_told_follows_the_rule_of_thumb() -> None:
    rule = measured_rule([(Sizes(100, 50), Usage(None, 10)), (Sizes(100, 50), Usage(None, None))], "as told")
    assert rule is not None
    assert (rule.input_per_byte, rule.output_per_byte) == (0.25, 0.2)
    assert "input tokens by a token for every 4 bytes" in rule.source


@pytest.mark.parametrize("usage", [Usage(), Usage(0, 0), Usage(0, None)])
def test_a_model_that_tells_nothing_gives_no_rule(usage: Usage) -> None:
    assert measured_rule([(Sizes(100, 50), usage)], "as told") is None


def requests(count: int) -> list[Request]:
    return [Request(f"state {index}", {"n": Noul("Is it?")}) for index in range(count)]


def test_what_is_stored_is_not_asked_but_for_the_first() -> None:
    one = sizes_of(requests(1)[0])
    fresh = add_up((request, False) for request in requests(5))
    assert (fresh.requests, fresh.stored, fresh.to_ask) == (5, 0, 5)
    assert fresh.asked == Sizes(5 * one.sent, 5 * one.answered)
    partly = add_up((request, index < 3) for index, request in enumerate(requests(5)))
    assert (partly.requests, partly.stored, partly.to_ask) == (5, 3, 3)
    assert partly.asked == Sizes(3 * one.sent, 3 * one.answered)
    without_first = add_up((request, index == 3) for index, request in enumerate(requests(5)))
    assert (without_first.stored, without_first.to_ask) == (1, 4)
    assert add_up([]).to_ask == 0


def test_dollars_follow_from_tokens_and_prices() -> None:
    estimate = add_up((request, False) for request in requests(2))
    rule = TokenRule(1.0, 2.0, "given")
    prices = Prices(Decimal(1), Decimal(10))
    tokens = rule.tokens(estimate.asked)
    assert estimate.cost(rule, prices) == Decimal(tokens.input + 10 * tokens.output) / 1_000_000
    assert estimate.most_cost(prices) > estimate.cost(rule, prices)
    assert estimate.most.input == estimate.asked.sent + 2 * 2000  # what servers put around each


@pytest.mark.parametrize(
    ("count", "slots", "interval", "seconds"),
    [(0, 1, 0.0, 0.0), (10, 1, 0.0, 5.0), (10, 4, 0.0, 1.5), (10, 4, 2.0, 18.5), (1, 4, 2.0, 0.5)],
)
def test_the_least_time(count: int, slots: int, interval: float, seconds: float) -> None:
    assert asking_seconds(count, 0.5, slots=slots, interval=interval) == seconds
