"""Which planned cases become cases of a suite, and the lines that a suite's files hold of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_jevbench.datagen.domain import Domain
from pytest_jevbench.datagen.folders import DomainFolder
from pytest_jevbench.datagen.planned import CasePlan, Gold, PlannedQuestion, askable, gold_of
from pytest_jevbench.datagen.reviews import Reviews, gold_item, read_reviews, rewrite_item, text_item
from pytest_jevbench.datagen.rewrite_rows import rewrite_rows
from pytest_jevbench.datagen.states import Draft, form_problems, nearest, read_draft, shingles
from pytest_jevbench.datagen.verification import read_verification
from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import JSON

__all__ = [
    "MOST_ALIKE",
    "Assembly",
    "Dropped",
    "KeptCase",
    "assemble",
    "case_line",
    "facts_line",
    "gold_line",
    "rewrite_lines",
]

MOST_ALIKE = 0.2
"""The largest Jaccard similarity of word 5-grams between two texts of a suite."""


@dataclass(frozen=True, slots=True)
class KeptCase:
    """A case of the suite. ``likeness`` is the nearest case before it and how near it is."""

    plan: CasePlan
    draft: Draft
    likeness: tuple[str, float]


@dataclass(frozen=True, slots=True)
class Dropped:
    """A planned case that is not used, and why."""

    case: str
    reason: str


@dataclass(frozen=True)
class Assembly:
    """One domain's part of a suite."""

    domain: Domain
    reviews: Reviews
    kept: tuple[KeptCase, ...]
    dropped: tuple[Dropped, ...]


def assemble(folders: Sequence[DomainFolder], cases: int | None, *, verified: bool = True) -> tuple[Assembly, ...]:
    """The first ``cases`` usable cases of every domain, in the order of the plans (all of them for None).

    A case is used if its text has the right form and length, was verified as it stands (unless ``verified`` is
    False), was not rejected by a reader and is not too near to a case before it, of any of the domains. Raises
    :class:`InputError` for a domain that is given twice.
    """
    seen: list[tuple[str, frozenset[tuple[str, ...]]]] = []
    result = []
    domains: dict[str, DomainFolder] = {}
    for folder in folders:
        domain = folder.domain()
        if domain.name in domains:
            raise InputError(
                f"the domain {domain.name} is given twice, and {domains[domain.name].path} was first",
                place=Place(folder.path),
                advice="Give each domain once",
            )
        domains[domain.name] = folder
        reviews = read_reviews(folder.review)
        kept: list[KeptCase] = []
        dropped: list[Dropped] = []
        for plan, draft, reason in _judged(folder, domain, reviews, verified):
            if cases is not None and len(kept) == cases:
                dropped.append(Dropped(plan.id, reason or "spare"))
                continue
            if draft is None or reason:
                dropped.append(Dropped(plan.id, reason))
                continue
            grams = shingles(draft)
            likeness = nearest(grams, seen)
            if likeness[1] > MOST_ALIKE:
                dropped.append(Dropped(plan.id, f"too near to {likeness[0]} (Jaccard {likeness[1]:.3f})"))
                continue
            seen.append((plan.id, grams))
            kept.append(KeptCase(plan, draft, likeness))
        result.append(Assembly(domain, reviews, tuple(kept), tuple(dropped)))
    return tuple(result)


def _judged(
    folder: DomainFolder, domain: Domain, reviews: Reviews, verified: bool
) -> Iterator[tuple[CasePlan, Draft | None, str]]:
    rows = read_verification(folder.verification)
    for plan in folder.planned(domain):
        _refuse_changed_answers(folder, domain, plan)
        path = folder.draft(domain, plan)
        if not path.exists():
            yield plan, None, "no text"
            continue
        try:
            draft = read_draft(path)
        except InputError as error:
            yield plan, None, str(error)
            continue
        problems = form_problems(draft, domain.lengths[plan.length], domain.styles[plan.style].form)
        row = rows.get(plan.id)
        if verified and (row is None or not row.fits(plan, draft)):
            problems.append("not verified as it stands; run `datagen verify`")
        elif verified and row is not None and row.verdict != "accepted":
            problems.append(f"{row.verdict}: {'; '.join(row.problems)}")
        if reviews.of(text_item(plan, draft)) is False:
            problems.append("rejected by a reader")
        yield plan, draft, "; ".join(problems)


