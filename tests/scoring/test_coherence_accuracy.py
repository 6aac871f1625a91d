"""Coherence against accuracy: do questions whose answers break laws err more?"""

from __future__ import annotations

from pytest_jevbench.scoring.coherence_accuracy import compare_accuracy
from tests.reports.cards import card


def test_a_card_without_gold_answers_has_no_comparison() -> None:
    assert compare_accuracy(card()) is None
