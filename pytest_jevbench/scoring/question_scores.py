"""The same outcomes by question: which question of a schema breaks which laws, and how often a decision turns on it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from pytest_jevbench.runs.results import TestId, TestResult
from pytest_jevbench.scoring.relation_scores import ScoreSettings, is_violated

__all__ = ["BrokenLaw", "QuestionScore", "score_questions"]


@dataclass(frozen=True, slots=True)
class BrokenLaw:
    """A relation that a question breaks: ``violated`` of ``measured`` outcomes, and the test that breaks it most.

    ``deviation`` is that test's; None where it was not finite.
    """

    relation: str
    measured: int
    violated: int
    flips: int
    worst: TestId
    deviation: float | None


@dataclass(frozen=True, slots=True)
class QuestionScore:
    """What was measured of a question in all cases that ask it.

    An outcome that compares several questions counts for each. ``decisions`` are the outcomes that are about a
    decision, ``flips`` those in which it changed: software would have acted otherwise. ``laws`` are the broken ones,
    most flips first.
    """

    key: str
    cases: int
    measured: int
    violated: int
    decisions: int
    flips: int
    laws: tuple[BrokenLaw, ...]

    @property
    def violation_rate(self) -> float:
        return self.violated / self.measured

    @property
    def flip_rate(self) -> float | None:
        """Flips as a share of the decisions; None where no law is about one."""
        return self.flips / self.decisions if self.decisions else None


@dataclass
class _Tally:
    cases: set[str] = field(default_factory=set)
    measured: int = 0
    violated: int = 0
    decisions: int = 0
    flips: int = 0
    laws: dict[str, _Law] = field(default_factory=dict)


@dataclass
class _Law:
    measured: int = 0
    violated: int = 0
    flips: int = 0
    worst: tuple[float, TestId, float | None] | None = None


def score_questions(results: Iterable[TestResult], settings: ScoreSettings) -> list[QuestionScore]:
    """The questions by key, those first on which most decisions change, then those that break most laws.

    Equal ones stay in the order in which they were met. Tests that were not judged are left out.
    """
    tallies: dict[str, _Tally] = {}
    for result in results:
        if not result.judged:
            continue
        for outcome in result.outcomes:
            violated = is_violated(outcome, settings)
            for key in outcome.targets or (result.id.key,):
                tally = tallies.setdefault(key, _Tally())
                law = tally.laws.setdefault(result.id.relation, _Law())
                tally.cases.add(result.id.case_id)
                for counts in (tally, law):
                    counts.measured += 1
                    counts.violated += violated
                    counts.flips += outcome.flip is True
                tally.decisions += outcome.flip is not None
                past = float("inf") if outcome.deviation is None else outcome.deviation
                if violated and (law.worst is None or past > law.worst[0]):
                    law.worst = (past, result.id, outcome.deviation)
    scores = [_score(key, tally) for key, tally in tallies.items()]
    return sorted(scores, key=lambda score: (-(score.flip_rate or 0.0), -score.violation_rate))


def _score(key: str, tally: _Tally) -> QuestionScore:
    laws = [
        BrokenLaw(name, law.measured, law.violated, law.flips, law.worst[1], law.worst[2])
        for name, law in tally.laws.items()
        if law.worst is not None
    ]
    laws.sort(key=lambda law: (-law.flips, -law.violated / law.measured, -(law.deviation or float("inf"))))
    return QuestionScore(
        key, len(tally.cases), tally.measured, tally.violated, tally.decisions, tally.flips, tuple(laws)
    )
