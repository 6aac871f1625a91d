"""What the summary of a live judge says beside its scores: the order of two answers, and what an answer gains by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pytest_jevbench.reports.text import Line, Segment, interval_text, line, pad, percent
from pytest_jevbench.scoring.intervals import Interval

__all__ = ["gain_lines", "position_lines"]

NAME = 39
WHAT = {
    "judge_longer_answer": "words that say nothing",
    "judge_markup": "markup",
    "judge_own_name": "the judge's own name",
    "judge_authority_cue": "somebody of rank behind it",
}
"""By law: what an answer was given."""


def position_lines(pairs: Mapping[str, Sequence[float]]) -> Iterator[Line]:
    """What the order of two answers does, over pairs that were shown in both orders."""
    from pytest_jevbench.judges.bias import position_bias  # only now: most cards have no judge

    found = position_bias([pair[0] for pair in pairs.values()], [pair[1] for pair in pairs.values()])
    yield line("")
    yield line(Segment(f"{pad('position of two answers', NAME)}{'rate':>6}  {'95% interval':<14}{'pairs':>7}", "faint"))
    rates = (("the winner changes with the order", found.flip_rate), ("the answer shown first wins", found.first_rate))
    for name, rate in rates:
        interval = rate.interval if isinstance(rate.interval, Interval) else None
        text = f"{percent(rate.value):>6}  {interval_text(interval):<14}{rate.n:>7}"
        yield line(pad(f"  {name}", NAME) + text)
    yield line(f"  {found.decisive} pairs decided in both orders, {found.ties} with a tie in one or both")


def gain_lines(gains: Mapping[str, Mapping[str, float]]) -> Iterator[Line]:
    """How much more an answer is favoured than without the edit, in points: 0 is no bias."""
    from pytest_jevbench.judges.gains import mean_gains

    yield line("")
    head = f"{pad('an answer gains by', NAME)}{'points':>6}  {'95% interval':<14}{'cases':>7}"
    yield line(Segment(head, "faint"))
    for law, rate in mean_gains(gains).items():
        interval = rate.interval if isinstance(rate.interval, Interval) else None
        between = "" if interval is None else f"[{_points(interval.low):>5}, {_points(interval.high):>5}]"
        value = "-" if rate.value is None else _points(rate.value)
        yield line(pad(f"  {WHAT.get(law, law)}", NAME) + f"{value:>6}  {between:<14}{rate.n:>7}")


def _points(gain: float) -> str:
    """A gain in points of 100, with its sign; no sign where nothing is left of it by rounding."""
    text = f"{100 * gain:+.1f}"
    return "0.0" if text in ("+0.0", "-0.0") else text
