"""What is fixed of a case before any text: facts, mentions, document, questions and gold answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from pytest_jevbench.datagen.domain import MENTIONS, BankQuestion, Domain, FactValue, Mention, value_name
from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.files import read_jsonl
from pytest_jevbench.json_text import JSON, dumps

__all__ = [
    "CasePlan",
    "Gold",
    "PlannedFact",
    "PlannedQuestion",
    "askable",
    "gold_of",
    "read_plans",
    "to_json",
    "write_plans",
]

Gold: TypeAlias = bool | int | str
"""The answer of a Noul (true or false), a Score (the level's index) or a Choice (the option's id)."""


@dataclass(frozen=True, slots=True)
class PlannedFact:
    """A fact of a case. ``value`` is None where it does not apply; then it is not mentioned either."""

    value: FactValue | None
    mention: Mention

    @property
    def stated(self) -> bool:
        """Whether the text gives it, outright or by implication."""
        return self.value is not None and self.mention != "absent"


@dataclass(frozen=True, slots=True)
class PlannedQuestion:
    """A question asked of a case, the order of its options (a Choice alone) and its gold answer."""

    key: str
    order: tuple[str, ...]
    gold: Gold


@dataclass(frozen=True)
class CasePlan:
    """The plan of one case."""

    id: str
    archetype: str
    style: str
    length: str
    voice: str
    detail: str
    facts: Mapping[str, PlannedFact]
    questions: tuple[PlannedQuestion, ...]


def askable(question: BankQuestion, domain: Domain, facts: Mapping[str, PlannedFact]) -> bool:
    """Whether a text with these facts answers the question: each required fact is given, or silence tells its value."""
    for name in question.requires:
        fact, unsaid = facts[name], domain.facts[name].unsaid
        if not fact.stated and (fact.value is None or value_name(fact.value) != unsaid):
            return False
    return question.ask_if is None or question.ask_if.holds(facts)


def gold_of(question: BankQuestion, facts: Mapping[str, PlannedFact]) -> Gold:
    """The gold answer by the question's rule."""
    rule = question.answer
    if question.type == "noul":
        condition = rule.branches[0][1]
        return condition is not None and condition.holds(facts)
    answer = str(facts[rule.fact].value) if rule.fact else _first(rule.branches, facts)
    return int(answer) if question.type == "score" else answer


def _first(branches: Iterable[tuple[str, Any]], facts: Mapping[str, PlannedFact]) -> str:
    return next(answer for answer, condition in branches if condition is None or condition.holds(facts))


def to_json(plan: CasePlan) -> dict[str, JSON]:
    """The line of ``plans.jsonl``."""
    return {
        "case": plan.id,
        "archetype": plan.archetype,
        "style": plan.style,
        "length": plan.length,
        "voice": plan.voice,
        "detail": plan.detail,
        "facts": {name: {"value": fact.value, "mention": fact.mention} for name, fact in plan.facts.items()},
        "questions": [
            {"key": asked.key, **({"options": list(asked.order)} if asked.order else {}), "gold": asked.gold}
            for asked in plan.questions
        ],
    }


def write_plans(plans: Iterable[CasePlan]) -> str:
    """The lines of ``plans.jsonl``."""
    return "".join(dumps(to_json(plan)) + "\n" for plan in plans)


def read_plans(path: Path, domain: Domain, *, questions: bool = True) -> tuple[CasePlan, ...]:
    """The plans of a file, checked against the domain. Raises :class:`InputError` naming the line.

    Without ``questions`` those of the file are passed over: the domain may have lost some of them.
    """
    if not path.exists():
        raise InputError("there are no plans yet", place=Place(path), advice="Run `datagen plan` first")
    return tuple(_from_row(row, domain, place, questions) for place, row in read_jsonl(path))


def _from_row(row: Any, domain: Domain, place: Place, questions: bool) -> CasePlan:
    try:
        plan = CasePlan(
            id=row["case"],
            archetype=row["archetype"],
            style=row["style"],
            length=row["length"],
            voice=row["voice"],
            detail=row["detail"],
            facts={name: PlannedFact(fact["value"], fact["mention"]) for name, fact in row["facts"].items()},
            questions=tuple(
                PlannedQuestion(q["key"], tuple(q.get("options", ())), q["gold"])
                for q in (row["questions"] if questions else ())
            ),
        )
    except (KeyError, TypeError, AttributeError) as error:
        raise InputError(
            f"not a plan ({error})", place=place, advice="Plans are written by `datagen plan` alone"
        ) from None
    _still_fits(plan, domain, place)
    return plan


def _still_fits(plan: CasePlan, domain: Domain, place: Place) -> None:
    known: tuple[tuple[str, str, Mapping[str, object]], ...] = (
        ("archetype", plan.archetype, domain.archetypes),
        ("style", plan.style, domain.styles),
        ("length", plan.length, domain.lengths),
        *(("fact", name, domain.facts) for name in plan.facts),
    )
    for what, name, declared in known:
        if name not in declared:
            raise _changed(f"the {what} {name!r} is no longer in the domain", place)
    for asked in plan.questions:
        if asked.key not in domain.questions:
            raise InputError(
                f"the question {asked.key!r} is no longer in the domain",
                place=place,
                advice="Run `datagen plan --keep-facts` to choose the questions again for the same texts",
            )
    for name in domain.facts:
        if name not in plan.facts:
            raise _changed(f"the fact {name!r} was added after the case was planned", place)
    for name, fact in plan.facts.items():
        if fact.mention not in MENTIONS or not _is_value(fact.value, name, domain):
            raise _changed(f"the fact {name!r} has a value or mention that the domain does not know", place)
        ranges = domain.ranges_of(name, plan.archetype)
        if ranges and isinstance(fact.value, int) and not any(low <= fact.value <= high for low, high in ranges):
            told = " or ".join(f"{low}..{high}" for low, high in ranges)
            raise _changed(f"the fact {name!r} of {plan.id} is {fact.value}, outside its range {told}", place)


def _is_value(value: object, name: str, domain: Domain) -> bool:
    fact = domain.facts[name]
    if value is None:
        return True
    if fact.kind == "boolean":
        return isinstance(value, bool)
    if fact.kind == "integer":
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, str) and (fact.kind == "name" or value in fact.wordings)


def _changed(problem: str, place: Place) -> InputError:
    return InputError(
        problem,
        place=place,
        advice="Undo the change of the domain file, or plan anew; texts that exist must then be written again",
    )
