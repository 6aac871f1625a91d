"""How plans are balanced, as text for the author of a domain."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from pytest_jevbench.datagen.domain import Domain
from pytest_jevbench.datagen.planned import CasePlan, Gold

__all__ = ["plan_report"]


def plan_report(domain: Domain, plans: Sequence[CasePlan]) -> str:
    """Counts over the plans: documents, mentions, question types and the answers of every question."""
    asked = [(domain.questions[q.key], q) for plan in plans for q in plan.questions]
    types = Counter(question.type for question, _ in asked)
    nouls = Counter(q.gold for question, q in asked if question.type == "noul")
    places = Counter(q.order.index(str(q.gold)) + 1 for question, q in asked if question.type == "choice")
    mentions: Counter[str] = Counter(f.mention for plan in plans for f in plan.facts.values() if f.value is not None)
    lines = [
        f"{domain.name}: {len(plans)} cases, {len(asked)} questions asked, {len(domain.questions)} in the bank",
        f"archetypes  {_counts(Counter(plan.archetype for plan in plans), domain.archetypes)}",
        f"styles      {_counts(Counter(plan.style for plan in plans), domain.styles)}",
        f"lengths     {_counts(Counter(plan.length for plan in plans), domain.lengths)}",
        f"mentions    {_counts(mentions, ('explicit', 'implied', 'absent'))}",
        "types       " + ", ".join(f"{kind} {n} ({n / len(asked):.0%})" for kind, n in types.items()),
        f"Noul golds  {nouls[True]} yes, {nouls[False]} no ({nouls[True] / (types['noul'] or 1):.0%} yes)",
        "correct option at position  " + ", ".join(f"{place}: {places[place]}" for place in sorted(places)),
        "answers of each question:",
    ]
    lines += [f"  {key:28} {_answers(domain, key, plans)}" for key in domain.questions]
    return "\n".join(lines)


def _counts(counts: Mapping[str, int], names: Mapping[str, object] | Sequence[str]) -> str:
    return ", ".join(f"{name} {counts.get(name, 0)}" for name in names)


def _answers(domain: Domain, key: str, plans: Sequence[CasePlan]) -> str:
    question = domain.questions[key]
    golds: Counter[Gold] = Counter(q.gold for plan in plans for q in plan.questions if q.key == key)
    if question.type == "noul":
        return f"{sum(golds.values()):3} asked: yes {golds[True]}, no {golds[False]}"
    order = [int(level) for level in question.options] if question.type == "score" else list(question.options)
    return f"{sum(golds.values()):3} asked: " + ", ".join(f"{answer} {golds[answer]}" for answer in order)
