"""Counts of what the cases planned so far hold, and what is due next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from pytest_jevbench.datagen.domain import Domain, value_name
from pytest_jevbench.datagen.planned import CasePlan, Gold, PlannedFact
from pytest_jevbench.relations.draws import Draw

__all__ = ["TYPE_SHARES", "Tally"]

TYPE_SHARES: Mapping[str, float] = {"noul": 0.60, "choice": 0.27, "score": 0.13}
"""The shares of question types that the cases of a suite aim at."""


class Tally:
    """The running counts of one planning run."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.cases = 0
        self.frames: Counter[tuple[str, str]] = Counter()
        self.pairs: Counter[tuple[str, str, str]] = Counter()
        self.types: Counter[str] = Counter()
        self.sizes: Counter[int] = Counter()
        self.asked: Counter[str] = Counter()
        self.golds: Counter[tuple[str, Gold]] = Counter()
        self.nouls: Counter[bool] = Counter()
        self.positions: Counter[tuple[int, int]] = Counter()
        self.values: Counter[tuple[str, str]] = Counter()
        self.applied: Counter[str] = Counter()

    def most_due(self, axis: str, weights: Mapping[str, int], draw: Draw, beside: str = "") -> str:
        """The item furthest behind its share; a pair with ``beside`` that was there before counts against it.

        Ties are drawn.
        """
        total = sum(weights.values()) or 1

        def behind(name: str) -> float:
            share = weights[name] / total
            used = self.frames[axis, name]
            return share * (self.cases + 1) - used - 0.5 * self.pairs[axis, name, beside] if share else float("-inf")

        most = max(behind(name) for name in weights)
        chosen = draw.choose([name for name in weights if behind(name) >= most - 1e-9])
        self.frames[axis, chosen] += 1
        self.pairs[axis, chosen, beside] += 1
        return chosen

    def question_cost(self, key: str, gold: Gold) -> float:
        """How much a question with this answer would unbalance the cases so far; low is good."""
        question = self.domain.questions[key]
        answers = 2 if question.type == "noul" else len(question.options)
        asked = self.asked[key]
        cost = asked + 1.5 * (self.golds[key, gold] - asked / answers)
        if question.type == "noul":
            cost += 0.25 * (self.nouls[gold is True] - self.nouls[gold is not True])
        return cost

    def fact_cost(self, facts: Mapping[str, PlannedFact]) -> float:
        """How much the values would repeat those of the cases so far, a twentieth of a question's weight each."""
        cost = 0.0
        for name, fact in facts.items():
            declared = self.domain.facts[name]
            if fact.value is not None and declared.kind in ("boolean", "enum"):
                even = self.applied[name] / len(declared.wordings)
                cost += self.values[name, value_name(fact.value)] - even
        return cost / 20

    def emptiest_position(self, options: int, draw: Draw) -> int:
        """The position where the fewest correct options of so long a Choice have stood; ties are drawn."""
        least = min(self.positions[options, place] for place in range(options))
        return draw.choose([p for p in range(options) if self.positions[options, p] == least])

    def place(self, options: int, position: int) -> None:
        """Note that a correct option stands there."""
        self.positions[options, position] += 1

    def add(self, plan: CasePlan) -> None:
        """Count a finished plan."""
        self.cases += 1
        self.sizes[len(plan.questions)] += 1
        for asked in plan.questions:
            kind = self.domain.questions[asked.key].type
            self.types[kind] += 1
            self.asked[asked.key] += 1
            self.golds[asked.key, asked.gold] += 1
            if kind == "noul":
                self.nouls[asked.gold is True] += 1
        for name, fact in plan.facts.items():
            if fact.value is not None:
                self.applied[name] += 1
                self.values[name, value_name(fact.value)] += 1
