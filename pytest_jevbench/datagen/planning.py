"""Plans that are balanced: each case is the best of many drawn ones, given the cases before it.

Every draw is a function of (seed, domain, case number), so equal domains give equal plans everywhere, and asking for
more cases adds some at the end without changing those before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count as counting

from pytest_jevbench.counting import counted
from pytest_jevbench.datagen.domain import Domain
from pytest_jevbench.datagen.fact_draws import draw_facts, names_for
from pytest_jevbench.datagen.folders import DomainFolder
from pytest_jevbench.datagen.planned import CasePlan, PlannedFact, PlannedQuestion, to_json
from pytest_jevbench.datagen.pruning import crowding, pruned
from pytest_jevbench.datagen.selection import Selection, select_questions
from pytest_jevbench.datagen.tally import Tally
from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.files import read_jsonl
from pytest_jevbench.relations.draws import Draw

__all__ = ["plan_cases", "refuse_orphans", "replan_questions"]

CANDIDATES = 60
"""How many drawn cases compete for one place in the plan."""

TRIES = 4000
"""How many draws may fail a constraint before the archetype is called impossible."""


@dataclass(frozen=True, slots=True)
class _Frame:
    """The document of a case: everything but its facts."""

    archetype: str
    style: str
    length: str
    voice: str
    detail: str


def plan_cases(domain: Domain, cases: int, seed: int = 0) -> tuple[CasePlan, ...]:
    """The plans of a domain's cases. Raises :class:`InputError` where constraints or the bank leave no case."""
    tally = Tally(domain)
    plans = []
    for index in range(cases):
        case_id = f"{domain.name}-{index + 1:03d}"
        frame = _frame(domain, tally, Draw(seed, case_id, "frame", domain.name, 0, 0), index)
        facts, selection = _best(domain, frame, case_id, index, seed, tally)
        plans.append(_finished(domain, case_id, frame, facts, selection, seed, tally))
    return tuple(plans)


def replan_questions(domain: Domain, plans: Iterable[CasePlan], seed: int = 0) -> tuple[CasePlan, ...]:
    """The same cases with their questions chosen again: for a bank that changed after texts were written."""
    tally = Tally(domain)
    result = []
    for plan in plans:
        selection = select_questions(domain, plan.facts, tally)
        if selection is None:
            raise _too_few(domain, plan.id)
        frame = _Frame(plan.archetype, plan.style, plan.length, plan.voice, plan.detail)
        result.append(_finished(domain, plan.id, frame, plan.facts, selection, seed, tally))
    return tuple(result)


def _frame(domain: Domain, tally: Tally, draw: Draw, index: int) -> _Frame:
    archetypes = {name: item.weight for name, item in domain.archetypes.items()}
    archetype = tally.most_due("archetype", archetypes, draw)
    allowed = domain.archetypes[archetype].styles or tuple(domain.styles)
    styles = {name: domain.styles[name].weight for name in allowed}
    style = tally.most_due("style", styles, draw, beside=archetype)
    bands = domain.styles[style].lengths or tuple(domain.lengths)
    length = tally.most_due("length", {name: domain.lengths[name].weight for name in bands}, draw, beside=style)
    voice = tally.most_due("voice", dict.fromkeys(domain.voices, 1), draw, beside=style) if domain.voices else ""
    detail = domain.details[index % len(domain.details)] if domain.details else ""
    return _Frame(archetype, style, length, voice, detail)


