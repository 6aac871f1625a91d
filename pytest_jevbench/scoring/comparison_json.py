"""A comparison of two cards as JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pytest_jevbench.json_text import JSON
from pytest_jevbench.scoring.compare import Compared, ScoreChange
from pytest_jevbench.scoring.compared_cards import ComparedCards
from pytest_jevbench.scoring.intervals import Interval

__all__ = ["comparison_json"]


def comparison_json(compared: ComparedCards) -> dict[str, JSON]:
    """Every score's change, and the tests that are new, known, fixed or not judged in both."""
    assert compared.comparison is not None
    changes = compared.comparison.changes
    return {
        "cautions": list(compared.cautions),
        "scores": {name: _score(found) for name, found in compared.comparison.scores.items()},
        "new": [list(test) for test in changes.new],
        "known": [list(test) for test in changes.known],
        "fixed": [list(test) for test in changes.fixed],
        "unpaired": [list(test) for test in changes.unpaired],
    }


def _score(found: Compared) -> dict[str, Any]:
    if not isinstance(found, ScoreChange):
        return {"change": None, "reason": found.reason}
    interval = found.interval
    return {
        **asdict(found),
        "interval": asdict(interval) if isinstance(interval, Interval) else None,
        "interval_reason": None if isinstance(interval, Interval) else interval.reason,
    }
