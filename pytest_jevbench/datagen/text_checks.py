"""The offline check: the planned facts of a case against the words of its text, by the domain's own patterns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pytest_jevbench.datagen.domain import Domain, Fact, value_name
from pytest_jevbench.datagen.patterns import found, plain_text
from pytest_jevbench.datagen.planned import CasePlan, PlannedFact

__all__ = ["Finding", "check_text"]

MOST_LISTED = 5
"""So many patterns are shown where none of them was found."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A planned fact that a text does not give as planned."""

    fact: str
    planned: str
    problem: str

    def __str__(self) -> str:
        return f"{self.fact} ({self.planned}): {self.problem}"


def check_text(domain: Domain, plan: CasePlan, text: str) -> tuple[list[Finding], list[str]]:
    """The mismatches of a text, and the facts that no pattern can check (a tone, say)."""
    plain = plain_text(text)
    findings: list[Finding] = []
    unchecked: list[str] = []
    for name, fact in plan.facts.items():
        if fact.value is None:
            continue
        declared = domain.facts[name]
        problems = list(_absent(declared, plain) if fact.mention == "absent" else _stated(declared, fact, plain))
        findings += [Finding(name, planned_as(fact), problem) for problem in problems]
        if not _patterns(declared, fact):
            unchecked.append(name)
    return findings, unchecked


def planned_as(fact: PlannedFact) -> str:
    """A planned fact in three words: ``seats = 12, explicit``."""
    value = "" if fact.value is None else value_name(fact.value)
    return f"{value}, {fact.mention}"


def _patterns(declared: Fact, fact: PlannedFact) -> tuple[str, ...]:
    assert fact.value is not None
    wording = declared.wording(fact.value)
    if fact.mention == "absent":
        return declared.forbidden
    return (*wording.explicit, *(wording.implied if fact.mention == "implied" else ()), *wording.against)


def _absent(declared: Fact, text: str) -> Iterator[str]:
    for pattern in declared.forbidden:
        hit = found(pattern, None, text)
        if hit is not None:
            yield f"is to be absent, and the text says `{hit}`"


def _stated(declared: Fact, fact: PlannedFact, text: str) -> Iterator[str]:
    assert fact.value is not None
    wording = declared.wording(fact.value)
    for pattern in wording.against:
        hit = found(pattern, fact.value, text)
        if hit is not None:
            yield f"the text says `{hit}` against it"
    said = next((hit for pattern in wording.explicit if (hit := found(pattern, fact.value, text)) is not None), None)
    if fact.mention == "explicit" and wording.explicit and said is None:
        yield f"is to be stated outright, and none of its patterns is found: {_listed(wording.explicit)}"
    if fact.mention == "implied":
        if said is not None:
            yield f"is to be implied, and the text says it outright: `{said}`"
        hints = [found(pattern, fact.value, text) for pattern in wording.implied]
        if hints and not any(hint is not None for hint in hints):
            yield f"is to be implied, and none of its patterns is found: {_listed(wording.implied)}"


def _listed(patterns: tuple[str, ...]) -> str:
    more = f" and {len(patterns) - MOST_LISTED} more" if len(patterns) > MOST_LISTED else ""
    return ", ".join(f"`{pattern}`" for pattern in patterns[:MOST_LISTED]) + more
