"""Six fit and six held-out judgments whose figures can be worked out by hand."""

from __future__ import annotations

from typing import Any

__all__ = ["FIT", "HOLDOUT", "worked_fixture"]

FIT = [0.99, 0.99, 0.99, 0.01, 0.01, 0.01], [True, True, False, False, False, True]
HOLDOUT = [0.98, 0.97, 0.96, 0.02, 0.03, 0.04], [True, False, True, False, True, False]


def worked_fixture(judge: str = "judge-a", **more: Any) -> dict[str, Any]:
    """The example as the JSON of a fixture."""
    rows = [(split, p, y) for split, part in (("fit", FIT), ("holdout", HOLDOUT)) for p, y in zip(*part, strict=True)]
    return {
        "schema_version": 1,
        "synthetic": True,
        "license": "Apache-2.0",
        "rubric": {"id": "example", "questions": [{"id": "q1", "text": "Does the answer cite evidence?"}]},
        "items": [
            {
                "id": f"i{number}",
                "split": split,
                "question_id": "q1",
                "text": f"Answer {number}.",
                "truth": y,
                "judgments": {judge: p},
            }
            for number, (split, p, y) in enumerate(rows)
        ],
        **more,
    }
