"""The rows that docs/judges.md shows of a card of jevbench-judges."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pytest_jevbench.judges.bias import judge_bias
from pytest_jevbench.judges.card_pairs import pairs_of_card
from pytest_jevbench.judges.gains import mean_gains
from pytest_jevbench.relations.judge_laws import JUDGE_LAWS
from pytest_jevbench.scoring.card_reading import read_card
from pytest_jevbench.scoring.intervals import Interval, wilson

PAGE = Path(__file__).parents[2] / "docs" / "judges.md"


def rows_of(card: Path) -> list[str]:
    """A row of each of the two tables."""
    read = read_card(card)
    name = f"`{read.name}`" if not read.name.startswith("sparrow") else read.name
    judge = read.scores.mean("JUDGE")
    assert judge is not None
    scores = [read.scores.relation(law) for law in JUDGE_LAWS]
    laws = [_share(row.held, row.judged) for row in scores if row is not None]
    found, gains = judge_bias(pairs_of_card(card)), mean_gains(read.data["judge_gains"])
    biases = [
        *(_with(rate.value, rate.interval) for rate in (found.position.flip_rate, found.position.first_rate)),
        *(_with(rate.value, rate.interval, "+.1f") for rate in gains.values()),
        _with(found.length.value, found.length.interval, "+.2f", 1),
        _with(found.accuracy.value, found.accuracy.interval),
    ]
    return [_row(name, _with(judge.score, judge.interval), *laws), _row(name, *biases)]


def _share(held: int, judged: int) -> str:
    interval = wilson(held, judged)
    assert interval is not None
    return f"{100 * held / judged:.1f} [{100 * interval.low:.0f}, {100 * interval.high:.0f}]"


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _with(value: float | None, interval: Any, form: str = ".1f", times: float = 100) -> str:
    if value is None:
        return "-"
    shown = _number(value, form, times)
    if not isinstance(interval, Interval):
        return shown
    return f"{shown} [{_number(interval.low, form, times)}, {_number(interval.high, form, times)}]"


def _number(value: float | None, form: str = ".1f", times: float = 100) -> str:
    if value is None:
        return "-"
    text = format(times * value, form)
    return text if text.strip("+-0.") else text.lstrip("+-")
