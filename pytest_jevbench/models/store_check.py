"""Whether the stored answers are still those of the model that answers now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_jevbench.answers import read_answers
from pytest_jevbench.distributions import total_variation
from pytest_jevbench.json_text import shown
from pytest_jevbench.models.model_answers import ModelAnswers
from pytest_jevbench.models.private_store import PrivateAnswers
from pytest_jevbench.models.protocol import Reply
from pytest_jevbench.questions import Question, Request

__all__ = ["Drift", "check_first_reply", "drift"]


@dataclass(frozen=True, slots=True)
class Drift:
    """How far a fresh reply is from the stored one, on the question where it is furthest.

    ``distance`` is the total variation, 1 where one of the two is no valid answer; ``noise`` the largest distance
    between any two stored repeats of one question, 0 without repeats; ``limit`` what is allowed.
    """

    key: str
    distance: float
    noise: float
    limit: float

    @property
    def exceeded(self) -> bool:
        """Whether the stored answers must be taken for those of another model."""
        return self.distance > self.limit + 1e-9

    def __str__(self) -> str:
        return (
            f"the model's answer to {shown(self.key)} is {self.distance:.4g} away from the stored one, and at most "
            f"{self.limit:.4g} is allowed: the stored answers are those of another model. Ask everything again with "
            "--jevbench-refresh, name this version with --jevbench-revision, or name another file with --jevbench-store"
        )


def check_first_reply(
    answers: ModelAnswers | PrivateAnswers, request: Request, fresh: Reply, tolerance: float
) -> Drift | None:
    """Compare the fresh reply to a run's first request with what is stored for it.

    None where nothing is stored: then the fresh reply is kept. Otherwise the stored one stays, so that a run that goes
    on from the store gives the same card.
    """
    stored = answers.repeats(request)
    if not stored:
        answers.put(request, fresh)
        return None
    return drift(request.questions, fresh, stored, tolerance)


def drift(questions: Mapping[str, Question], fresh: Reply, stored: Sequence[Reply], tolerance: float) -> Drift:
    """The distance of a fresh reply from the first of the stored repeats, limit max(tolerance, 2 × noise)."""
    read = [read_answers(questions, reply.answers) for reply in (fresh, *stored)]
    noise = 0.0
    worst, distance = "", 0.0
    for key in questions:
        now, *before = [reply[key].distribution for reply in read]
        noise = max([noise, *(_distance(p, q) for i, p in enumerate(before) for q in before[:i])])
        if (away := _distance(now, before[0])) > distance or not worst:
            worst, distance = key, away
    return Drift(worst, distance, noise, max(tolerance, 2.0 * noise))


def _distance(p: Mapping[str, float] | None, q: Mapping[str, float] | None) -> float:
    if p is None or q is None:
        return float((p is None) != (q is None))
    return total_variation(p, q)
