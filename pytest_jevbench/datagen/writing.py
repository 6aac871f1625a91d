"""Texts from briefs: asked of a chat model, or taken from a folder of drafts written by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Protocol

from pytest_jevbench.chat.text import Unusable, document, json_object
from pytest_jevbench.chat.threads import in_threads
from pytest_jevbench.chat.trouble import MOST_FAILURES, given_up, is_final
from pytest_jevbench.datagen.briefs import RULES, brief_of
from pytest_jevbench.datagen.domain import Domain
from pytest_jevbench.datagen.folders import DomainFolder, write_text
from pytest_jevbench.datagen.planned import CasePlan
from pytest_jevbench.datagen.states import Draft, draft_of, form_problems, read_draft
from pytest_jevbench.datagen.verification import Verification
from pytest_jevbench.errors import InputError, ModelError, Place
from pytest_jevbench.files import read_bytes, write_whole
from pytest_jevbench.json_text import JSON, dumps

__all__ = ["Outcome", "Writer", "check_drafts", "due", "take_drafts", "write_drafts", "wrong_suffix"]

SYSTEM = (
    "You write realistic working documents. You are given a brief: the setting, the kind of document, the situation, "
    f"and what is so. {RULES} Answer with the document alone."
)


class Writer(Protocol):
    """Sends a conversation to a chat model: the content of its answer (or None) and whether that was cut."""

    model: str

    def __call__(self, system: str, user: str) -> tuple[str | None, bool]: ...


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one case: ``written``, ``kept`` (it was there), ``rejected`` or ``missing``, and why."""

    case: str
    status: str
    words: int = 0
    problems: tuple[str, ...] = ()

    def to_json(self, by: str) -> dict[str, JSON]:
        return {
            "case": self.case,
            "status": self.status,
            "by": by,
            "words": self.words,
            "problems": list(self.problems),
        }


def due(
    folder: DomainFolder,
    domain: Domain,
    plans: Iterable[CasePlan],
    verified: Mapping[str, Verification],
    redo: bool,
) -> list[tuple[CasePlan, tuple[str, ...]]]:
    """The cases to write, each with what was wrong with the draft before: those without a draft, and with
    ``redo`` those whose draft has the wrong form or was rejected.
    """
    result: list[tuple[CasePlan, tuple[str, ...]]] = []
    for plan in plans:
        path = folder.draft(domain, plan)
        if not path.exists():
            result.append((plan, ()))
        elif redo:
            problems = _faults(path, domain, plan, verified.get(plan.id))
            if problems:
                result.append((plan, problems))
    return result


def _faults(path: Path, domain: Domain, plan: CasePlan, row: Verification | None) -> tuple[str, ...]:
    try:
        draft = read_draft(path)
    except InputError as error:
        return (str(error),)
    problems = form_problems(draft, domain.lengths[plan.length], domain.styles[plan.style].form)
    if row is not None and row.verdict == "rejected" and row.fits(plan, draft):
        problems += row.problems
    return tuple(problems)


def write_drafts(
    folder: DomainFolder,
    domain: Domain,
    work: Sequence[tuple[CasePlan, tuple[str, ...]]],
    writers: Sequence[Writer],
    tries: int,
    tell: Callable[[Outcome], None],
) -> list[Outcome]:
    """Have the drafts written, one thread a writer; each is saved as soon as its form is right.

    A draft whose form is wrong is asked for again, with the reason, up to ``tries`` times. A case for which the model
    gives no answer is ``missing``. Raises :class:`ModelDown` where asking on is pointless; what was written is kept.
    """

    def one(item: tuple[CasePlan, tuple[str, ...]], writer: Writer) -> tuple[Outcome, ModelError | None]:
        try:
            return _write_one(folder, domain, item[0], item[1], writer, tries), None
        except ModelError as error:
            return Outcome(item[0].id, "missing", 0, (str(error),)), error

    outcomes = []
    failures = 0
    for outcome, error in in_threads(one, work, writers):
        tell(outcome)
        outcomes.append(outcome)
        if error is not None:
            failures += 1
            if is_final(error) or failures == MOST_FAILURES:
                raise given_up(error, writers[0].model)
        else:
            failures = 0
    return outcomes


