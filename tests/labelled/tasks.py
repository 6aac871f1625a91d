"""Tasks of each type, written down here, and what the tests of labelled runs share."""

from __future__ import annotations

from pytest_jevbench.labelled.records import Task
from pytest_jevbench.questions import Choice, Noul, Score

__all__ = ["HOW", "TEAM", "YES", "many"]

YES = Task("yes", "f", "A state.", Noul("Is it?"), ("no", "yes"), "yes")
TEAM = Task(
    "team", "f", "A state.", Choice("Which?", {"a": "first", "b": "second", "c": "third"}), ("a", "b", "c"), "b"
)
HOW = Task("how", "f", "A state.", Score("How bad?", ("not", "somewhat", "very")), ("0", "1", "2"), "2")


def many(count: int, *, private: bool = False) -> tuple[Task, ...]:
    """So many yes/no tasks, ``t0`` and on; the right answer is yes."""
    split = "private" if private else "public"
    return tuple(
        Task(f"t{i}", "f", f"State {i}.", Noul("Is it?"), ("no", "yes"), "yes", split=split, private=private)
        for i in range(count)
    )
