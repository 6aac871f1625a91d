"""From the cards of a suite of judged answers to recorded pairs, as every audit of biases takes them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, cast

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.judges.pairs import JudgedPair
from pytest_jevbench.relations.judge_questions import BETTER, FIELD, SIDES
from pytest_jevbench.scoring.card_reading import read_card
from pytest_jevbench.suite_loading import Suite, load_suite

__all__ = ["pairs_of_card"]

LABELS: Mapping[Any, str] = {SIDES[0]: "a", SIDES[1]: "b", "tie": "tie"}


def pairs_of_card(path: Path, suite: str | None = None) -> list[JudgedPair]:
    """The pairs that a card's model judged in both orders, each with its texts and label from the suite.

    ``suite`` names it where the card's own name of it does not do. A pair without answers is there, unanswered. Raises
    :class:`InputError`.
    """
    card = read_card(path)
    preferred = card.data.get("judge_pairs")
    if not preferred:
        advice = "Run jevbench-judges, or a suite made by `pytest-jevbench rubrics suite`, with judge_swapped_order"
        raise InputError("no pair of answers was judged in both orders", place=Place(path), advice=advice)
    loaded = load_suite(suite or card.suite)
    if loaded.digest != card.data["identity"]["suite"]["digest"]:
        raise InputError(
            f"the suite {loaded.name} is another one than that of the card",
            place=Place(path),
            advice="Name it by --suite",
        )
    return [_pair(card.name, loaded, case, preferred.get(case)) for case in card.cases if _is_pair(loaded, case)]


def _is_pair(suite: Suite, case: str) -> bool:
    return case in suite.cases and BETTER in suite.cases[case].questions


def _pair(judge: str, suite: Suite, case: str, preferred: list[float] | None) -> JudgedPair:
    parts = cast("dict[str, Any]", suite.cases[case].metadata[FIELD])
    first, second = parts["answers"]
    forward, swapped = (None, None) if preferred is None else preferred
    label = LABELS.get(suite.gold.get(case, {}).get(BETTER))
    return JudgedPair(
        judge, first, second, forward, swapped, label=cast('Literal["a", "b", "tie"] | None', label), id=case
    )
