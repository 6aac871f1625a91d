"""An estimate of a whole run, with where each figure comes from."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from pytest_jevbench.json_text import JSON
from pytest_jevbench.models.money import Prices
from pytest_jevbench.runs.estimating import QUARTER, TokenRule, asking_seconds
from pytest_jevbench.runs.measuring import Measured
from pytest_jevbench.runs.planning import Run
from pytest_jevbench.runs.stored_requests import InStore

__all__ = ["RunFigures", "estimate_run"]


@dataclass(frozen=True, slots=True)
class RunFigures:
    """What a run takes before it is run.

    ``requests`` are distinct, ``stored`` of them have an answer (of ``stored_model``), ``to_ask`` would be sent; one
    stored request more, where ``checks`` is 1, to see whether it is still the same model. Tokens are ``tokens_by`` a
    rule in words. ``usd`` is about what it costs and ``usd_at_most`` what a budget charges where the server tells no
    tokens; None without prices. ``seconds`` is the least time with ``slots`` requests at once, each of
    ``seconds_a_request``, known from ``seconds_by``; None where no time is known.
    """

    suite: str
    version: str
    tests: int
    cases: int
    requests: int
    stored: int
    to_ask: int
    input_tokens: int
    output_tokens: int
    tokens_by: str
    usd: Decimal | None
    usd_at_most: Decimal | None
    replicas: int
    seconds_a_request: float | None
    seconds: float | None
    seconds_by: str = ""
    slots: int = 1
    checks: int = 0
    stored_model: str = ""

    def to_json(self) -> dict[str, JSON]:
        """The figures as ``pytest-jevbench estimate --json`` prints them."""
        return {
            "suite": self.suite,
            "version": self.version,
            "tests": self.tests,
            "cases": self.cases,
            "requests": self.requests,
            "stored": self.stored,
            "to_ask": self.to_ask,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "tokens_by": self.tokens_by,
            "usd": None if self.usd is None else float(self.usd),
            "usd_at_most": None if self.usd_at_most is None else float(self.usd_at_most),
            "replicas": self.replicas,
            "seconds_a_request": self.seconds_a_request,
            "seconds": self.seconds,
        }


def estimate_run(
    planned: Run,
    found: InStore,
    measured: Measured | None,
    *,
    rule: TokenRule | None = None,
    prices: Prices | None = None,
    seconds: float | None = None,
    replicas: int | None = None,
    per_replica: int = 1,
    min_interval: float = 0.0,
) -> RunFigures:
    """Put together what the store and a model say.

    ``rule`` of tokens and ``seconds`` a request go before what was measured, that before what is stored. ``replicas``
    are by default those measured. ``min_interval`` is the time between the starts of any two requests, in seconds.
    """
    rule = rule or found.rule or (measured.rule if measured else None) or QUARTER
    each, how = (measured.seconds, measured.text) if measured else (found.seconds, found.text)
    if seconds is not None:
        each, how = seconds, ""
    replicas = replicas or (measured.replicas if measured else 1)
    estimate, slots = found.estimate, replicas * per_replica
    tokens = rule.tokens(estimate.asked)
    least = None if each is None else asking_seconds(estimate.to_ask, each, slots=slots, interval=min_interval)
    return RunFigures(
        suite=planned.suite.name,
        version=planned.suite.version,
        tests=len(planned.here),
        cases=len({test.id.case_id for test in planned.here}),
        requests=estimate.requests,
        stored=estimate.stored,
        to_ask=estimate.to_ask,
        input_tokens=tokens.input,
        output_tokens=tokens.output,
        tokens_by=rule.source,
        usd=None if prices is None else estimate.cost(rule, prices),
        usd_at_most=None if prices is None else estimate.most_cost(prices),
        replicas=replicas,
        seconds_a_request=each,
        seconds=None if least is None else round(least, 3),
        seconds_by=how,
        slots=slots,
        checks=estimate.checks,
        stored_model=found.model,
    )
