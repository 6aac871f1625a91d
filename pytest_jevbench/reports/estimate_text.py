"""An estimate of a run, in words."""

from __future__ import annotations

from decimal import Decimal

from pytest_jevbench.models.money import dollars
from pytest_jevbench.runs.run_estimate import RunFigures

__all__ = ["estimate_rows"]


def estimate_rows(
    told: RunFigures, *, shard: str = "", without_prices: str, without_time: str
) -> list[tuple[str, str]]:
    """What is estimated and how much of it.

    ``shard`` says which part of the suite it is of. ``without_prices`` and ``without_time`` say what is not known then.
    """
    tokens = f"about {_rounded(told.input_tokens)} in, {_rounded(told.output_tokens)} out ({told.tokens_by})"
    tests = f"{_counted(told.tests, 'test')} on {_counted(told.cases, 'case')}"
    return [
        ("suite", f"{f'{told.suite} {told.version}'.strip()}: {shard}{tests}"),
        ("requests", _requests(told)),
        ("tokens", tokens),
        ("dollars", _dollars(told) or without_prices),
        ("time", _time(told) or without_time),
    ]


def _requests(told: RunFigures) -> str:
    text = f"{told.requests:,} distinct, {told.to_ask:,} to be asked"
    if not told.stored:
        return text
    again = ", and the first one is asked again to see whether it is still the same model" if told.checks else ""
    return f"{text}; {told.stored:,} are stored ({told.stored_model}){again}"


def _rounded(count: int) -> str:
    """A number to two digits, upwards."""
    unit = 10 ** max(0, len(str(count)) - 2)
    return f"{-(-count // unit) * unit:,}"


def _dollars(told: RunFigures) -> str:
    if told.usd is None or told.usd_at_most is None:
        return ""
    likely, most = (
        dollars(amount.quantize(Decimal("0.0001"), rounding="ROUND_UP")) for amount in (told.usd, told.usd_at_most)
    )
    return f"about {likely}; a budget charges {most} where the server does not tell tokens"


def _time(told: RunFigures) -> str:
    if told.seconds is None:
        return ""
    in_flight = "one request at a time" if told.slots == 1 else f"{told.slots} requests at a time"
    source = f" ({told.seconds_by})" if told.seconds_by else ""
    return f"{_duration(told.seconds)} at best: {in_flight}, each {told.seconds_a_request:.3g} s{source}"


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.3g} s"
    return f"{seconds / 60:.1f} minutes" if seconds < 5400 else f"{seconds / 3600:.1f} hours"


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
