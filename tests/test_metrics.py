"""Accuracy and calibration with values worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import dumps
from pytest_jevbench.metrics import (
    Figure,
    GoldFigures,
    brier_positive,
    calibration_bins,
    ece,
    ece_positive,
    ece_top_label,
    gold_answer,
    label_questions,
    measure_gold,
    spearman,
)
from pytest_jevbench.questions import Case, Choice, Noul, Score

# Plain numbers -------------------------------------------------------------------------------------------------------


def test_brier_of_events() -> None:
    assert brier_positive([1], [0.4]).value == pytest.approx(0.36)
    assert brier_positive([1, 1, 1], [1.0, 1.0, 1.0]).value == 0.0


def test_the_two_calibration_errors_are_two_numbers() -> None:
    assert ece_positive([1, 0, 0, 0], [0.9] * 4).value == pytest.approx(0.65)
    assert ece_top_label([0.9] * 4, [1, 0, 0, 0]).value == pytest.approx(0.65)
    # p = [.1, .9] with y = [0, 0]: P(yes) is off by .1 and .9; the top labels, .9 each, are right once in two.
    assert ece_positive([0, 0], [0.1, 0.9]).value == pytest.approx(0.5)
    assert ece_top_label([0.9, 0.9], [1, 0]).value == pytest.approx(0.4)


def test_labels_without_a_probability_are_excluded_and_counted() -> None:
    found = brier_positive([1, 0, 1], [0.5, None, 1.0])
    assert (found.value, found.n, found.excluded) == (0.125, 2, 1)
    error = ece_positive([1, 0, 1], [0.5, None, 1.0])
    assert (error.n, error.excluded) == (2, 1)
    assert "P(yes)" in error.definition
    assert brier_positive([1], [None]) == Figure(None, 0, 1, found.definition)
    assert ece_top_label([None], [0.0]).value is None


@pytest.mark.parametrize(("p", "place"), [(0.0, 0), (0.0999, 0), (0.1, 1), (0.3, 3), (0.7, 7), (0.9, 9), (1.0, 9)])
def test_bins_are_half_open_and_the_last_is_closed(p: float, place: int) -> None:
    filled = [i for i, b in enumerate(calibration_bins([p], [1.0])) if b.n]
    assert filled == [place]


def test_bins_of_equal_mass_share_out_what_there_is() -> None:
    bins = calibration_bins([i / 25 for i in range(25)], [0.0] * 25, equal_mass=True)
    assert [b.n for b in bins] == [3, 3, 3, 3, 3, 2, 2, 2, 2, 2]
    assert [b.n for b in calibration_bins([0.5, 0.6], [1.0, 0.0], equal_mass=True)] == [1, 1]


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1))
def test_calibration_error_is_at_most_the_mean_error(pairs: list[tuple[float, bool]]) -> None:
    p, hit = [q for q, _ in pairs], [float(event) for _, event in pairs]
    error = ece(calibration_bins(p, hit))
    assert error is not None
    assert abs(np.mean(p) - np.mean(hit)) - 1e-9 <= error <= np.mean(np.abs(np.subtract(p, hit))) + 1e-9


def test_spearman() -> None:
    assert spearman([1, 2, 2, 3], [1, 2, 3, 3]) == pytest.approx(0.833333, abs=5e-7)
    assert spearman([1, 1, 1], [1, 2, 3]) is None
    assert spearman([1], [2]) is None
    with pytest.raises(ValueError, match="2 and 1 items"):
        spearman([1, 2], [1])


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3))
def test_spearman_is_that_of_scipy(pairs: list[tuple[int, int]]) -> None:
    x, y = [a for a, _ in pairs], [b for _, b in pairs]
    if len(set(x)) < 2 or len(set(y)) < 2:
        assert spearman(x, y) is None
    else:
        assert spearman(x, y) == pytest.approx(spearmanr(x, y).statistic)


# Gold answers --------------------------------------------------------------------------------------------------------

NOUL, CHOICE = Noul("Is it?"), Choice("Which?", {"a": "A", "b": "B", "c": "C"})
LEVELS = Score("How?", ("low", "mid", "high"))


def case(name: str, domain: str = "", **questions: Noul | Choice | Score) -> Case:
    return Case(name, "state", questions, domain)


def noul(yes: float) -> dict[str, float]:
    return {"false": 1 - yes, "true": yes}


CASES = {
    "one": case("one", "shop", n=NOUL, c=CHOICE, s=LEVELS),
    "two": case("two", "bank", n=NOUL, c=CHOICE, s=LEVELS),
}
GOLD: Mapping[str, Mapping[str, bool | int | str | None]] = {
    "one": {"n": True, "c": "a", "s": 2},
    "two": {"n": False, "c": "a", "s": None},
}
SOURCES = {
    "one": {"n": noul(0.8), "c": {"a": 0.2, "b": 0.5, "c": 0.3}, "s": {"0": 0.0, "1": 0.25, "2": 0.75}},
    "two": {"n": noul(0.6)},
}


@pytest.fixture
def figures() -> GoldFigures:
    found = measure_gold(CASES, GOLD, SOURCES)
    assert found is not None
    return found


def test_accuracy_over_the_answered_and_over_all(figures: GoldFigures) -> None:
    # Right: n and s of case one. Wrong: c of one, n of two. Not answered: c of two. Null gold: s of two.
    total = figures.total
    assert (total.questions, total.answered, total.right, figures.unlabelled) == (5, 4, 2.0, 1)
    assert (total.accuracy_answered, total.accuracy_strict) == (2 / 4, 2 / 5)
    interval = total.accuracy_strict_interval
    assert interval is not None
    assert (interval.low, interval.high) == (pytest.approx(0.117621, abs=1e-6), pytest.approx(0.769276, abs=1e-6))


def test_accuracy_by_type_and_domain(figures: GoldFigures) -> None:
    by_type = {name: (row.right, row.answered, row.questions) for name, row in figures.by_type.items()}
    assert by_type == {"noul": (1, 2, 2), "choice": (0, 1, 2), "score": (1, 1, 1)}
    assert {name: row.accuracy_strict for name, row in figures.by_domain.items()} == {"shop": 2 / 3, "bank": 0.0}


def test_baselines(figures: GoldFigures) -> None:
    assert figures.majority_class == 4 / 5  # true (one of two Nouls), a (both Choices), level 2
    assert figures.chance == pytest.approx((2 / 2 + 3 / 3) / 5)


def test_probabilities_against_labels(figures: GoldFigures) -> None:
    squared = [2 * 0.04, 0.64 + 0.25 + 0.09, 0.0625 + 0.0625, 2 * 0.36]
    assert (figures.brier.value, figures.brier.n, figures.brier.excluded) == (pytest.approx(sum(squared) / 4), 4, 1)
    assert figures.brier_positive.value == pytest.approx((0.04 + 0.36) / 2)
    assert figures.ece_positive.value == pytest.approx((0.2 + 0.6) / 2)
    # Tops .8 right, .5 wrong, .75 right, .6 wrong, in bins 8, 5, 7 and 6.
    assert figures.ece_top_label.value == pytest.approx((0.2 + 0.5 + 0.25 + 0.6) / 4)
    assert figures.mean_level_error.value == pytest.approx(0.25)


def test_a_shared_top_counts_in_part() -> None:
    uniform = {name: {"n": noul(0.5), "c": dict.fromkeys("abc", 1 / 3)} for name in CASES}
    found = measure_gold({n: case(n, n=NOUL, c=CHOICE) for n in CASES}, GOLD, uniform)
    assert found is not None
    assert found.total.accuracy_answered == pytest.approx((0.5 + 1 / 3) / 2)
    assert found.total.accuracy_answered == pytest.approx(found.chance)


def test_no_gold_no_figures() -> None:
    assert measure_gold(CASES, {}, SOURCES) is None
    assert measure_gold(CASES, {"one": dict.fromkeys("ncs")}, SOURCES) is None


def test_nothing_answered_is_undefined_and_strictly_wrong() -> None:
    found = measure_gold(CASES, GOLD, {})
    assert found is not None
    assert (found.total.accuracy_answered, found.total.accuracy_answered_interval) == (None, None)
    assert found.total.accuracy_strict == 0.0
    assert (found.brier.value, found.brier.excluded) == (None, 5)


def test_an_interval_over_cases_needs_two() -> None:
    alone = measure_gold({"one": CASES["one"]}, GOLD, SOURCES)
    assert alone is not None
    assert alone.case_interval is None
    both = measure_gold(CASES, GOLD, SOURCES)
    assert both is not None
    assert both.case_interval is not None
    assert (both.case_interval.low, both.case_interval.high) == (0.0, pytest.approx(2 / 3))


def test_figures_are_strict_json(figures: GoldFigures) -> None:
    section = figures.to_json()
    assert (section["accuracy_strict"], section["questions"]) == (0.4, 5)
    assert '"ece_top_label": {"value"' in dumps(section)


@pytest.mark.parametrize(
    ("question", "value", "label"),
    [(NOUL, True, "true"), (NOUL, False, "false"), (CHOICE, "b", "b"), (LEVELS, 0, "0"), (LEVELS, 2, "2")],
)
def test_gold_answers(question: Noul | Choice | Score, value: bool | int | str, label: str) -> None:
    assert gold_answer(question, value, Place()) == label


@pytest.mark.parametrize(
    ("question", "value"),
    [(NOUL, "yes"), (NOUL, 1), (CHOICE, "d"), (CHOICE, 0), (LEVELS, 3), (LEVELS, True), (LEVELS, -1)],
)
def test_a_gold_answer_the_question_does_not_have(question: Noul | Choice | Score, value: bool | int | str) -> None:
    with pytest.raises(InputError, match=r"x\.answers\.q"):
        label_questions({"x": case("x", q=question)}, {"x": {"q": value}}, {})