def _write_one(
    folder: DomainFolder, domain: Domain, plan: CasePlan, before: tuple[str, ...], writer: Writer, tries: int
) -> Outcome:
    style, band = domain.styles[plan.style], domain.lengths[plan.length]
    brief = brief_of(domain, plan)
    problems = before
    for _ in range(tries):
        asked = brief
        if problems:
            asked += "\nAn earlier version was refused:\n" + "\n".join(f"- {p}" for p in problems) + "\n"
        try:
            content, cut = writer(SYSTEM, asked)
            if cut:
                raise Unusable("the answer was cut: the model ran out of room")
            state: JSON = json_object(content) if style.form == "json" else document(content)
            draft = draft_of(state, Place(plan.id))
        except Unusable as error:
            problems = (*before, str(error))
            continue
        faults = form_problems(draft, band, style.form)
        if not faults:
            save(folder, domain, plan, draft)
            return Outcome(plan.id, "written", draft.words)
        problems = (*before, *faults)
    return Outcome(plan.id, "rejected", 0, problems[len(before) :])


def save(folder: DomainFolder, domain: Domain, plan: CasePlan, draft: Draft) -> None:
    """Write a draft to its place; another one that lies there is kept in the folder ``replaced``."""
    text = draft.state if isinstance(draft.state, str) else dumps(draft.state, indent=2)
    path, data = folder.draft(domain, plan), f"{text}\n".encode()
    if path.is_file() and (before := read_bytes(path)) != data:
        folder.replaced.mkdir(exist_ok=True)
        write_whole(folder.replaced / f"{plan.id}-{sha256(before).hexdigest()[:8]}{path.suffix}", before)
    write_text(path, text + "\n")


def take_drafts(
    folder: DomainFolder, domain: Domain, plans: Sequence[CasePlan], source: Path, redo: bool
) -> list[Outcome]:
    """Drafts written by hand, from a folder with one file a case; a draft that is there already is kept unless
    ``redo``.

    Raises :class:`InputError` for a folder that is not there and for a file of no planned case.
    """
    if not source.is_dir():
        raise InputError("there is no such folder", place=Place(source))
    known = {plan.id for plan in plans}
    for path in sorted(source.iterdir()):
        if path.suffix in (".txt", ".json") and path.stem not in known:
            raise InputError(
                f"{path.name} belongs to no planned case",
                place=Place(source),
                advice="Name each file after its case, such as " + f"{plans[0].id}.txt",
            )
    outcomes = []
    for plan in plans:
        target = folder.draft(domain, plan)
        found = source / target.name
        other = source / folder.other_draft(domain, plan).name
        if other.exists() and not found.exists():
            outcomes.append(Outcome(plan.id, "rejected", 0, (wrong_suffix(plan, target, other),)))
        elif not found.exists():
            outcomes.append(Outcome(plan.id, "kept" if target.exists() else "missing"))
        elif target.exists() and not redo and found.resolve() != target.resolve():
            outcomes.append(Outcome(plan.id, "kept"))
        else:
            outcomes.append(_taken(folder, domain, plan, found))
    return outcomes


def wrong_suffix(plan: CasePlan, wanted: Path, there: Path) -> str:
    """Why a draft that is there is not the case's text."""
    return f"the style {plan.style} wants {wanted.name}, and {there.name} is there"


def _taken(folder: DomainFolder, domain: Domain, plan: CasePlan, path: Path) -> Outcome:
    try:
        draft = read_draft(path)
    except InputError as error:
        return Outcome(plan.id, "rejected", 0, (str(error),))
    problems = form_problems(draft, domain.lengths[plan.length], domain.styles[plan.style].form)
    if problems:
        return Outcome(plan.id, "rejected", draft.words, tuple(problems))
    if path.resolve() != folder.draft(domain, plan).resolve():
        save(folder, domain, plan, draft)
        return Outcome(plan.id, "written", draft.words)
    return Outcome(plan.id, "kept", draft.words)


def check_drafts(folder: DomainFolder, domain: Domain, plans: Sequence[CasePlan]) -> list[Outcome]:
    """The drafts that are there, by form."""
    if not folder.drafts.is_dir():
        return [Outcome(plan.id, "missing") for plan in plans]
    return take_drafts(folder, domain, plans, folder.drafts, redo=False)
