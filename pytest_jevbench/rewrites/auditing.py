"""A person's verdicts on the candidates of a bank."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from typing import Any, Protocol

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import JSON, loads
from pytest_jevbench.questions import Question, question_from_json
from pytest_jevbench.rewrite_bank import TRANSLATE
from pytest_jevbench.rewrites.bank_file import BankFile, Candidate
from pytest_jevbench.rewrites.forms import structure_problem

__all__ = ["Console", "Walked", "chosen", "counts_of", "find", "told", "verdict", "walk"]

KEYS = "a accept   r reject   s skip   b back   q quit"


class Console(Protocol):
    """Where a person sits."""

    def show(self, text: str) -> None: ...

    def key(self) -> str:
        """One key that was pressed; empty where the input has ended."""
        ...

    def line(self, prompt: str) -> str:
        """A line that was typed."""
        ...


@dataclass(frozen=True, slots=True)
class Walked:
    """The verdicts of one walk, and whether the person left before its end."""

    accepted: int
    rejected: int
    left: bool


def chosen(bank: BankFile, kinds: Sequence[str] = (), *, refused: bool = False, again: bool = False) -> list[Candidate]:
    """What a person is shown, in file order: accepted by the judge and not audited; ``refused`` and open ones too;
    ``again`` also what was audited. ``translate`` as a kind stands for all languages."""
    return [
        row
        for row in bank.rows
        if (row.accepted or refused or (again and row.audited is not None))
        and (again or row.audited is None)
        and (not kinds or row.kind in kinds or row.kind.partition(":")[0] in kinds)
    ]


def find(bank: BankFile, item: str) -> Candidate:
    """The candidate of an id, or of its first characters. Raises :class:`InputError`."""
    hits = [row for row in bank.rows if item and row.id.startswith(item)]
    place, advice = Place(bank.path), "`pytest-jevbench audit BANK --list` shows the ids"
    if not hits:
        raise InputError(f"there is no candidate {item!r}", place=place, advice=advice)
    if len(hits) > 1:
        raise InputError(f"{len(hits)} candidates begin with {item!r}", place=place, advice=advice)
    return hits[0]


def verdict(row: Candidate, accept: bool, *, reason: str = "", by: str = "", now: datetime | None = None) -> Candidate:
    """The candidate with a person's verdict, which goes before the judge's.

    Raises :class:`InputError` where one that cannot be used at all is to be accepted.
    """
    problem = _unfit(row) if accept else ""
    if problem:
        raise InputError(f"{row.id} cannot be used", advice=f"{problem[0].upper()}{problem[1:]}")
    moment = (now or datetime.now(timezone.utc)).strftime("%Y-%m-%d")
    audit: dict[str, JSON] = {"by": by, "verdict": "ok" if accept else "reject", "reason": reason, "date": moment}
    if accept and not row.accepted:
        audit["overruled"] = row.text("judge") or "no judge"
    changed = row.but(audited=accept, audit=audit)
    return changed.but(accepted=True, open=None) if accept else changed


def _unfit(row: Candidate) -> str:
    """Why no test could use a candidate, whatever a person says; its length and script are the person's to judge."""
    if row.kind.startswith(TRANSLATE):
        question = _question(row.source)
        if question is None:
            return "its source is no question with instructions and criteria"
        return structure_problem(question, row.rewrite)
    rewrite = row.rewrite
    if not isinstance(rewrite, str) or not rewrite.strip():
        return "there is no text"
    return "it is its source" if rewrite.strip() == row.source.strip() else ""


def _question(source: str) -> Question | None:
    """The question of a translation's source."""
    try:
        value: Any = loads(source)
        criteria = value["criteria"]
        kind = "noul" if criteria is None else "choice" if isinstance(criteria, dict) else "score"
        return question_from_json({"type": kind, **value}, Place())
    except (InputError, ValueError, KeyError, TypeError):
        return None


def counts_of(rows: Sequence[Candidate]) -> str:
    """``12 accepted by an audit, 3 rejected, 25 wait for one``; what the judge refused waits for nothing."""
    confirmed = sum(row.audited is True for row in rows)
    rejected = sum(row.audited is False for row in rows)
    waiting = sum(row.accepted and row.audited is None for row in rows)
    return f"{confirmed} confirmed by an audit, {rejected} rejected by one, {waiting} accepted by the judge alone"


def told(bank: BankFile, walked: Walked | None) -> str:
    """The lines at the end of a walk; None where it was broken off."""
    now = "" if walked is None else f"{walked.accepted} accepted, {walked.rejected} rejected now\n"
    if walked == Walked(0, 0, left=False):
        now = "nothing was decided now\n"
    return f"{now}{counts_of(bank.rows)}\n"


def walk(
    bank: BankFile,
    rows: Sequence[Candidate],
    console: Console,
    shown: Callable[[Candidate, str], str],
    *,
    by: str = "",
) -> Walked:
    """Show candidates one after the other and keep each verdict as soon as it is given.

    ``shown`` makes the text of one, given it and where it stands in the walk.
    """
    ids = [row.id for row in rows]
    known = {row.id: row for row in rows}
    given: dict[str, bool] = {}
    at = 0
    left = False
    while at < len(ids):
        row = known[ids[at]]
        console.show(shown(row, f"{at + 1} of {len(ids)}"))
        choice = _choice(console)
        if choice == "q":
            left = True
            break
        if choice == "b":
            at = max(0, at - 1)
            continue
        if choice in ("a", "r"):
            reason = console.line("reason (none: back to the choice): ").strip() if choice == "r" else ""
            if choice == "r" and not reason:
                continue
            try:
                changed = verdict(row, choice == "a", reason=reason, by=by)
            except InputError as error:
                console.show(f"{error}\n")
                continue
            bank.change(changed)
            known[row.id] = changed
            given[row.id] = choice == "a"
        at += 1
    accepted = sum(given.values())
    return Walked(accepted, len(given) - accepted, left)


def _choice(console: Console) -> str:
    """One of the keys; the input's end is quitting."""
    console.show(f"{KEYS}  > ")
    for key in _pressed(console):
        if key in "arsbq":
            console.show(f"{key}\n")
            return key
    console.show("\n")
    return "q"


def _pressed(console: Console) -> Iterator[str]:
    while key := console.key():
        if key == "\x04":  # Ctrl-D
            return
        yield key.casefold()
