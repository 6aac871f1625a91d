"""Two cards side by side, with whatever keeps the comparison from being one of the same tests asked the same way."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_jevbench.scoring.bootstrap import DRAWS
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.compare import Comparison
from pytest_jevbench.scoring.gate_card import compare_cards, gated_run
from pytest_jevbench.scoring.gate_run import baseline_gaps, baseline_obstacles, same_suite

__all__ = ["ComparedCards", "compare_with"]


@dataclass(frozen=True)
class ComparedCards:
    """A card's baseline and the comparison with it; None where the two are of different suites.

    ``cautions`` says in words what differs apart from the answers, and what of the planned tests is not compared.
    """

    baseline: Card
    comparison: Comparison | None
    cautions: tuple[str, ...] = ()


def _other_source(card: Card, baseline: Card) -> tuple[str, ...]:
    if card.verbalised == baseline.verbalised:
        return ()
    which = "this run's" if card.verbalised else "the baseline's"
    return (f"{which} probabilities are verbalised, written down by a chat model, and the other's are not",)


def compare_with(card: Card, baseline: Card, *, graded: bool = False, draws: int = DRAWS) -> ComparedCards:
    """Compare a card with its baseline on the tests that both judged, under the card's settings."""
    now, before = gated_run(card), gated_run(baseline, card.settings)
    obstacles = (*_other_source(card, baseline), *baseline_obstacles(now, before))
    if not same_suite(now, before):
        return ComparedCards(baseline, None, obstacles)
    comparison = compare_cards(baseline, card, graded=graded, draws=draws)
    return ComparedCards(baseline, comparison, (*obstacles, *baseline_gaps(now, before)))
