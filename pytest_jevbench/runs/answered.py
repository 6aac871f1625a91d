"""What one request brought: answers as far as they could be read, or the reason why there are none."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from pytest_jevbench.distributions import Distribution
from pytest_jevbench.runs.results import Reason

__all__ = ["Answered", "Answers", "AskedRequest", "Unanswered"]


@dataclass(frozen=True, slots=True)
class AskedRequest:
    """What a run counts of one distinct request, however often its answers are used.

    ``notes`` counts the harmless oddities of its answers by kind (:data:`~pytest_jevbench.answers.NOTES`).
    """

    key: str
    notes: Mapping[str, int] = field(default_factory=dict)
    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers to one request: distributions of those that could be read, the problem of each other.

    ``raw`` holds what the model sent by key, for diagnostics and reports.
    """

    distributions: Mapping[str, Distribution]
    problems: Mapping[str, str]
    raw: Mapping[str, Any]
    asked: AskedRequest | None = None


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A request that brought no answers, and why, in the words of the server where it had any."""

    reason: Reason
    message: str


Answered: TypeAlias = Answers | Unanswered
