"""Which facts a text of a given length is asked to tell.

A document of a hundred words that tells fifteen facts reads like a list. What no question of the case needs is left out
until the rest fits the length; in long texts it stays, as it would in a real document.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_jevbench.datagen.domain import Archetype, Domain, LengthBand
from pytest_jevbench.datagen.planned import PlannedFact, PlannedQuestion

__all__ = ["crowding", "pruned"]

WORDS_A_FACT = 13
"""The words that a document of average prose spends on one fact."""


def crowding(facts: Mapping[str, PlannedFact], band: LengthBand) -> int:
    """How many facts too many are told for a text of the band's greatest length."""
    return max(0, sum(fact.stated for fact in facts.values()) - band.high // WORDS_A_FACT)


def pruned(
    domain: Domain,
    archetype: Archetype,
    facts: Mapping[str, PlannedFact],
    questions: Sequence[PlannedQuestion],
    band: LengthBand,
) -> dict[str, PlannedFact]:
    """The facts with as many left out as are too many for the band, the domain's last ones first.

    Names, what the archetype fixes, what the questions need and what these depend on stay, and one stated integer with
    a threshold.
    """
    kept = _needed(domain, archetype, questions)
    result = dict(facts)
    surplus = crowding(facts, band)
    for name in reversed(tuple(facts)):
        if surplus <= 0:
            break
        if result[name].stated and name not in kept and not _last_threshold(domain, result, name):
            result[name] = PlannedFact(facts[name].value, "absent")
            surplus -= 1
            surplus -= _silence_dependants(domain, result, name, kept)
    return result


def _needed(domain: Domain, archetype: Archetype, questions: Sequence[PlannedQuestion]) -> set[str]:
    needed = {name for name, fact in domain.facts.items() if fact.kind == "name"}
    needed |= {name for name, told in archetype.facts.items() if sum(map(bool, told.weights.values())) == 1}
    for asked in questions:
        question = domain.questions[asked.key]
        needed |= {*question.requires, *question.answer.facts, *(question.ask_if.facts if question.ask_if else ())}
    for name in reversed(tuple(domain.facts)):
        rule = domain.facts[name].only_if
        if name in needed and rule is not None:
            needed |= set(rule.facts)
    return needed


def _last_threshold(domain: Domain, facts: Mapping[str, PlannedFact], name: str) -> bool:
    stated = [n for n, fact in facts.items() if domain.facts[n].threshold and fact.mention == "explicit"]
    return stated == [name]


def _silence_dependants(domain: Domain, facts: dict[str, PlannedFact], name: str, kept: set[str]) -> int:
    """What applies only because of a fact that is no longer told is not told either."""
    silenced = 0
    for other, fact in domain.facts.items():
        depends = fact.only_if is not None and name in fact.only_if.facts
        if depends and facts[other].stated and other not in kept and not _last_threshold(domain, facts, other):
            facts[other] = PlannedFact(facts[other].value, "absent")
            silenced += 1
    return silenced
