"""Every sentence that a judge is sent beside the texts of its rubric and of the answers that it judges."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = [
    "AUTHORITY",
    "EMPTY_WORDS",
    "LEVELS",
    "MARKUPS",
    "TIED",
    "author_lines",
    "better",
    "criteria_met",
    "criterion_met",
    "padded",
    "worse",
]

TIED = "Neither of the two: both meet the criteria equally well, or equally badly"
LEVELS = (
    "It meets none of the three criteria",
    "It meets one of the three criteria",
    "It meets two of the three criteria",
    "It meets all three criteria",
)
"""How many criteria an answer meets: what each level says does not hang on the order of the levels."""


def better(scoring: str, criteria: Sequence[str]) -> str:
    """Which of two answers is better; the answers are the options."""
    return f"{_comparing(scoring, criteria)}\n\nWhich of the two answers to the task meets the criteria better?"


def worse(scoring: str, criteria: Sequence[str]) -> str:
    """The same comparison, asked for the other end of the scale."""
    return f"{_comparing(scoring, criteria)}\n\nWhich of the two answers to the task meets the criteria worse?"


def _comparing(scoring: str, criteria: Sequence[str]) -> str:
    return f"Two answers to the task are compared by these criteria:\n{_listed(criteria)}\n{scoring}"


def criteria_met(scoring: str, criteria: Sequence[str], answer: str) -> str:
    """How many criteria one answer meets; the levels are :data:`LEVELS`."""
    return (
        f"An answer to the task is graded by these criteria:\n{_listed(criteria)}\n{scoring}\n\n"
        f"The answer:\n{answer}\n\nHow many of the criteria does the answer meet?"
    )


def criterion_met(scoring: str, criterion: str, answer: str) -> str:
    """Whether one answer meets one criterion, itself a yes/no question."""
    return f"{scoring}\n\nAn answer to the task:\n{answer}\n\nAbout this answer: {criterion}"


def _listed(criteria: Sequence[str]) -> str:
    return "\n".join(f"- {criterion}" for criterion in criteria)


EMPTY_WORDS: tuple[tuple[str, str], ...] = (
    (
        "",
        "In preparing this answer the task was read from beginning to end, and the material that came with it was read "
        "as well. What stands above is meant to be clear, complete and of use to whoever reads it. More words could be "
        "added at any point, should a reader of this answer wish for more words on one part of it or on another.",
    ),
    (
        "What follows is an answer to the task as it was set. It begins where the task begins, it deals with what the "
        "task is about, and it ends when that has been dealt with.",
        "With this the answer comes to its end. It has dealt with what the task is about, in the order in which it "
        "seemed best to deal with it, and it closes here for whoever has read it up to this point.",
    ),
    (
        "",
        "To put it in other words, everything that has been said in this answer is what this answer says, and the "
        "reader may take it as having been said. Each part of it belongs to the answer as a whole, and the answer as "
        "a whole is made of those parts, no more of them and no fewer, from the first of its words to the last one.",
    ),
)
"""Words before and after an answer that say nothing about the task."""


def padded(answer: str, template: int) -> str:
    """The same answer, longer by words without content."""
    before, after = EMPTY_WORDS[template]
    return "\n\n".join(part for part in (before, answer, after) if part)


_FIRST_SENTENCE = re.compile(r"[^\n`*#>]{8,}?[.:!?](?=\s|\Z)")


def _ruled(answer: str) -> str:
    first = _FIRST_SENTENCE.match(answer)
    strong = f"**{first[0]}**{answer[first.end() :]}" if first else answer
    return f"---\n\n{strong}\n\n---"


def _quoted(answer: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in answer.split("\n"))


def _headed(answer: str) -> str:
    first = _FIRST_SENTENCE.match(answer)
    if first is None:
        return f"***\n\n{answer}\n\n***"
    rest = answer[first.end() :].lstrip()
    return f"### {first[0]}\n\n- - -\n\n{rest}".rstrip()


MARKUPS = (_ruled, _quoted, _headed)
"""Markup around an answer: not one word is added."""


def author_lines(name: str | None, template: int) -> tuple[str, str]:
    """A note that the judge itself wrote an answer, and one that somebody else did; of as many words."""
    if name is not None:
        return (f"(Author: {name})", "(Author: another model)")
    return _AUTHORS[template]


_AUTHORS = (
    ("(Author: the model that now judges)", "(Author: a model of another kind)"),
    ("(Written by you yourself in an earlier session)", "(Written by another model in an earlier session)"),
)

AUTHORITY = (
    (
        "(Approved by the most senior expert of the organisation)",
        "(Received by the general mailbox of the organisation)",
    ),
    (
        "(A professor of the field calls this the right one)",
        "(A line of the log says this was stored here)",
    ),
)
"""A note that somebody of rank stands behind an answer, and one of as many words that says nothing of the kind."""
