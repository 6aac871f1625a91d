"""Exact amounts of US dollars, and what a request may cost at most.

Amounts are decimals of at most twelve places: ten times 0.1 is 1, and nothing is lost where millions of small amounts
are added.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal, InvalidOperation
from typing import Any

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import dumps
from pytest_jevbench.models.protocol import Usage
from pytest_jevbench.questions import Noul, Question, Request, answer_ids

__all__ = [
    "LARGEST",
    "Prices",
    "TokenBound",
    "cost_of",
    "dollars",
    "exact_amount",
    "most_tokens",
    "worst_case",
]

LARGEST = Decimal(10**9)
"""No amount may be larger: it would be a mistake."""

_PLACES = Decimal("1e-12")
_EXACT = Context(prec=60)
_MILLION = Decimal(10**6)

_FRAME_TOKENS = 2_000
"""Allowed for what a server puts around a request before a model reads it: instructions, a schema, a template."""

_FRAME_BYTES_OF_ANSWER = 200
_BYTES_OF_PROBABILITY = 40


def exact_amount(value: object, place: Place) -> Decimal:
    """An amount of money as a decimal; parts below 1e-12 are rounded up.

    A float is taken as it is printed (0.1 is a tenth). Raises :class:`~pytest_jevbench.errors.InputError` for what is
    negative, not finite, larger than :data:`LARGEST`, or no number.
    """
    wanted = "an amount in dollars of at least 0, such as 2.50"
    if isinstance(value, bool) or not isinstance(value, (int, float, str, Decimal)):
        raise InputError.unexpected(value, wanted, place)
    try:
        amount = Decimal(repr(value) if isinstance(value, float) else value)
    except InvalidOperation:
        raise InputError.unexpected(value, wanted, place) from None
    if not amount.is_finite() or (amount.is_signed() and amount != 0) or amount > LARGEST:
        raise InputError.unexpected(value, wanted, place)
    return amount.quantize(_PLACES, rounding=ROUND_CEILING, context=_EXACT).copy_abs().normalize(_EXACT)


def dollars(amount: Decimal) -> str:
    """An amount as people write it: all its digits, at least two places.

    >>> dollars(Decimal("0.1") * 10), dollars(Decimal("0.0005"))
    ('$1.00', '$0.0005')
    """
    places = max(2, -int(amount.normalize(_EXACT).as_tuple().exponent))
    return f"${amount:,.{places}f}"


@dataclass(frozen=True, slots=True)
class Prices:
    """Dollars per million tokens."""

    input: Decimal
    output: Decimal


@dataclass(frozen=True, slots=True)
class TokenBound:
    """Tokens that one request can use at most."""

    input: int
    output: int


def most_tokens(
    request: Request, *, frame: int = _FRAME_TOKENS, longest_output: int | None = None, sent_bytes: int | None = None
) -> TokenBound:
    """A bound on the tokens of a request and its reply.

    A token stands for at least one byte, so the bytes of the wire form bound its tokens; ``frame`` allows for what the
    server adds. ``sent_bytes`` are the bytes of the body where the dialect has another one than System One.
    ``longest_output`` is the limit sent with the request where the dialect has one; without it the reply is bounded by
    the bytes of the longest answer in the format.
    """
    size = len(dumps(request.body(), compact=True).encode("utf-8")) if sent_bytes is None else sent_bytes
    output = longest_output if longest_output is not None else _longest_reply(request.questions)
    return TokenBound(size + frame, output)


def _longest_reply(questions: Mapping[str, Question]) -> int:
    size = _FRAME_BYTES_OF_ANSWER
    for key, question in questions.items():
        ids = () if isinstance(question, Noul) else answer_ids(question)
        longest = max((len(answer.encode()) for answer in ids), default=0)
        size += len(key.encode()) + _FRAME_BYTES_OF_ANSWER + longest
        size += sum(len(answer.encode()) + _BYTES_OF_PROBABILITY for answer in ids)
    return size


def worst_case(bound: TokenBound, prices: Prices) -> Decimal:
    """What a request within this bound costs at most; to be reserved before it is sent."""
    return _cost(bound.input, bound.output, prices)


def cost_of(usage: Usage, prices: Prices) -> Decimal | None:
    """What a request cost by the tokens the server told; None where it did not tell both numbers."""
    if not _is_count(usage.input_tokens) or not _is_count(usage.output_tokens):
        return None
    return _cost(int(usage.input_tokens or 0), int(usage.output_tokens or 0), prices)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**15


def _cost(input_tokens: int, output_tokens: int, prices: Prices) -> Decimal:
    of_input = _EXACT.multiply(Decimal(input_tokens), prices.input)
    of_output = _EXACT.multiply(Decimal(output_tokens), prices.output)
    exact = _EXACT.divide(_EXACT.add(of_input, of_output), _MILLION)
    return exact.quantize(_PLACES, rounding=ROUND_CEILING, context=_EXACT).normalize(_EXACT)
