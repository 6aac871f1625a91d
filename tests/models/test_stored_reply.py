"""A stored reply reads as the fresh one did: values, order, doubled keys, NaN, lone surrogates."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_jevbench.answers import read_answers
from pytest_jevbench.errors import AnswerFormatError, Refused
from pytest_jevbench.json_text import DuplicateKeys, loads
from pytest_jevbench.models.protocol import Reply, Usage
from pytest_jevbench.models.stored_reply import Unstorable, decode, encode, kind_of, text_of
from pytest_jevbench.questions import Choice


def reading(text: str) -> Any:
    return loads(text, mark_duplicates=True, allow_constants=True)


def same(a: Any, b: Any) -> bool:
    """Equality that tells 1 from 1.0 and from true, NaN from nothing, and doubled keys from single ones."""
    if type(a) is not type(b):
        return False
    if isinstance(a, dict):
        doubled = isinstance(a, DuplicateKeys) and a.repeated != b.repeated
        return not doubled and list(a) == list(b) and all(same(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, float):
        return math.isnan(b) if math.isnan(a) else (a == b and math.copysign(1, a) == math.copysign(1, b))
    return bool(a == b)


# Texts as JSON can give them: halves of characters may stand alone, but never two that make one.
halves = st.sampled_from(["\ud800", "a\udfff", "\ude00\ud83d"])
texts = st.text(max_size=6) | halves
leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=True) | texts


@st.composite
def doubled(draw: st.DrawFn, inner: st.SearchStrategy[Any]) -> DuplicateKeys:
    value = DuplicateKeys(draw(st.dictionaries(texts, inner, min_size=1, max_size=4)))
    value.repeated = tuple(draw(st.lists(st.sampled_from(list(value)), min_size=1, unique=True)))
    return value


values = st.recursive(
    leaves,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4) | doubled(inner),
    max_leaves=12,
)
answers = st.dictionaries(texts, values, max_size=4) | doubled(values)
tokens = st.none() | st.integers(0, 10**12)


@given(values)
def test_any_value_a_model_can_send_reads_the_same_again(value: Any) -> None:
    text = text_of(value)
    assert text.isascii()
    assert "\n" not in text
    assert same(reading(text), value)


@given(answers, st.none() | texts, tokens, tokens, st.integers(1, 9), st.floats(0, 1e6))
def test_a_reply_reads_the_same_again(
    raw: dict[str, Any], model: str | None, sent: int | None, received: int | None, attempts: int, seconds: float
) -> None:
    reply = Reply(raw, model, Usage(sent, received), attempts, seconds)
    again = decode(kind_of(reply), encode(reply))
    assert isinstance(again, Reply)
    assert same(again.answers, raw)
    assert (again.model, again.usage, again.attempts, again.seconds) == (model, reply.usage, attempts, seconds)


@pytest.mark.parametrize(
    "raw",
    [
        '{"type": "choice", "probabilities": {"a": 0.5, "b": 0.5}}',
        '{"type": "choice", "probabilities": {"a": 0.5, "a": 0.5, "b": 0.5}}',
        '{"type": "choice", "type": "choice", "probabilities": {"a": 0.5, "b": 0.5}}',
        '{"type": "choice", "probabilities": {"a": NaN, "b": 0.5}}',
        '{"type": "choice", "probabilities": {"a": 1e400, "b": 0.5}}',
        '{"type": "choice", "probabilities": {"a": true, "b": 0.5}}',
        '{"type": "choice", "probabilities": {"a": 0.33, "b": 0.33}}',
        '{"type": "choice", "probabilities": {"b": 1, "a": 0}, "choice": "\\ud800"}',
        "null",
    ],
)
def test_the_verdict_on_a_stored_answer_is_that_on_the_fresh_one(raw: str) -> None:
    questions = {"q": Choice("Which?", {"a": "one", "b": "other"})}
    fresh = Reply({"q": reading(raw)})
    stored = decode("answered", encode(fresh))
    assert isinstance(stored, Reply)
    assert read_answers(questions, stored.answers) == read_answers(questions, fresh.answers)


def test_an_object_with_every_key_doubled_keeps_the_order_of_the_doubling() -> None:
    value = reading('{"b": 1, "a": 2, "a": 3, "b": 4}')
    assert text_of(value) == '{"b":4,"a":3,"a":3,"b":4}'
    assert reading(text_of(value)).repeated == ("a", "b")


def test_failures_read_the_same_again() -> None:
    refused = decode("refused", encode(Refused("too long", status=422, body="at most 12,000 bytes", attempts=1)))
    assert isinstance(refused, Refused)
    assert (str(refused), refused.status, refused.body, refused.attempts) == (
        "too long",
        422,
        "at most 12,000 bytes",
        1,
    )
    malformed = decode("malformed", encode(AnswerFormatError("no answers object")))
    assert isinstance(malformed, AnswerFormatError)
    assert str(malformed) == "no answers object"


def test_without_circumstances_equal_answers_are_equal_text() -> None:
    first, second = Reply({"q": 1}, "m", seconds=0.1, attempts=3), Reply({"q": 1}, "m", seconds=0.2)
    assert encode(first) != encode(second)
    assert encode(first, circumstances=False) == encode(second, circumstances=False)


@pytest.mark.parametrize("value", [{1: "a"}, {"a": {2}}, {"a": object()}, {"a": b"x"}, {"a": 10**5000}])
def test_what_no_json_holds_is_refused_by_its_kind(value: Any) -> None:
    with pytest.raises(Unstorable):
        text_of(value)


def test_nesting_deeper_than_can_be_walked_is_refused() -> None:
    value: Any = 0.0
    for _ in range(100_000):
        value = [value]
    with pytest.raises(Unstorable):
        text_of(value)


@pytest.mark.parametrize("text", ["", "{", "[]", "1", '{"answers": {}}', '{"usage": [1]}', "\x00"])
@pytest.mark.parametrize("kind", ["answered", "refused", "malformed", "something"])
def test_a_damaged_text_is_said_to_be_damaged(kind: Any, text: str) -> None:
    with pytest.raises(Unstorable):
        decode(kind, text)
