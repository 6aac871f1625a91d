"""What a run will need, before it is run: distinct requests, tokens, dollars, time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal

from pytest_jevbench.models.money import Prices, TokenBound, cost_of, most_tokens, worst_case
from pytest_jevbench.models.protocol import Usage
from pytest_jevbench.plans.plan import PlannedTest
from pytest_jevbench.questions import Noul, Question, Request, answer_ids
from pytest_jevbench.runs.planning import Run

__all__ = [
    "QUARTER",
    "Estimate",
    "Sizes",
    "TokenRule",
    "add_up",
    "asking_seconds",
    "distinct_requests",
    "measured_rule",
    "sizes_of",
]

_FRAME_OF_REPLY = len('{"answers":{}}')
_FRAME_OF_NOUL = len('"":{"type":"noul","noul":0.1234},')
_FRAME_OF_OTHERS = len('"":{"type":"choice","probabilities":{}},')
_FRAME_OF_PROBABILITY = len('"":0.1234,')


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes on the wire: of requests, and of replies to them with four decimals and no further fields."""

    sent: int = 0
    answered: int = 0

    def __add__(self, other: Sizes) -> Sizes:
        return Sizes(self.sent + other.sent, self.answered + other.answered)


def sizes_of(request: Request) -> Sizes:
    """The bytes of one request, without the model's name, and of a plain reply to it."""
    return Sizes(
        len(request.body_text().encode()),
        _FRAME_OF_REPLY + sum(_answer_size(key, question) for key, question in request.questions.items()),
    )


def _answer_size(key: str, question: Question) -> int:
    size = len(key.encode())
    if isinstance(question, Noul):
        return size + _FRAME_OF_NOUL
    return size + _FRAME_OF_OTHERS + sum(len(one.encode()) + _FRAME_OF_PROBABILITY for one in answer_ids(question))


def distinct_requests(run: Run, tests: Iterable[PlannedTest] | None = None) -> Iterator[Request]:
    """Every request that a run asks, each once, in the order in which a run needs them; by default for all its tests.

    The repeats of a base request are requests of their own.
    """
    seen: set[tuple[bytes, int]] = set()
    for test in run.here if tests is None else tests:
        for request in run.requests(test):
            key = bytes.fromhex(request.digest), request.repeat
            if key not in seen:
                seen.add(key)
                yield request


@dataclass(frozen=True, slots=True)
class TokenRule:
    """How tokens follow from bytes, and where that is known from, in words."""

    input_per_byte: float
    output_per_byte: float
    source: str

    def tokens(self, sizes: Sizes) -> TokenBound:
        """The tokens of so many bytes."""
        return TokenBound(math.ceil(sizes.sent * self.input_per_byte), math.ceil(sizes.answered * self.output_per_byte))


QUARTER = TokenRule(0.25, 0.25, "a token for every 4 bytes of JSON, a rule of thumb")


def measured_rule(measured: Iterable[tuple[Sizes, Usage]], source: str) -> TokenRule | None:
    """The tokens a byte that a model reported for some requests; None where it reported none, or 0 for all.

    A number that it never reports is taken from the rule of thumb, and ``source`` says so.
    """
    read = written = Sizes()
    inputs = outputs = 0
    for sizes, usage in measured:
        if usage.input_tokens is not None:
            read, inputs = read + sizes, inputs + usage.input_tokens
        if usage.output_tokens is not None:
            written, outputs = written + sizes, outputs + usage.output_tokens
    if not inputs and not outputs:
        return None
    unknown = "input" if not inputs else "output" if not outputs else ""
    return TokenRule(
        inputs / read.sent if inputs else QUARTER.input_per_byte,
        outputs / written.answered if outputs else QUARTER.output_per_byte,
        f"{source}; {unknown} tokens by {QUARTER.source}" if unknown else source,
    )


@dataclass(frozen=True, slots=True)
class Estimate:
    """What asking a plan comes to.

    ``requests`` are distinct, ``stored`` of them have an answer, ``checks`` is 1 where a stored one is asked once more
    to see whether the model is still the same. ``asked`` are the bytes of what is to be asked. The worst case of each
    request is what a budget reserves for it.
    """

    requests: int
    stored: int
    checks: int
    asked: Sizes
    most: TokenBound

    @property
    def to_ask(self) -> int:
        """Requests that a run would send."""
        return self.requests - self.stored + self.checks

    def cost(self, rule: TokenRule, prices: Prices) -> Decimal:
        """Dollars, as far as the rule is right."""
        tokens = rule.tokens(self.asked)
        cost = cost_of(Usage(tokens.input, tokens.output), prices)
        assert cost is not None
        return cost

    def most_cost(self, prices: Prices) -> Decimal:
        """Dollars that are charged where no reply says how many tokens it took."""
        return worst_case(self.most, prices)


def add_up(requests: Iterable[tuple[Request, bool]]) -> Estimate:
    """The sum over distinct requests in the order of a run, each with whether its answer is stored.

    The first one is asked even where it is stored.
    """
    count = stored = checks = most_in = most_out = 0
    asked = Sizes()
    for request, is_stored in requests:
        first = count == 0
        count += 1
        stored += is_stored
        checks += is_stored and first
        if not is_stored or first:
            asked += sizes_of(request)
            bound = most_tokens(request)
            most_in, most_out = most_in + bound.input, most_out + bound.output
    return Estimate(count, stored, checks, asked, TokenBound(most_in, most_out))


def asking_seconds(requests: int, seconds: float, *, slots: int = 1, interval: float = 0.0) -> float:
    """The least time that so many requests of ``seconds`` each take with so many in flight.

    ``interval`` is the time between the starts of any two.

    >>> asking_seconds(312, 0.5, slots=4), asking_seconds(312, 0.5, slots=4, interval=1.0)
    (39.0, 311.5)
    """
    if not requests:
        return 0.0
    return max(math.ceil(requests / slots) * seconds, (requests - 1) * interval + seconds)
