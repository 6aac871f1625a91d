"""Laws of one's own in ``evaluate()``."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_jevbench import InputError, evaluate
from pytest_jevbench.own_laws import Measurement, OwnLaw, Reading, SourceCase, at_most

CASE = {
    "id": "late",
    "state": "Parcel 1841 should have come on Monday.",
    "questions": {
        "order_found": {"type": "noul", "instructions": "Was the order found?"},
        "refund_approved": {"type": "noul", "instructions": "Is a refund approved?"},
    },
}


class RefundNeedsOrder(OwnLaw):
    name = "refund_needs_order"
    law = "A refund is approved only where the order was found."
    formula = "P(refund approved) \u2264 P(order found)"
    form = "L"
    counts_in = "LOG"

    def applies(self, source: SourceCase, key: str) -> bool:
        return key == "refund_approved"

    def about(self, source: SourceCase, key: str) -> tuple[str, ...]:
        return ("refund_approved", "order_found")

    def measure(self, reading: Reading) -> Measurement:
        return at_most(reading, "P(refund approved)", reading.yes("refund_approved"), reading.yes("order_found"))


class CountsNowhere(RefundNeedsOrder):
    name = "no_place_to_count"
    counts_in = None


def generous(state: Any, questions: dict[str, Any]) -> dict[str, Any]:
    return {key: {"type": "noul", "noul": 0.9 if key.startswith("refund") else 0.3} for key in questions}


def test_a_law_of_ones_own_is_tested_beside_the_dimensions_or_in_one() -> None:
    how: dict[str, Any] = {"cases": [CASE], "laws": [RefundNeedsOrder], "min_n": 1}
    beside = evaluate(generous, relations="refund_needs_order", **how)
    [violation] = beside.violations
    assert violation.deviation == pytest.approx(0.6)
    assert beside.relations["refund_needs_order"].violated == 1
    assert "refund_needs_order" in str(beside)
    assert RefundNeedsOrder.law in beside.explain()
    assert beside.dimensions["LOG"].score is None
    counted = evaluate(generous, relations="refund_needs_order", count_laws=True, **how)
    assert counted.dimensions["LOG"].score == 0.0


@pytest.mark.parametrize(
    ("laws", "told"),
    [
        ([RefundNeedsOrder()], "no law"),
        ([RefundNeedsOrder, RefundNeedsOrder], "registered already"),
        ([dict], "no law"),
    ],
)
def test_what_is_no_law_is_refused(laws: list[Any], told: str) -> None:
    with pytest.raises(InputError, match=told):
        evaluate(generous, cases=[CASE], laws=laws)


def test_counting_that_would_change_nothing_is_refused() -> None:
    for laws in ([], [CountsNowhere]):
        with pytest.raises(InputError, match="count_laws"):
            evaluate(generous, cases=[CASE], laws=laws, count_laws=True)


def test_laws_that_a_frozen_suite_does_not_test_are_refused() -> None:
    with pytest.raises(InputError, match="none of them has a test here"):
        evaluate(generous, "jevbench-examples", laws=[RefundNeedsOrder])
