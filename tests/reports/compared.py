"""Pairs of cards whose every change is known: ten tests of each of five relations, one a case."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_jevbench.errors import Place
from pytest_jevbench.plans.plan import TestId
from pytest_jevbench.reports.violation import Told
from pytest_jevbench.runs.results import TestResult
from pytest_jevbench.scoring.card import AskingFacts
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.gate import GateResult
from pytest_jevbench.scoring.gate_card import gate_card
from pytest_jevbench.scoring.gate_config import gate_from_assignments
from tests.reports.cards import card
from tests.scoring.by_hand import FIVE, judged

CASES = 10


def run_of(violated: Iterable[tuple[str, int]], **facts: object) -> Card:
    """A card in which these (relation, case number) are violated and everything else is held."""
    broken = set(violated)
    results: list[TestResult] = [
        judged(name, f"c{i}", 0.525 if (name, i) in broken else 0.0) for i in range(CASES) for name in FIVE
    ]
    started = AskingFacts(started="2026-03-04T05:06:07+00:00", requests=60, seconds=2.0)
    return card(results, **{"asking": started, **facts})  # type: ignore[arg-type]


BASELINE = [("option_clone", 0), ("option_clone", 1), ("count_upper", 0)]
WORSE = [("option_clone", i) for i in range(1, 8)] + [("count_upper", 0)]
"""Against the baseline: six new, one fixed, two known."""


def gated(now: Card, *conditions: str, baseline: Card | None = None) -> GateResult:
    return gate_card(gate_from_assignments(conditions, Place("options")), now, baseline, draws=200)


def told(relation: str, case: str, lines: list[str], new: bool | None = True) -> Told:
    test = TestId(relation, case, "q")
    return Told(test, f"made-up::{case}::{relation}-q", new, lines, f"pytest made-up::{case}::{relation}-q")
