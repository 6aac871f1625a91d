"""Sheets for readers, and what comes back.

A reader is shown a rewrite beside its source, a text as it is, and for gold answers a text with its questions
and no answer: agreement that was asked for is worth nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_jevbench.datagen.domain import BankQuestion, Domain
from pytest_jevbench.datagen.planned import CasePlan, Gold
from pytest_jevbench.datagen.reviews import Review, Reviews, gold_item, rewrite_item, text_item
from pytest_jevbench.datagen.rewrite_rows import rewrite_rows
from pytest_jevbench.datagen.states import Draft
from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import JSON, shown

__all__ = ["Returned", "read_sheet", "sheet"]

Texts = Sequence[tuple[CasePlan, Draft]]


@dataclass(frozen=True)
class Returned:
    """The verdicts of a filled sheet; ``blank`` items were not read, ``stale`` ones have other words by now."""

    rows: Mapping[str, Review]
    blank: int
    stale: int


def sheet(domain: Domain, texts: Texts, reviews: Reviews, again: bool = False) -> Iterator[dict[str, JSON]]:
    """The lines of a sheet: all that nobody has read in its present words, or everything with ``again``."""
    for question in domain.questions.values():
        for row in rewrite_rows(question):
            if again or reviews.of(rewrite_item(row)) is None:
                yield {
                    "id": row.id,
                    "kind": row.kind,
                    "source": row.source,
                    "rewrite": row.rewrite,
                    "verdict": "",
                    "reason": "",
                }
    for plan, draft in texts:
        if again or reviews.of(text_item(plan, draft)) is None:
            yield {"id": f"text:{plan.id}", "text": draft.state, "verdict": "", "reason": ""}
        questions = {asked.key: domain.questions[asked.key] for asked in plan.questions}
        open_keys = [
            asked.key
            for asked in plan.questions
            if again or reviews.of(gold_item(plan, asked, questions[asked.key], draft)) is None
        ]
        if open_keys:
            yield {
                "id": f"gold:{plan.id}",
                "text": draft.state,
                "questions": {key: questions[key].question().to_json() for key in open_keys},
                "answers": dict.fromkeys(open_keys),
                "reason": "",
            }


def read_sheet(domain: Domain, texts: Texts, lines: Iterable[tuple[Place, Any]]) -> Returned:
    """The verdicts of a filled sheet. A Noul is answered with yes or no, a Choice with an option's id, a Score with the
    level's number (0 is the lowest). Raises :class:`InputError` naming the line.
    """
    rewrites = {row.id: row for question in domain.questions.values() for row in rewrite_rows(question)}
    cases = {plan.id: (plan, draft) for plan, draft in texts}
    rows: dict[str, Review] = {}
    blank = stale = 0
    for place, line in lines:
        item = line.get("id") if isinstance(line, dict) else None
        if not isinstance(item, str):
            raise InputError.unexpected(line, "a line of a sheet", place)
        kind, _, name = item.partition(":")
        if kind == "gold" and name in cases:
            read = list(_golds(domain, *cases[name], line, place))
            rows |= {row.id: row for row in read if row is not None}
            blank += sum(row is None for row in read)
            continue
        if item in rewrites:
            known, same = rewrite_item(rewrites[item]), line.get("rewrite") == rewrites[item].rewrite
        elif kind == "text" and name in cases:
            known, same = text_item(*cases[name]), line.get("text") == cases[name][1].state
        else:
            stale += 1
            continue
        verdict = _verdict(line, place)
        blank += not verdict
        stale += bool(verdict) and not same
        if verdict and same:
            rows[item] = Review(item, known[1], verdict, str(line.get("reason", "")))
    return Returned(rows, blank, stale)


def _verdict(line: Mapping[str, Any], place: Place) -> str:
    verdict = line.get("verdict")
    if verdict not in ("", "ok", "reject"):
        raise InputError.unexpected(verdict, "ok, reject or nothing", place.at("verdict"))
    return str(verdict)


def _golds(
    domain: Domain, plan: CasePlan, draft: Draft, line: Mapping[str, Any], place: Place
) -> Iterator[Review | None]:
    answers = line.get("answers")
    if not isinstance(answers, dict) or line.get("text") != draft.state:
        raise InputError(
            "the sheet is of another text", place=place.at("text"), advice="Make a new sheet and have it read"
        )
    for asked in plan.questions:
        if asked.key not in answers:
            continue
        question = domain.questions[asked.key]
        given = answers[asked.key]
        if given in (None, ""):
            yield None
            continue
        answer = _answer(question, given, place.at(f"answers.{asked.key}"))
        item, digest = gold_item(plan, asked, question, draft)
        agreed = answer == asked.gold and type(answer) is type(asked.gold)
        reason = "" if agreed else f"read as {shown(given)}. {line.get('reason', '')}".strip()
        yield Review(item, digest, "ok" if agreed else "reject", reason)


def _answer(question: BankQuestion, given: Any, place: Place) -> Gold:
    text = {True: "yes", False: "no"}.get(given, str(given)) if isinstance(given, bool) else str(given).strip()
    allowed = ("yes", "no") if question.type == "noul" else tuple(question.options)
    if text not in allowed:
        raise InputError.unexpected(given, f"one of {', '.join(allowed)}", place)
    if question.type == "noul":
        return text == "yes"
    return int(text) if question.type == "score" else text
