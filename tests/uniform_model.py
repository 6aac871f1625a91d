"""A model that needs no time to speak of, as source text for a conftest or a script."""

from __future__ import annotations

__all__ = ["UNIFORM"]

UNIFORM = """
def uniform(state, questions):
    answers = {}
    for key, q in questions.items():
        if q["type"] == "noul":
            answers[key] = {"type": "noul", "noul": 0.5}
        else:
            ids = list(q["criteria"]) if q["type"] == "choice" else [str(i) for i in range(len(q["criteria"]))]
            answers[key] = {"type": q["type"], "probabilities": {i: 1 / len(ids) for i in ids}}
    return answers
"""
