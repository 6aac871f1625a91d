"""The badge, as the endpoint schema of shields.io has it."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from pytest_jevbench.reports.badge import badge, badge_text
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.gate import Decision
from tests.reports.cards import card, results
from tests.scoring.by_hand import FIVE, held_and_violated

SCHEMA = {
    "type": "object",
    "properties": {
        "schemaVersion": {"const": 1},
        "label": {"type": "string"},
        "message": {"type": "string", "minLength": 1},
        "color": {"enum": ["brightgreen", "red", "lightgrey", "blue"]},
        "isError": {"type": "boolean"},
    },
    "required": ["schemaVersion", "label", "message"],
    "additionalProperties": False,
}
UNSCORED = card([r for name in list(FIVE)[:4] for r in held_and_violated(name, 10, 0)])


@pytest.mark.parametrize(
    ("of", "decision", "message", "colour"),
    [
        (card(), None, "70.0", "blue"),
        (card(), "passed", "70.0", "brightgreen"),
        (card(), "failed", "70.0, gate failed", "red"),
        (card(), "incomplete", "70.0, gate incomplete", "lightgrey"),
        (UNSCORED, None, "not scored", "lightgrey"),
        (UNSCORED, "failed", "not scored, gate failed", "red"),
        (card(results(key_rename=0)), None, "100.0", "blue"),
    ],
)
def test_message_and_colour(of: Card, decision: Decision | None, message: str, colour: str) -> None:
    made = badge(of, decision)
    assert (made["message"], made["color"]) == (message, colour)
    Draft202012Validator(SCHEMA).validate(made)
    assert json.loads(badge_text(of, decision)) == made
