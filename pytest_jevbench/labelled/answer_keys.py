"""The classic accident of a labelled benchmark: the answer shipped inside the state."""

from __future__ import annotations

from typing import Any

from pytest_jevbench.json_text import JsonProblem, loads

__all__ = ["ANSWER_KEYS", "find_answer_keys"]

ANSWER_KEYS = (
    "expected",
    "label",
    "ground_truth",
    "answer_key",
    "gold_label",
    "gold_answer",
    "true_label",
    "expected_label",
    "expected_answer",
    "correct_answer",
)
"""Keys that no structured state may carry, however they are spelled: ``groundTruth``, ``Ground-Truth`` too."""

_FLAT = frozenset(key.replace("_", "") for key in ANSWER_KEYS)


def find_answer_keys(state: Any, field: str = "state") -> list[str]:
    """The places of the keys, at any depth, that give the answer away.

    A state given as text is looked into too where the text is JSON.

    >>> find_answer_keys({"ticket": [{"Ground-Truth": "yes"}]})
    ['state.ticket[0].Ground-Truth']
    """
    found: list[str] = []
    waiting: list[tuple[Any, str]] = [(_structure(state), field)]
    while waiting:  # not by recursion: a state may be nested deeply
        value, place = waiting.pop()
        inner: list[tuple[Any, str]] = []
        if isinstance(value, dict):
            for key, item in value.items():
                if "".join(c for c in str(key).casefold() if c.isalnum()) in _FLAT:
                    found.append(f"{place}.{key}")
                else:
                    inner.append((_structure(item), f"{place}.{key}"))
        elif isinstance(value, list):
            inner = [(_structure(item), f"{place}[{index}]") for index, item in enumerate(value)]
        waiting += reversed(inner)
    return found


def _structure(value: Any) -> Any:
    """The value inside a text that is JSON, however often it was written as text; everything else as it is."""
    while isinstance(value, str) and value.lstrip()[:1] in ("{", "[", '"'):
        try:
            value = loads(value, mark_duplicates=True, allow_constants=True)
        except JsonProblem:
            break
    return value