def _refuse_changed_answers(folder: DomainFolder, domain: Domain, plan: CasePlan) -> None:
    """A plan whose questions the domain file would now answer otherwise is not to be frozen."""
    for asked in plan.questions:
        question = domain.questions[asked.key]
        options = sorted(asked.order) == sorted(question.options) if question.type == "choice" else not asked.order
        if not (askable(question, domain, plan.facts) and gold_of(question, plan.facts) == asked.gold and options):
            raise InputError(
                f"{plan.id}: the question {asked.key} has another rule or other options than when it was planned",
                place=Place(folder.plans),
                advice="Run `datagen plan --keep-facts` to choose the questions again for the same texts",
            )


def case_line(domain: Domain, case: KeptCase) -> dict[str, JSON]:
    """The line of ``cases.jsonl``."""
    plan = case.plan
    questions = {q.key: domain.questions[q.key].question(q.order).to_json() for q in plan.questions}
    hierarchies: dict[str, JSON] = {
        q.key: [
            {block: list(ids) for block, ids in grouping.items()} for grouping in domain.questions[q.key].hierarchies
        ]
        for q in plan.questions
        if domain.questions[q.key].hierarchies
    }
    thresholds: list[JSON] = [
        {"subject": domain.facts[name].threshold, "value": fact.value}
        for name, fact in plan.facts.items()
        if domain.facts[name].threshold and fact.mention == "explicit"
    ]
    return {
        "id": plan.id,
        "state": case.draft.state,
        "questions": questions,
        "source": "written from planned facts",
        "domain": domain.name,
        "thresholds": thresholds,
        "hierarchies": hierarchies,
    }


def gold_line(assembly: Assembly, case: KeptCase) -> dict[str, JSON]:
    """The line of ``gold.jsonl``: null where a reader of the text rejected the answer."""
    answers: dict[str, JSON] = {}
    for asked in case.plan.questions:
        answers[asked.key] = confirmed_gold(assembly, case, asked)
    return {"case": case.plan.id, "answers": answers}


def confirmed_gold(assembly: Assembly, case: KeptCase, asked: PlannedQuestion) -> Gold | None:
    """A gold answer, or None where a reader rejected it."""
    item = gold_item(case.plan, asked, assembly.domain.questions[asked.key], case.draft)
    return None if assembly.reviews.of(item) is False else asked.gold


def facts_line(case: KeptCase) -> dict[str, JSON]:
    """The line of ``facts.jsonl``: what was planned of a case."""
    plan = case.plan
    return {
        "case": plan.id,
        "archetype": plan.archetype,
        "style": plan.style,
        "length": plan.length,
        "facts": {name: {"value": fact.value, "mention": fact.mention} for name, fact in plan.facts.items()},
    }


def rewrite_lines(assembly: Assembly) -> list[dict[str, JSON]]:
    """The lines of ``rewrites.jsonl`` of one domain: the rewrites of every question that is asked."""
    orders: dict[str, list[tuple[str, ...]]] = {}
    for case in assembly.kept:
        for asked in case.plan.questions:
            orders.setdefault(asked.key, []).append(asked.order)
    lines = []
    for key, question in assembly.domain.questions.items():
        if key not in orders:
            continue
        audits = {row.id: assembly.reviews.of(rewrite_item(row)) for row in rewrite_rows(question)}
        lines += [row.to_json(audits[row.id]) for row in rewrite_rows(question, orders[key])]
    return lines
