"""What every relation measures, on numbers worked out by hand."""

from __future__ import annotations

import math

import pytest

from pytest_jevbench.relations import registry
from pytest_jevbench.relations.base import FOLLOW_UP, Measurement
from pytest_jevbench.relations.laws import equal_numbers
from tests.relations.worked_rows import ROWS, Row, make_reading, noul, score


def _one(row: Row) -> Measurement:
    measured = registry.get(row.relation).measure(row.reading())
    if isinstance(measured, Measurement):
        return measured
    (only,) = measured
    return only


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.relation)
def test_deviation_and_flip(row: Row) -> None:
    measured = _one(row)
    assert measured.deviation == pytest.approx(row.deviation, abs=1e-15)
    assert measured.flip is row.flip
    assert measured.targets == tuple(row.targets)


@pytest.mark.parametrize("name", ["batch_order", "batch_size_sweep"])
def test_each_question_of_a_batch_is_an_outcome_of_its_own(name: str) -> None:
    reading = make_reading(
        targets=("q", "r"),
        source={"q": noul(0.75), "r": {"x": 0.5, "y": 0.5}, "s": noul(0.5)},
        follow_ups={FOLLOW_UP: {"r": {"x": 0.25, "y": 0.75}, "q": noul(0.125)}},
    )
    measured = registry.get(name).measure(reading)
    assert isinstance(measured, list)
    assert [(m.targets, m.deviation, m.flip) for m in measured] == [(("q",), 0.625, True), (("r",), 0.25, False)]


def test_each_misleading_key_is_an_outcome_of_its_own() -> None:
    reading = make_reading(
        targets=("q", "r"),
        params={"keys": {"q": "r", "r": "q"}},
        source={"q": noul(0.75), "r": score(0.25, 0.75)},
        follow_ups={FOLLOW_UP: {"r": noul(0.25), "q": score(0.25, 0.75)}},
    )
    measured = registry.get("key_instruction_conflict").measure(reading)
    assert isinstance(measured, list)
    assert [(m.targets, m.deviation, m.flip) for m in measured] == [(("q",), 0.5, True), (("r",), 0.0, False)]


def test_what_was_compared_is_kept_by_name() -> None:
    row = next(row for row in ROWS if row.relation == "option_merge")
    assert _one(row).expected == {"x_or_z": 0.625, "y": 0.375}
    assert _one(row).observed == {"x_or_z": 0.375, "y": 0.625}
    row = next(row for row in ROWS if row.relation == "negation_wrapper")
    assert list(_one(row).expected.values()) == [0.25]
    assert list(_one(row).observed.values()) == [0.625]


@pytest.mark.parametrize(
    ("p", "q", "flip"),
    [
        (0.5 - 1e-10, 0.75, False),
        (0.5 + 1e-10, 0.25, False),
        (0.5 - 1e-8, 0.75, True),
        (0.5 + 1e-8, 0.25, True),
        (0.5, 0.5, False),
    ],
)
def test_a_side_within_a_billionth_of_the_middle_decides_nothing(p: float, q: float, flip: bool) -> None:
    for relation, after in (("noul_as_choice", {"yes": q, "no": 1 - q}), ("instruction_paraphrase", noul(q))):
        row = Row(relation, 0.0, flip, noul(p), after, {"order": ["yes", "no"]})
        assert _one(row).flip is flip


def test_all_relations_with_one_outcome_stand_in_the_table() -> None:
    several = {"key_instruction_conflict", "batch_order", "batch_size_sweep"}
    assert {row.relation for row in ROWS} | several == {relation.name for relation in registry.scored()}


@pytest.mark.parametrize("nan_in", ["a", "b", "c"])
def test_a_gap_that_is_no_number_is_not_lost_among_others(nan_in: str) -> None:
    asked = {"a": 0.25, "b": 0.5, "c": 0.75}
    found = equal_numbers(make_reading(), asked, {**asked, nan_in: math.nan})
    assert math.isnan(found.deviation)
