"""The worst violations of a saved card, from the requests and answers that it keeps."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.models.dialect_names import DIALECT_NAMES
from pytest_jevbench.plans.plan import TestId
from pytest_jevbench.questions import Question, question_from_json
from pytest_jevbench.reports.law_texts import LawText, law_texts
from pytest_jevbench.reports.violation import Told, violation_lines
from pytest_jevbench.runs.planning import node_id
from pytest_jevbench.runs.results import Outcome
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.compared_cards import ComparedCards

__all__ = ["ask_again", "questions_of", "worst_of_card"]


def worst_of_card(card: Card, compared: ComparedCards | None = None, most: int = 3) -> list[Told]:
    """The worst violations that the card keeps requests of, no two of one relation while others are left.

    Beside a baseline only new ones. A published report keeps none.
    """
    told = law_texts(card)
    comparison = compared.comparison if compared is not None else None
    new = None if comparison is None else set(comparison.changes.new)
    kept = [
        (rank, row["graded"], test, row)
        for relation in (*card.data["relations"], *card.data["diagnostics"])
        for rank, (test, row) in enumerate(_kept(relation, new, told))
    ]
    kept.sort(key=lambda one: one[:2])
    return [_told(card, test, row, None if new is None else True, told) for _, _, test, row in kept[:most]]


def _kept(
    relation: Mapping[str, Any], new: set[TestId] | None, told: Mapping[str, LawText]
) -> Iterator[tuple[TestId, Mapping[str, Any]]]:
    """A relation's violations with their requests, the worst first."""
    for row in relation["worst"]:
        test = TestId(relation["name"], row["case"], row["key"])
        if row["exchanges"] and "deviation" in row and test.relation in told and (new is None or test in new):
            yield test, row


def _told(card: Card, test: TestId, row: Mapping[str, Any], new: bool | None, laws: Mapping[str, LawText]) -> Told:
    name = node_id(card.suite, test)
    again = ask_again(card, name)
    base, *follow_ups = [(exchange["label"], questions_of(exchange["request"])) for exchange in row["exchanges"]]
    outcome = Outcome(
        targets=tuple(row["targets"]),
        deviation=row["deviation"],
        tolerance=row["tolerance"],
        tolerance_kind=row["tolerance_kind"],
        flip=row["flip"],
        expected=_numbers(row.get("expected")),
        observed=_numbers(row.get("observed")),
    )
    return Told(test, name, new, violation_lines(laws[test.relation], base[1], follow_ups, outcome, again), again)


def questions_of(request: object) -> dict[str, Question]:
    """The questions of a request as it stands in the card, as far as they can be read."""
    found: dict[str, Question] = {}
    questions = request.get("questions") if isinstance(request, dict) else None
    for key, value in (questions if isinstance(questions, dict) else {}).items():
        try:
            found[key] = question_from_json(value, Place())
        except InputError:
            continue
    return found


def _numbers(values: Mapping[str, Any] | None) -> dict[str, float]:
    return {name: value for name, value in (values or {}).items() if isinstance(value, (int, float))}


def _dialect_words(model: Mapping[str, Any]) -> list[str]:
    """The options that say how a server was asked, where it was not in the usual way."""
    if model["dialect"] not in DIALECT_NAMES[1:]:
        return []
    words = [f"--jevbench-dialect={model['dialect']}"]
    if model["asked"]:
        words.append(f"--jevbench-model={model['asked']}")
    sent = model["details"].get("request_options")
    return [*words, f"--jevbench-request-options={sent}"] if sent else words


def ask_again(card: Card, name: str) -> str:
    """The command that asks a test again, as far as the card tells; a model of a conftest needs no option."""
    model, details = card.data["identity"]["model"], card.data["run"].get("details") or {}
    words = ["pytest", name, details.get("tests") or f"--jevbench-suite={details.get('suite') or card.suite}"]
    if model["launch"]:
        words.append(f"--jevbench-launch={model['launch']}")
    elif model["dialect"] == "reference":
        words.append(f"--jevbench-reference={model['asked'] or model['name']}")
    elif model["address"]:
        words.append(f"--jevbench-url={model['address']}")
    words += _dialect_words(model)
    return shlex.join(words)