def _best(
    domain: Domain, frame: _Frame, case_id: str, index: int, seed: int, tally: Tally
) -> tuple[Mapping[str, PlannedFact], Selection]:
    """The drawn facts whose questions balance the domain best; the first of equals."""
    names = names_for(domain, index, seed)
    archetype = domain.archetypes[frame.archetype]
    best: tuple[float, Mapping[str, PlannedFact], Selection] | None = None
    met = kept = 0
    for attempt in counting():
        if kept == CANDIDATES or attempt == TRIES:
            break
        facts = draw_facts(domain, archetype, names, Draw(seed, case_id, "facts", domain.name, 0, attempt))
        if facts is None:
            continue
        met += 1
        selection = select_questions(domain, facts, tally)
        if selection is None:
            continue
        kept += 1
        band = domain.lengths[frame.length]
        facts = pruned(domain, archetype, facts, selection.questions, band)
        cost = selection.cost + tally.fact_cost(facts) + crowding(facts, band) / 4
        if best is None or cost < best[0]:
            best = cost, facts, selection
    if best is None and not met:
        raise InputError(
            f"no draw of the archetype {frame.archetype} meets the constraints ({TRIES} tried)",
            place=Place(domain.file, None, f"archetypes.{frame.archetype}"),
            advice="Loosen a constraint, or fix the facts it is about",
        )
    if best is None:
        raise _too_few(domain, f"{case_id} (archetype {frame.archetype})")
    return best[1], best[2]


def _too_few(domain: Domain, what: str) -> InputError:
    return InputError(
        f"{what}: fewer than 8 questions can be asked, or a type is missing",
        place=Place(domain.file, None, "questions"),
        advice="A case needs 4 Nouls, a Choice of four options with a hierarchy, a Score, 8 questions in all and one "
        "stated integer with a threshold: mention more facts, or require fewer",
    )


def _finished(
    domain: Domain,
    case_id: str,
    frame: _Frame,
    facts: Mapping[str, PlannedFact],
    selection: Selection,
    seed: int,
    tally: Tally,
) -> CasePlan:
    draw = Draw(seed, case_id, "questions", domain.name, 0, 0)
    asked = [_ordered(domain, question, tally, draw) for question in draw.shuffle(selection.questions)]
    plan = CasePlan(
        id=case_id,
        archetype=frame.archetype,
        style=frame.style,
        length=frame.length,
        voice=frame.voice,
        detail=frame.detail,
        facts=facts,
        questions=tuple(asked),
    )
    tally.add(plan)
    return plan


def _ordered(domain: Domain, asked: PlannedQuestion, tally: Tally, draw: Draw) -> PlannedQuestion:
    """The options turned so that the correct one stands where correct options have stood least."""
    question = domain.questions[asked.key]
    if question.type != "choice":
        return asked
    options = tuple(question.options)
    where = options.index(str(asked.gold))
    place = tally.emptiest_position(len(options), draw)
    turn = (where - place) % len(options)
    tally.place(len(options), place)
    return replace(asked, order=_turned(options, turn))


def _turned(options: Sequence[str], turn: int) -> tuple[str, ...]:
    return (*options[turn:], *options[:turn])


def refuse_orphans(folder: DomainFolder, plans: Iterable[CasePlan]) -> None:
    """Refuse plans under which a text that is already written would tell other facts. Raises :class:`InputError`."""
    if not folder.plans.exists():
        return
    before = {str(row.get("case")): row for _, row in read_jsonl(folder.plans) if isinstance(row, dict)}
    after = {plan.id: to_json(plan) for plan in plans}
    changed = [
        case
        for case, old in before.items()
        if any((folder.drafts / f"{case}{suffix}").exists() for suffix in (".txt", ".json"))
        and _told(old) != _told(after.get(case, {}))
    ]
    least = max((number for number, case in enumerate(before, start=1) if case in changed), default=0)
    if changed and all(case not in after for case in changed):
        raise InputError(
            f"{counted(len(changed), 'text')} would be left without a plan, that of {changed[0]} first",
            place=Place(folder.plans),
            advice=f"Ask for at least --cases {least}, or use --force",
        )
    if changed:
        raise InputError(
            f"{counted(len(changed), 'text')} already written for other facts, that of {changed[0]} first",
            place=Place(folder.plans),
            advice="Use --keep-facts to choose the questions alone again, or --force to plan anew",
        )


def _told(row: Mapping[str, object]) -> tuple[object, ...]:
    return tuple(row.get(name) for name in ("archetype", "style", "length", "facts"))
