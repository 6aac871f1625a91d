"""What the writer of a text is told. Questions, options and gold answers are not among it, nor reachable from it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from pytest_jevbench.datagen.domain import Domain, value_name
from pytest_jevbench.datagen.planned import CasePlan, PlannedFact
from pytest_jevbench.errors import InputError, Place

__all__ = ["RULES", "brief_for_people", "brief_of", "check_briefs"]

RULES = (
    "Tell each point in the way the brief asks for it and invent harmless details around it. Do not copy the brief's "
    "sentences, do not list the points in its order, do not contradict any of them, and give no other quantity that "
    "could be mistaken for one of them. Use no real person, company or address."
)
"""What every writer keeps to, a model and a person alike."""
SLOT = re.compile(r"\{([a-z][a-z0-9_]*)\}")


def brief_of(domain: Domain, plan: CasePlan) -> str:
    """The brief of one case as plain text."""
    style, band = domain.styles[plan.style], domain.lengths[plan.length]
    form = "One JSON object and nothing else." if style.form == "json" else "Plain text, no Markdown."
    parts = [
        ("Setting", [domain.setting]),
        ("Document", [f"{style.brief} {form} Between {band.low} and {band.high} words."]),
        ("Situation", [domain.archetypes[plan.archetype].brief]),
        ("Voice", [plan.voice] if plan.voice else []),
        ("A detail that may come in", [plan.detail] if plan.detail else []),
        ("State outright", _told(domain, plan.facts, "explicit")),
        ("Let the reader infer, never say it in so many words", _told(domain, plan.facts, "implied")),
        ("Neither mention nor hint at", _unmentioned(domain, plan.facts)),
    ]
    return "\n\n".join(_section(title, lines) for title, lines in parts if lines) + "\n"


def brief_for_people(domain: Domain, plan: CasePlan) -> str:
    """The brief of one case with the rules that a model is given beside it."""
    return f"{brief_of(domain, plan)}\n{_section('Rules', [RULES])}\n"


def _section(title: str, lines: list[str]) -> str:
    texts = [" ".join(line.split()) for line in lines]
    return f"{title}:\n" + "\n".join(f"- {text}" if len(lines) > 1 else text for text in texts)


def _told(domain: Domain, facts: Mapping[str, PlannedFact], mention: str) -> list[str]:
    lines = []
    for name, fact in facts.items():
        if fact.value is None or fact.mention != mention:
            continue
        wording = domain.facts[name].wording(fact.value)
        hint = f" (For instance: {wording.hint})" if mention == "implied" and wording.hint else ""
        lines.append(_filled(wording.brief + hint, facts, value_name(fact.value)))
    return lines


def _unmentioned(domain: Domain, facts: Mapping[str, PlannedFact]) -> list[str]:
    return [
        domain.facts[name].about for name, fact in facts.items() if fact.mention == "absent" and fact.value is not None
    ]


def _filled(text: str, facts: Mapping[str, PlannedFact], value: str) -> str:
    def slot(match: re.Match[str]) -> str:
        if match[1] == "value":
            return value
        other = facts[match[1]].value
        return "" if other is None else value_name(other)

    return SLOT.sub(slot, text)


def check_briefs(domain: Domain) -> None:
    """Refuse a brief with a slot that is no fact. Raises :class:`InputError`."""
    for fact in domain.facts.values():
        for wording in fact.wordings.values():
            for name in SLOT.findall(wording.brief + wording.hint):
                if name != "value" and name not in domain.facts:
                    raise InputError(
                        f"the brief has a slot {{{name}}}, and there is no such fact",
                        place=Place(domain.file, None, f"facts.{fact.name}"),
                        advice="Known: {value} and the names of facts",
                    )
