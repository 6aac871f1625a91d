"""Every test with its outcome, to be filtered; the worst with their requests as a difference, in full.

The tests travel as compact JSON that the page's script makes rows of. What the card keeps in full is HTML of the page
itself: it can be read without the script, which moves it to the row that is opened.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_jevbench.json_text import JSON, printable
from pytest_jevbench.plans.plan import TestId
from pytest_jevbench.reports.html.rendering import page_json, render
from pytest_jevbench.reports.html.section import CardShown, Report, Section
from pytest_jevbench.reports.law_texts import LawText, law_texts
from pytest_jevbench.reports.request_difference import request_difference
from pytest_jevbench.reports.worst_of_card import ask_again, questions_of
from pytest_jevbench.runs.planning import node_id
from pytest_jevbench.runs.results import Outcome
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.relation_scores import is_violated, judge_again, tolerance_of
from pytest_jevbench.slugs import slug

__all__ = ["sections"]

VERDICTS = ("violated", "held", "unjudged", "not_applicable")
MOST_ROWS = 60_000
"""Beyond it only violated tests are in the page: a page of forty models has to open too."""
MOST_TEXT = 300
"""Characters of an id in a row; the row that is opened has all of them where the card keeps its requests."""


def sections(report: Report) -> Iterator[Section]:
    if not report.cards:
        return
    total = sum(len(one.card.results) for one in report.cards)
    every = total <= MOST_ROWS
    worst = [list(_worst(one, number, len(report.cards))) for number, one in enumerate(report.cards)]
    data = {
        "laws": _laws(report),
        "cards": [
            _rows(one, {row["test"]: row["id"] for row in of}, every)
            for one, of in zip(report.cards, worst, strict=True)
        ],
    }
    html = render(
        "violations.html.j2",
        cards=[{"name": one.name, "worst": of} for one, of in zip(report.cards, worst, strict=True)],
        data=page_json(data),
        every=every,
        total=total,
        compared=any(one.compared is not None and one.compared.comparison is not None for one in report.cards),
    )
    yield Section("violations", "Violations", html)


def _laws(report: Report) -> JSON:
    laws: dict[str, JSON] = {}
    for one in report.cards:
        of = law_texts(one.card)
        for name, group in one.card.groups.items():
            if name not in laws:
                law = of.get(name)
                told = [law.law, law.formula, law.check] if law else ["", "", ""]
                laws[name] = [group.partition(".")[0], *told]
    return laws


# Rows ----------------------------------------------------------------------------------------------------------------


class _Numbers(dict[str, int]):
    """Texts numbered as they are met."""

    def of(self, text: str) -> int:
        return self.setdefault(text, len(self))


def _rows(one: CardShown, kept: Mapping[TestId, str], every: bool) -> dict[str, JSON]:
    """The tests of a card: ``[relation, case, question, verdict, graded or error, outcomes, kept, new]``.

    Texts stand once, by number. An outcome is ``[deviation, tolerance, flip, violated, variant, draw, questions]``.
    """
    card, settings = one.card, one.card.settings
    comparison = one.compared.comparison if one.compared is not None else None
    new = set(comparison.changes.new) if comparison is not None else set()
    relations, cases, keys, domains, errors = (_Numbers() for _ in range(5))
    rows: list[JSON] = []
    for result in card.results:
        judged = judge_again(result, settings)
        if not every and judged.verdict != "violated":
            continue
        outcomes: list[JSON] = []
        for outcome in result.outcomes:
            flip = None if outcome.flip is None else int(outcome.flip)
            deviation = None if outcome.deviation is None else round(outcome.deviation, 6)
            made: list[JSON] = [deviation, tolerance_of(outcome, settings), flip, int(is_violated(outcome, settings))]
            made += [outcome.variant, outcome.draw]
            if outcome.targets != (result.id.key,):
                made.append([keys.of(key) for key in outcome.targets])
            outcomes.append(made)
        figure: JSON = round(judged.graded, 6)
        if judged.verdict == "unjudged":
            figure = errors.of(f"{(result.reason or 'lost').replace('_', ' ')}: {result.message}")
        row: list[JSON] = [
            relations.of(result.id.relation),
            cases.of(result.id.case_id),
            keys.of(result.id.key),
            VERDICTS.index(judged.verdict),
            figure,
            outcomes,
        ]
        if result.id in new or result.id in kept:
            row += [kept.get(result.id, 0), int(result.id in new)]
        rows.append(row)
    case_domains = [domains.of(card.cases.get(case, "")) for case in cases]
    before, _, after = ask_again(card, _PLACE).partition(_PLACE)
    return {
        "name": _text(one.name),
        "suite": slug(card.suite),
        "ask": [before, after],
        "relations": list(relations),
        "cases": [_text(case) for case in cases],
        "caseSlugs": _slugs(cases),
        "domains": [_text(domain) for domain in domains],
        "caseDomains": case_domains,
        "keys": [_text(key) for key in keys],
        "keySlugs": _slugs(keys),
        "errors": [printable(error[:2000]) for error in errors],
        "compared": comparison is not None,
        "rows": rows,
    }


_PLACE = "JEVBENCH-NODE-ID"


def _slugs(texts: Mapping[str, int]) -> JSON:
    """By number, the names in node ids that are not the text itself."""
    return {str(number): slug(text) for text, number in texts.items() if slug(text) != text}


def _text(text: str) -> str:
    shown = printable(text)
    return shown if len(shown) <= MOST_TEXT else f"{shown[:MOST_TEXT]}…"


# In full -------------------------------------------------------------------------------------------------------------


def _worst(one: CardShown, number: int, cards: int) -> Iterator[dict[str, Any]]:
    """What the card keeps in full of each relation: all of it, or, where many cards share a page, the worst test."""
    card, laws = one.card, law_texts(one.card)
    for relation in (*card.data["relations"], *card.data["diagnostics"]):
        for rank, row in enumerate(relation["worst"][: 3 if cards <= 3 else 1]):
            if row["exchanges"] and "deviation" in row:
                test = TestId(relation["name"], row["case"], row["key"])
                told = _in_full(card, test, row, laws.get(test.relation), requests=cards <= 6)
                yield {**told, "id": f"kept-{number}-{relation['name']}-{rank}"}


def _in_full(
    card: Card, test: TestId, row: Mapping[str, Any], law: LawText | None, *, requests: bool
) -> dict[str, Any]:
    base, *follow_ups = row["exchanges"]
    before = questions_of(base["request"])
    differences = []
    for exchange in follow_ups:
        lines = request_difference(before, questions_of(exchange["request"]))
        differences.append({"label": exchange["label"], "lines": [(line[:1], line[2:]) for line in lines]})
    state = base["request"].get("state") if isinstance(base["request"], dict) else None
    return {
        "test": test,
        "relation": test.relation,
        "case": test.case_id,
        "key": test.key,
        "law": law.law if law else "",
        "formula": law.formula if law else "",
        "check": law.check if law else "",
        "targets": row["targets"],
        "deviation": row["deviation"],
        "allowed": tolerance_of(_outcome(row), card.settings),
        "flip": row["flip"],
        "differences": differences,
        "answers": _side_by_side(row.get("expected") or {}, row.get("observed") or {}),
        "again": ask_again(card, node_id(card.suite, test)),
        "state": state if isinstance(state, str) else json.dumps(state, ensure_ascii=False, indent=1),
        "exchanges": [
            {
                "label": exchange["label"],
                "request": _questions_text(exchange["request"]),
                "answers": exchange["answers"],
            }
            for exchange in row["exchanges"]
        ]
        if requests
        else [],
    }


def _outcome(row: Mapping[str, Any]) -> Outcome:
    return Outcome(
        targets=tuple(row["targets"]),
        deviation=row["deviation"],
        tolerance=row["tolerance"],
        tolerance_kind=row["tolerance_kind"],
        flip=row["flip"],
    )


def _side_by_side(expected: Mapping[str, Any], observed: Mapping[str, Any]) -> list[dict[str, Any]]:
    rows = []
    for name in dict.fromkeys([*expected, *observed]):
        before, after = _number(expected.get(name)), _number(observed.get(name))
        change = None if before is None or after is None else after - before
        rows.append({"name": name, "expected": before, "observed": after, "change": change})
    return rows


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else None


def _questions_text(request: object) -> str:
    """A request without the state, which stands above it once."""
    shown = {k: v for k, v in request.items() if k != "state"} if isinstance(request, dict) else request
    return json.dumps(shown, ensure_ascii=False, indent=1)
