"""The canonical record of a labelled task.

::

    {"id": "t1", "family": "triage", "state": "My parcel is late.",
     "question": {"type": "noul", "instructions": "Is the customer asking about a delivery?"},
     "labels": ["no", "yes"], "expected": "yes", "split": "public", "group": "t1-pair", "provenance": {"by": "hand"}}

Labels are exact and ordered: ``no`` and ``yes`` for a Noul, the option ids for a Choice, the level indices from 0 as
whole numbers for a Score. ``labels`` may be left out (they follow from the question), as may ``expected`` (null: nobody
knows the answer), ``split`` (public), ``group`` and ``provenance``. Inside, a label is always text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pytest_jevbench.json_text import JSON
from pytest_jevbench.questions import Noul, Question, Request, Score, answer_ids

__all__ = ["FIELDS", "PUBLIC", "QUESTION_KEY", "Task", "exact_labels"]

PUBLIC = "public"
QUESTION_KEY = "q"
"""The key under which a task's one question is asked."""

FIELDS = ("id", "family", "state", "question", "labels", "expected", "split", "group", "provenance")

_NOUL = {"yes": "true", "no": "false"}
_NOUL_LABEL = {answer: label for label, answer in _NOUL.items()}


@dataclass(frozen=True)
class Task:
    """One question about one state, with the labels a model may answer with and the one that is right.

    ``labels`` are in the record's order, as text; ``expected`` is one of them, or None where the answer is not known.
    Tasks of one ``group`` ask the same in other words. ``private`` tasks belong to a split of which no text may leave
    the machine. ``case`` is equal for tasks about one state: their answers are not independent of each other.
    """

    id: str
    family: str
    state: JSON
    question: Question
    labels: tuple[str, ...]
    expected: str | None = None
    split: str = PUBLIC
    group: str | None = None
    provenance: JSON = None
    private: bool = False
    case: str = ""

    def __repr__(self) -> str:
        """Without any text: a task may be shown where an error is told."""
        return f"Task({self.id!r}, {self.question.type}, split={self.split!r})"

    def request(self) -> Request:
        """What a model is asked: the state and the one question, nothing of the record beside them."""
        return Request(self.state, {QUESTION_KEY: self.question})

    def to_json(self) -> dict[str, JSON]:
        """The record as its file holds it, every field present: what the hash of a data set is taken over."""
        return {
            "id": self.id,
            "family": self.family,
            "state": self.state,
            "question": self.question.to_json(),
            "labels": [_written(self.question, label) for label in self.labels],
            "expected": None if self.expected is None else _written(self.question, self.expected),
            "split": self.split,
            "group": self.group,
            "provenance": self.provenance,
        }

    def answer_id(self, label: str) -> str:
        """The answer id of :func:`~pytest_jevbench.questions.answer_ids` for one of the labels."""
        return _NOUL[label] if isinstance(self.question, Noul) else label

    def label(self, answer: str) -> str:
        """The label for an answer id."""
        return _NOUL_LABEL[answer] if isinstance(self.question, Noul) else answer

    def by_label(self, distribution: Mapping[str, float]) -> dict[str, float]:
        """A distribution over answer ids as one over the exact labels, in their order."""
        return {label: distribution[self.answer_id(label)] for label in self.labels}


def exact_labels(question: Question) -> tuple[str, ...]:
    """The labels of a question in their usual order, as text."""
    return ("no", "yes") if isinstance(question, Noul) else answer_ids(question)


def _written(question: Question, label: str) -> JSON:
    return int(label) if isinstance(question, Score) else label
