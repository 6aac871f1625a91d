"""A board as JSON: the format ``jevbench-board``, described by board.schema.json."""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import Any

from pytest_jevbench import __version__
from pytest_jevbench.json_text import JSON
from pytest_jevbench.reports.board.entries import Accuracy, Board, Entry, Reference
from pytest_jevbench.scoring.intervals import Interval, NoInterval
from pytest_jevbench.scoring.ranking import RankedPair
from pytest_jevbench.scoring.scores import MeanScore

__all__ = ["FORMAT", "SCHEMA_VERSION", "board_json", "board_schema"]

FORMAT = "jevbench-board"
SCHEMA_VERSION = "1.0"
LEVEL = 0.95


@lru_cache(maxsize=1)
def board_schema() -> dict[str, Any]:
    """The JSON Schema of the document."""
    text = Path(__file__).with_name("board.schema.json").read_text(encoding="utf-8")
    return json.loads(text)  # type: ignore[no-any-return]


def board_json(board: Board) -> dict[str, JSON]:
    """The board as a JSON value: the same cards in the same order give the same value."""
    ranking, identity = board.ranking, board.card.data["identity"]
    settings = board.card.settings
    return {
        "format": FORMAT,
        "schema_version": SCHEMA_VERSION,
        "version": __version__,
        "suite": {name: identity["suite"].get(name, "") for name in ("name", "version", "digest")},
        "settings": {"tolerance": settings.tolerance, "min_n": settings.min_n, "min_coverage": settings.min_coverage},
        "ranked_by": {
            "score": ranking.by,
            "metric": "graded" if ranking.graded else "binary",
            "models": ranking.ranked,
            "level": LEVEL,
            "draws": ranking.draws,
        },
        "models": [_entry(entry) for entry in board.entries],
        "reference": None if board.reference is None else _reference(board.reference, board.place),
        "pairs": [_pair(pair) for pair in ranking.pairs],
    }


def _entry(entry: Entry) -> dict[str, JSON]:
    counts, model = entry.card.data["counts"], entry.card.data["identity"]["model"]
    low, high = entry.ranks or (None, None)
    return {
        "name": entry.name,
        "page": entry.page or None,
        "rank_low": low,
        "rank_high": high,
        "unranked": entry.standing.reason or None,
        "complete": entry.complete,
        "verbalised": entry.card.verbalised,
        "answered": list(model.get("answered") or ()),
        "started": entry.card.data["run"].get("started") or None,
        "score": entry.standing.score,
        "overall": _mean(entry.overall),
        "dimensions": {mean.name: _mean(mean) for mean in entry.dimensions},
        "accuracy": _accuracy(entry.accuracy),
        "tests": {
            "planned": counts["planned"],
            "held": counts["held"],
            "violated": counts["violated"],
            "unjudged": counts["unjudged"]["total"],
        },
    }


def _mean(mean: MeanScore) -> dict[str, JSON]:
    return {
        "score": mean.score,
        "interval": interval_json(mean.interval),
        "graded": mean.graded,
        "graded_interval": interval_json(mean.graded_interval),
        "tests": mean.tests,
        "reason": mean.reason or None,
    }


def _accuracy(accuracy: Accuracy) -> dict[str, JSON]:
    return {
        "value": accuracy.value,
        "interval": interval_json(accuracy.interval),
        "questions": accuracy.questions,
        "reason": accuracy.reason or None,
    }


def _reference(reference: Reference, place: int) -> dict[str, JSON]:
    return {
        "name": reference.name,
        "after": place,
        "scores": dict(reference.scores),
        "graded": dict(reference.graded),
        "accuracy": reference.accuracy,
    }


def _pair(pair: RankedPair) -> dict[str, JSON]:
    return {
        "first": pair.first,
        "second": pair.second,
        "difference": pair.difference,
        "interval": interval_json(pair.interval if isinstance(pair.interval, Interval) else None),
        "reason": pair.interval.reason if isinstance(pair.interval, NoInterval) else None,
        "better": pair.better,
    }


def interval_json(interval: Interval | None) -> JSON:
    """``low``, ``high`` and whether they are one point; null where there is no interval."""
    return None if interval is None else asdict(interval)
