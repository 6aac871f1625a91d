"""The overall score as a badge, in the JSON that shields.io reads from an endpoint."""

from __future__ import annotations

from pytest_jevbench.json_text import JSON, dumps
from pytest_jevbench.reports.text import percent
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.gate import Decision

__all__ = ["badge", "badge_text"]

COLOURS: dict[Decision, str] = {"passed": "brightgreen", "failed": "red", "incomplete": "lightgrey"}
UNGATED = "blue"
"""No score is good or bad by itself."""


def badge(card: Card, decision: Decision | None = None, label: str = "coherence") -> dict[str, JSON]:
    """The badge of a card; a gate's decision gives it its colour."""
    score = card.scores.overall.score
    shown = "not scored" if score is None else percent(score)
    colour = "lightgrey" if score is None and decision is None else UNGATED if decision is None else COLOURS[decision]
    return {
        "schemaVersion": 1,
        "label": f"{label} (verbalised)" if card.verbalised else label,
        "message": shown if decision in (None, "passed") else f"{shown}, gate {decision}",
        "color": colour,
    }


def badge_text(card: Card, decision: Decision | None = None) -> str:
    """The content of a badge file."""
    return dumps(badge(card, decision)) + "\n"
