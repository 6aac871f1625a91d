"""Cards for the tables: made by hand, so that every printed number is known."""

from __future__ import annotations

from typing import Any

from pytest_jevbench.metrics import measure_gold
from pytest_jevbench.questions import Case, Noul
from pytest_jevbench.runs.results import TestResult
from pytest_jevbench.scoring.card import ModelFacts, build_card, score_run
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.scores_json import reference_json
from tests.scoring.by_hand import FIVE, facts_for, held_and_violated

VIOLATED = {"key_rename": 1, "batch_solo": 2, "option_clone": 3, "count_upper": 4, "pairwise_iia": 5}


def results(**violated: int) -> list[TestResult]:
    """Ten tests of each of five relations, so many of them violated: by default 1 to 5, overall 70 %."""
    counts = violated or VIOLATED
    return [r for name in FIVE for r in held_and_violated(name, 10 - counts.get(name, 0), counts.get(name, 0))]


def card(found: list[TestResult] | None = None, name: str = "m", gold: bool = False, **facts: Any) -> Card:
    """A card of results, with the uniform model beside them (which holds everything) and gold figures on request."""
    found = results() if found is None else found
    made = facts_for(
        found, {f"c{i}": "shop" if i < 5 else "bank" for i in range(10)}, **{"model": ModelFacts(name), **facts}
    )
    held = [r for relation in FIVE for r in held_and_violated(relation, 10, 0)]
    reference = reference_json("uniform", score_run(facts_for(held), held), 0.5)
    accuracy = None
    if gold:
        cases = {f"c{i}": Case(f"c{i}", "state", {"q": Noul("Is it?")}) for i in range(10)}
        sources = {f"c{i}": {"q": {"false": 0.25, "true": 0.75}} for i in range(8)}
        figures = measure_gold(cases, {c: {"q": i < 6} for i, c in enumerate(cases)}, sources)
        assert figures is not None
        accuracy = figures.to_json()
    return Card.from_json(build_card(made, found, accuracy=accuracy, reference=reference))
