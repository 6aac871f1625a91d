"""Which questions are asked of a case: 8 to 12, of the types that are due, with the answers that are rare so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pytest_jevbench.datagen.domain import Domain
from pytest_jevbench.datagen.planned import PlannedFact, PlannedQuestion, askable, gold_of
from pytest_jevbench.datagen.tally import TYPE_SHARES, Tally

__all__ = ["LEAST", "MOST", "Selection", "select_questions"]

LEAST, MOST = 8, 12
MINIMUM = {"noul": 4, "choice": 1, "score": 1}


@dataclass(frozen=True, slots=True)
class Selection:
    """The questions of a case, and what they cost the balance for each question."""

    questions: tuple[PlannedQuestion, ...]
    cost: float


class _Candidate(NamedTuple):
    cost: float
    place: int
    question: PlannedQuestion


def select_questions(domain: Domain, facts: Mapping[str, PlannedFact], tally: Tally) -> Selection | None:
    """The questions of a case with these facts, or None where some relation would find none to apply to."""
    if not any(facts[name].mention == "explicit" for name, fact in domain.facts.items() if fact.threshold):
        return None
    by_type: dict[str, list[_Candidate]] = {kind: [] for kind in TYPE_SHARES}
    for place, (key, question) in enumerate(domain.questions.items()):
        if askable(question, domain, facts):
            gold = gold_of(question, facts)
            cost = tally.question_cost(key, gold)
            by_type[question.type].append(_Candidate(cost, place, PlannedQuestion(key, (), gold)))
    for candidates in by_type.values():
        candidates.sort(key=lambda c: (c.cost, c.place))
    grouped = [c for c in by_type["choice"] if _is_grouped(domain, c.question.key)]
    counts = _counts(tally, {kind: len(candidates) for kind, candidates in by_type.items()})
    if counts is None or not grouped:
        return None
    chosen = [c for kind, n in counts.items() for c in by_type[kind][:n]]
    if not any(c in chosen for c in grouped):
        chosen.remove(by_type["choice"][counts["choice"] - 1])
        chosen.append(grouped[0])
    return Selection(tuple(c.question for c in chosen), sum(c.cost for c in chosen) / len(chosen))


def _is_grouped(domain: Domain, key: str) -> bool:
    question = domain.questions[key]
    return len(question.options) >= 4 and bool(question.hierarchies)


def _counts(tally: Tally, there: Mapping[str, int]) -> dict[str, int] | None:
    """How many questions of each type: the sizes 8 to 12 in turn, the shares of types as near as can be."""
    best: tuple[tuple[float, ...], dict[str, int]] | None = None
    total = sum(tally.types.values())
    for size in range(LEAST, MOST + 1):
        for nouls in range(MINIMUM["noul"], min(size, there["noul"]) + 1):
            for choices in range(MINIMUM["choice"], min(size - nouls, there["choice"]) + 1):
                counts = {"noul": nouls, "choice": choices, "score": size - nouls - choices}
                if not MINIMUM["score"] <= counts["score"] <= there["score"]:
                    continue
                off = [abs(tally.types[k] + counts[k] - share * (total + size)) for k, share in TYPE_SHARES.items()]
                rank = (float(tally.sizes[size]) + _sum(off), _sum(off), float(size))
                if best is None or rank < best[0]:
                    best = rank, counts
    return best[1] if best else None


def _sum(values: Sequence[float]) -> float:
    return round(sum(values), 9)
