"""The demonstration data that travel with the package, and templates to start one's own from."""

from __future__ import annotations

import json
from dataclasses import replace
from importlib.resources import files
from typing import Any

from pytest_jevbench.judges.fixture import JudgeFixture, fixture_from_json
from pytest_jevbench.judges.pairs import PairFile, pairs_from_json

__all__ = ["FIXTURE_TEMPLATE", "PAIRS_TEMPLATE", "demo_fixture", "demo_pairs"]


def demo_fixture() -> JudgeFixture:
    """The bundled fixture: 300 made-up items, three made-up judges."""
    return replace(fixture_from_json(_bundled("demo_fixture.json")), name="demo", demo=True)


def demo_pairs() -> PairFile:
    """The bundled pairs: 24 for each of the three judges."""
    return replace(pairs_from_json(_bundled("demo_pairs.json")), name="demo", demo=True)


def _bundled(name: str) -> Any:
    return json.loads((files("pytest_jevbench.judges") / "data" / name).read_text(encoding="utf-8"))


FIXTURE_TEMPLATE: dict[str, Any] = {
    "schema_version": 1,
    "synthetic": True,
    "license": "Apache-2.0",
    "rubric": {"id": "my_rubric", "questions": [{"id": "cites", "text": "Does the answer cite its evidence?"}]},
    "judge_costs": {"judge-a": 0.01},
    "items": [
        {
            "id": "f1",
            "split": "fit",
            "question_id": "cites",
            "text": "Yes. Table 2 of the report has it.",
            "truth": True,
            "judgments": {"judge-a": 0.9},
        },
        {
            "id": "f2",
            "split": "fit",
            "question_id": "cites",
            "text": "Yes, everybody knows that.",
            "truth": False,
            "judgments": {"judge-a": 0.2},
        },
        {
            "id": "h1",
            "split": "holdout",
            "question_id": "cites",
            "text": "No: see section 4.",
            "truth": True,
            "judgments": {"judge-a": 0.7},
        },
        {
            "id": "h2",
            "split": "holdout",
            "question_id": "cites",
            "text": "Perhaps.",
            "truth": False,
            "judgments": {"judge-a": 0.4},
        },
    ],
}

PAIRS_TEMPLATE: dict[str, Any] = {
    "synthetic": True,
    "license": "Apache-2.0",
    "pairs": [
        {
            "judge": "judge-a",
            "a": "Four.",
            "b": "## Answer\n- Four.",
            "forward": 0.8,
            "swapped": 0.2,
            "judge_model": "model-a",
            "a_model": "model-a",
            "b_model": "model-b",
            "matched": "markup",
        }
    ],
}
