"""Each planned fact against its text: by the domain's patterns, and by a chat model that is not told the
plan.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from pytest_jevbench.chat.text import Unusable, json_object
from pytest_jevbench.chat.threads import in_threads
from pytest_jevbench.chat.trouble import given_up
from pytest_jevbench.datagen.domain import Domain, Fact, value_name
from pytest_jevbench.datagen.planned import CasePlan, PlannedFact
from pytest_jevbench.datagen.states import Draft
from pytest_jevbench.datagen.text_checks import Finding, check_text, planned_as
from pytest_jevbench.datagen.verification import Verdict, Verification, facts_digest
from pytest_jevbench.errors import ModelError
from pytest_jevbench.json_text import dumps, shown

__all__ = ["Asker", "compare", "unreadable", "verify_all", "verify_offline", "verify_with_model"]

MENTION_WORDS = {"stated": "explicit", "implied": "implied", "absent": "absent"}


class Asker(Protocol):
    """Sends a system and a user message to a chat model and returns its words, or None."""

    model: str

    def __call__(self, system: str, user: str) -> str | None: ...


SYSTEM = (
    "You read one document and report what it says. For every item you are asked about, decide whether the document "
    "states it outright, only lets a careful reader infer it, or says nothing about it, and which value it gives. Rely "
    "on the document alone. Answer with one JSON object and nothing else: a field for each item, "
    '{"item": {"mention": "stated" | "implied" | "absent", "value": the value, or null where it is absent}}.'
)


def verify_offline(domain: Domain, plan: CasePlan, draft: Draft) -> Verification:
    """The verdict by patterns alone."""
    findings, unchecked = check_text(domain, plan, draft.flat)
    return _row(plan, draft, "offline", "rejected" if findings else "accepted", findings, unchecked)


def unreadable(plan: CasePlan, reason: str) -> Verification:
    """The verdict on a draft file that holds no text or record; it fits no draft."""
    return Verification(plan.id, "", facts_digest(plan), "offline", "rejected", (reason,))


def verify_with_model(domain: Domain, plan: CasePlan, draft: Draft, ask: Asker, tries: int = 2) -> Verification:
    """The verdict by patterns and by a model's blind reading; ``unread`` where it never answered usably."""
    findings, unchecked = check_text(domain, plan, draft.flat)
    problem = ""
    for _ in range(tries):
        try:
            read = json_object(ask(SYSTEM, _sheet(domain, plan, draft)))
        except Unusable as error:
            problem = str(error)
            continue
        findings += compare(domain, plan, read)
        return _row(plan, draft, ask.model, "rejected" if findings else "accepted", findings, [])
    unread = Finding("the whole text", "to be read", f"the model's answer is not usable: {problem}")
    verdict: Verdict = "rejected" if findings else "unread"
    return _row(plan, draft, ask.model, verdict, [*findings, unread], unchecked)


def verify_all(
    domain: Domain,
    work: Sequence[tuple[CasePlan, Draft]],
    readers: Sequence[Asker],
    before: Mapping[str, Verification],
    save: Callable[[Sequence[Verification]], None],
) -> list[Verification]:
    """The verdicts of a model on all drafts, one thread a reader; what it accepted before and is unchanged is
    not read again.

    ``save`` gets the rows known so far after each one. Raises :class:`ModelDown` where the model cannot be asked; what
    was read is saved.
    """

    def one(item: tuple[CasePlan, Draft], reader: Asker) -> Verification:
        plan, draft = item
        known = before.get(plan.id)
        accepted = known is not None and known.verdict == "accepted" and known.by == reader.model
        if known is not None and accepted and known.fits(plan, draft) and not check_text(domain, plan, draft.flat)[0]:
            return known
        return verify_with_model(domain, plan, draft, reader)

    rows: dict[str, Verification] = {}
    try:
        for row in in_threads(one, work, readers):
            rows[row.case] = row
            save([rows[plan.id] for plan, _ in work if plan.id in rows])
    except ModelError as error:
        raise given_up(error, readers[0].model) from None
    return [rows[plan.id] for plan, _ in work]


def _row(
    plan: CasePlan, draft: Draft, by: str, verdict: Verdict, findings: list[Finding], unchecked: list[str]
) -> Verification:
    problems = tuple(str(finding) for finding in findings)
    return Verification(plan.id, draft.digest, facts_digest(plan), by, verdict, problems, tuple(unchecked))


def _sheet(domain: Domain, plan: CasePlan, draft: Draft) -> str:
    """The items with their possible values; nothing of it tells which value or mention was planned."""
    items = {
        name: {"about": domain.facts[name].about, "value": _values(domain.facts[name])}
        for name, fact in plan.facts.items()
        if fact.value is not None
    }
    text = draft.state if isinstance(draft.state, str) else dumps(draft.state, indent=1)
    return f"The background of the document: {domain.setting}\n\nItems:\n{dumps(items, indent=1)}\n\nDocument:\n{text}"


def _values(fact: Fact) -> object:
    if fact.kind == "integer":
        return "a whole number"
    if fact.kind == "name":
        return "the name"
    return {value: " ".join(wording.brief.split()) for value, wording in fact.wordings.items()}


def compare(domain: Domain, plan: CasePlan, read: Mapping[str, Any]) -> list[Finding]:
    """The planned facts that a reading does not confirm."""
    findings = []
    for name, fact in plan.facts.items():
        if fact.value is None:
            continue
        problem = _mismatch(domain.facts[name], fact, read.get(name))
        if problem:
            findings.append(Finding(name, planned_as(fact), problem))
    return findings


def _mismatch(declared: Fact, fact: PlannedFact, read: Any) -> str:
    mention = MENTION_WORDS.get(str(read.get("mention")).lower()) if isinstance(read, Mapping) else None
    if mention is None:
        return f"the reader gave no usable answer ({shown(read)})"
    value = _named(read.get("value"))
    if fact.mention == "absent":
        if mention == "absent" or (mention == "implied" and value == declared.unsaid):
            return ""
        return f"is to be absent, and was read as {shown(value)} ({mention})"
    assert fact.value is not None
    if mention == "absent":
        return "was not found in the text"
    if value != _named(fact.value):
        return f"was read as {shown(value)}"
    return "" if mention == fact.mention else f"was read as {mention}"


def _named(value: Any) -> str:
    """A value as text that can be compared: no case, no separators of thousands in a number."""
    text = value_name(value) if isinstance(value, (bool, int, str)) else str(value)
    text = {"true": "yes", "false": "no"}.get(text.strip().casefold(), text.strip().casefold())
    digits = text.replace(",", "").replace(" ", "")
    return str(int(digits)) if digits.isascii() and digits.isdecimal() else text
