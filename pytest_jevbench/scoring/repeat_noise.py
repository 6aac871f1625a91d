"""The repeat noise of a card, for each relation and question: what of a deviation asking again would explain."""

from __future__ import annotations

from collections.abc import Mapping

from pytest_jevbench.scoring.card_reading import Card

__all__ = ["noise_by_question", "noise_by_relation"]


def noise_by_question(card: Card) -> Mapping[str, float]:
    """By question key the largest noise of its base answers in any case; empty where each was asked once."""
    largest: dict[str, float] = {}
    for of_case in _noise(card).values():
        for key, noise in of_case.items():
            largest[key] = max(noise, largest.get(key, 0.0))
    return largest


def noise_by_relation(card: Card) -> Mapping[str, float]:
    """By relation the largest noise of a base answer that one of its judged tests measured."""
    noise = _noise(card)
    largest: dict[str, float] = {}
    for result in card.results:
        of_case = noise.get(result.id.case_id, {})
        for key in {target for outcome in result.outcomes for target in outcome.targets if target in of_case}:
            largest[result.id.relation] = max(of_case[key], largest.get(result.id.relation, 0.0))
    return largest


def _noise(card: Card) -> Mapping[str, Mapping[str, float]]:
    found: Mapping[str, Mapping[str, float]] = card.data.get("noise") or {}
    return found if card.data.get("repeat_noise") else {}
