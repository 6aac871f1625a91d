"""A model as a judge of answers, from the card of a suite of judged answers: what their order does, and what wins them
favour without making them better."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pytest_jevbench.reports.html.rendering import render
from pytest_jevbench.reports.html.section import CardShown, Report, Section
from pytest_jevbench.reports.live_judge_lines import WHAT
from pytest_jevbench.reports.numbers import points_interval
from pytest_jevbench.scoring.intervals import Interval

__all__ = ["sections"]


def sections(report: Report) -> Iterator[Section]:
    cards = [shown for one in report.cards if (shown := _shown(one))]
    if cards:
        yield Section("judging", "As a judge", render("judging.html.j2", cards=cards))


def _shown(one: CardShown) -> dict[str, Any] | None:
    position, gains = _position(one), _gains(one)
    return {"name": one.name, "position": position, "gains": gains} if position or gains else None


def _position(one: CardShown) -> dict[str, Any] | None:
    pairs = one.card.data.get("judge_pairs")
    if not pairs:
        return None
    from pytest_jevbench.judges.bias import position_bias  # numpy; most cards have no judge

    found = position_bias([pair[0] for pair in pairs.values()], [pair[1] for pair in pairs.values()])
    rates = (
        ("the winner changes with the order", found.flip_rate, 0.0),
        ("the answer shown first wins", found.first_rate, 0.5),
    )
    return {
        "rows": [
            {"name": name, "rate": rate, "interval": _known(rate.interval), "free": free} for name, rate, free in rates
        ],
        "decisive": found.decisive,
        "ties": found.ties,
    }


def _gains(one: CardShown) -> list[dict[str, Any]]:
    gains = one.card.data.get("judge_gains")
    if not gains:
        return []
    from pytest_jevbench.judges.gains import mean_gains

    found = mean_gains(gains)
    ends = [abs(rate.value) for rate in found.values() if rate.value is not None]
    ends += [abs(end) for rate in found.values() if (i := _known(rate.interval)) for end in (i.low, i.high)]
    scale = max([*ends, 0.01])
    return [
        {
            "name": WHAT.get(law, law),
            "rate": rate,
            "interval": points_interval(rate.interval),
            "bar": None if rate.value is None else _diverging(rate.value, _known(rate.interval), scale),
            "sure": (i := _known(rate.interval)) is not None and (i.low > 0 or i.high < 0),
        }
        for law, rate in found.items()
    ]


def _known(interval: object) -> Interval | None:
    return interval if isinstance(interval, Interval) else None


def _diverging(value: float, interval: Interval | None, scale: float) -> dict[str, float]:
    """A bar from the middle, in percent of the track's width: 0 stands at 50."""
    at = [50 + 50 * end / scale for end in (min(value, 0.0), max(value, 0.0))]
    ends = at if interval is None else [50 + 50 * end / scale for end in (interval.low, interval.high)]
    return {"left": at[0], "width": at[1] - at[0], "from": ends[0], "to": ends[1]}
