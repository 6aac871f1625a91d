"""The figures of rows written down here; every expected value was worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from pytest_jevbench.json_text import dumps
from pytest_jevbench.labelled.figures import Figures, measure_rows
from pytest_jevbench.labelled.results import Reason, TaskResult, judge_answer
from pytest_jevbench.labelled.rows import LabelledRow
from pytest_jevbench.metrics import Figure

LABELS = {"noul": ("no", "yes"), "choice": ("a", "b", "c"), "score": ("0", "1", "2")}


def row(name: str, kind: str, expected: str | None, *p: float, given: str | None = None, **more: Any) -> LabelledRow:
    """A row about a state of its own: with probabilities, or a label alone, judged."""
    labels = LABELS[kind]
    probabilities = dict(zip(labels, p, strict=True)) if p else None
    label, verdict, reason = judge_answer(labels, expected, given, probabilities)
    source: Any = "native" if p else "label_only"
    result = TaskResult(name, verdict, reason, label, probabilities, source, model_asked="m")
    return _placed(LabelledRow(name, "f", kind, "public", None, name, labels, expected, False, result), more)


def failed(name: str, reason: Reason, expected: str | None = "yes", kind: str = "noul", **more: Any) -> LabelledRow:
    """A row without a valid answer."""
    verdict: Any = "wrong" if reason in ("invalid", "abstained") else "unjudged"
    result = TaskResult(name, verdict, reason)
    return _placed(LabelledRow(name, "f", kind, "public", None, name, LABELS[kind], expected, False, result), more)


def _placed(made: LabelledRow, more: Mapping[str, Any]) -> LabelledRow:
    of_row = {name: value for name, value in more.items() if name in ("family", "split", "group", "case")}
    of_result = {name: value for name, value in more.items() if name not in of_row}
    return replace(made, **of_row, result=replace(made.result, **of_result))


def value(figure: Figure) -> tuple[float | None, int, int]:
    return (None if figure.value is None else round(figure.value, 12), figure.n, figure.excluded)


MIXED = [
    row("n1", "noul", "yes", 0.2, 0.8),  # right, top .8
    row("n2", "noul", "no", 0.4, 0.6),  # wrong, top .6
    row("c1", "choice", "a", 0.2, 0.5, 0.3),  # wrong, top .5
    row("s1", "score", "2", 0.4, 0.2, 0.4),  # tied at 0 and 2: wrong; mean level 1
    row("s2", "score", "1", 0.25, 0.0, 0.75),  # wrong, top .75; given 2, mean level 1.5
    failed("x1", "invalid"),
    failed("x2", "refused"),
    failed("x3", "unreachable"),
    failed("x4", "unattempted"),
    failed("x5", "over_budget"),
    row("u1", "noul", None, 0.1, 0.9),  # nobody knows the label
]


@pytest.fixture
def mixed() -> Figures:
    return measure_rows(MIXED)


def test_everything_planned_is_counted_once(mixed: Figures) -> None:
    counts = mixed.counts
    assert (counts.planned, counts.asked, counts.labelled, counts.valid) == (11, 9, 8, 6)
    assert (counts.correct, counts.wrong, counts.unjudged) == (1, 5, 5)
    assert counts.correct + counts.wrong + counts.unjudged == counts.planned
    assert {reason: n for reason, n in counts.reasons.items() if n} == dict.fromkeys(
        ("tied", "invalid", "refused", "unreachable", "unattempted", "over_budget", "unlabelled"), 1
    )
    assert not counts.complete


def test_failures_are_in_the_denominator_and_what_was_not_asked_is_not(mixed: Figures) -> None:
    """Right: n1. Asked with a label: 8. A valid answer: 5. Wilson for 1 of 8: [0.022421, 0.470898]."""
    of = mixed.accuracy
    assert (of.n, of.answered, of.right) == (8, 5, 1)
    assert (of.accuracy_strict, of.accuracy_answered) == (1 / 8, 1 / 5)
    assert of.method == "wilson"
    assert of.interval is not None
    assert (round(of.interval.low, 4), round(of.interval.high, 4)) == (0.0224, 0.4709)


def test_the_majority_class_is_that_of_each_type(mixed: Figures) -> None:
    """Of five Nouls four are yes; the one Choice is a; the Scores are 2 and 1, and 2 comes first: 4 + 1 + 1 of 8."""
    assert mixed.accuracy.majority_class == 6 / 8


def test_brier_is_summed_over_all_labels(mixed: Figures) -> None:
    """.04 + .04; .36 + .36; .64 + .25 + .09; .16 + .04 + .36; .0625 + 1 + .5625: 3.965 over 5."""
    assert value(mixed.calibration.brier) == (round((0.08 + 0.72 + 0.98 + 0.56 + 1.625) / 5, 12), 5, 3)
    assert value(mixed.calibration.brier_positive) == (round((0.04 + 0.36) / 2, 12), 2, 3)


def test_both_calibration_errors(mixed: Figures) -> None:
    """Tops .8 right, .6, .5, .4 (tied) and .75 wrong, in bins of their own; P(yes) .8 with yes, .6 with no."""
    assert value(mixed.calibration.ece_top_label) == (round((0.2 + 0.6 + 0.5 + 0.4 + 0.75) / 5, 12), 5, 3)
    assert value(mixed.calibration.ece_positive) == (round((0.2 + 0.6) / 2, 12), 2, 3)
    assert [(b.low, b.n) for b in mixed.calibration.bins if b.n] == [(0.4, 1), (0.5, 1), (0.6, 1), (0.7, 1), (0.8, 1)]
    assert mixed.calibration.probs_source == "native"


def test_the_most_probable_level_and_the_mean_level_are_two_predictions(mixed: Figures) -> None:
    """Mean levels 1 and 1.5 for 2 and 1; [.4, .2, .4] gives no label, and [.25, 0, .75] gives 2 for 1."""
    assert value(mixed.levels.mean_level_error) == ((1 + 0.5) / 2, 2, 0)
    assert value(mixed.levels.argmax_level_error) == (1.0, 1, 1)


def test_the_two_level_errors_part_where_a_distribution_has_two_ends() -> None:
    """[.41, .2, .39] gives level 0 for 0; its mean level is .98."""
    levels = measure_rows([row("s", "score", "0", 0.41, 0.2, 0.39)]).levels
    assert value(levels.argmax_level_error) == (0.0, 1, 0)
    assert value(levels.mean_level_error) == (0.98, 1, 0)


# A shared top ---------------------------------------------------------------------------------------------------------


def test_a_shared_top_is_wrong_in_every_figure() -> None:
    """As its verdict is: the model names no label. Right are 1 of 2, and the top .5 was right 0 of 1 times."""
    figures = measure_rows([row("t", "noul", "yes", 0.5, 0.5, group="g"), row("r", "noul", "yes", 0.0, 1.0, group="g")])
    assert (figures.counts.correct, figures.counts.wrong, figures.counts.reasons["tied"]) == (1, 1, 1)
    assert (figures.accuracy.right, figures.accuracy.accuracy_strict, figures.accuracy.accuracy_answered) == (
        1,
        0.5,
        0.5,
    )
    assert value(figures.calibration.ece_top_label) == (0.25, 2, 0)
    assert (figures.pairs.agreement, figures.pairs.agreement_n) == (None, 0)
    assert (figures.pairs.both_correct, figures.pairs.both_correct_n) == (0.0, 1)


def test_accuracy_is_the_share_of_correct_verdicts() -> None:
    figures = measure_rows(MIXED)
    assert figures.accuracy.right == figures.counts.correct


# Families, splits, states ---------------------------------------------------------------------------------------------


def test_families_count_the_same_in_the_macro_accuracy() -> None:
    rows = [row(f"a{i}", "noul", "yes", 0.1, 0.9, family="a") for i in range(3)]
    rows += [row("b1", "noul", "yes", 0.9, 0.1, family="b"), failed("c1", "unattempted", family="c")]
    figures = measure_rows(rows)
    assert figures.accuracy.accuracy_strict == 3 / 4
    assert (figures.macro_accuracy, figures.families) == (0.5, 2)
    assert {name: part.accuracy.n for name, part in figures.by_family.items()} == {"a": 3, "b": 1}
    assert figures.by_family["a"].calibration.brier.value == pytest.approx(0.02)


def test_splits_and_types_have_their_own_figures() -> None:
    rows = [row("a", "noul", "yes", 0.1, 0.9), row("b", "choice", "a", 0.0, 1.0, 0.0, split="hard")]
    figures = measure_rows(rows)
    assert {name: part.accuracy.accuracy_strict for name, part in figures.by_split.items()} == {"public": 1, "hard": 0}
    assert {name: part.accuracy.accuracy_strict for name, part in figures.by_type.items()} == {"noul": 1, "choice": 0}


def test_questions_about_one_state_are_drawn_together() -> None:
    """Two states, one all right and one all wrong: the bootstrap draws both of one in half of all draws."""
    rows = [row(f"a{i}", "noul", "yes", 0.1, 0.9, case="one") for i in range(5)]
    rows += [row(f"b{i}", "noul", "yes", 0.9, 0.1, case="two") for i in range(5)]
    of = measure_rows(rows).accuracy
    assert (of.method, of.cases, of.n) == ("bootstrap", 2, 10)
    assert of.interval is not None
    assert (of.interval.low, of.interval.high) == (0.0, 1.0)


def test_five_states_of_one_accuracy_give_a_degenerate_interval() -> None:
    rows = [row(f"{i}{j}", "noul", "yes", 0.1, 0.9, case=str(i)) for i in range(5) for j in range(2)]
    interval = measure_rows(rows).accuracy.interval
    assert interval is not None
    assert (interval.low, interval.high, interval.degenerate) == (1.0, 1.0, True)


def test_one_state_gives_no_interval_and_the_reason() -> None:
    of = measure_rows([row(f"{i}", "noul", "yes", 0.1, 0.9, case="one") for i in range(4)]).accuracy
    assert (of.interval, of.method) == (None, None)
    assert of.interval_reason == "all tasks are about one state, and the interval is over states"


@pytest.mark.parametrize(
    ("right", "n", "low", "high"),
    [
        (0, 77, 0.0, 0.047518),
        (38, 38, 0.908190, 1.0),
        (0, 1, 0.0, 0.793451),
        (1, 1, 0.206549, 1.0),
        (2, 6, 0.0968, 0.7),
    ],
)
def test_wilson_intervals(right: int, n: int, low: float, high: float) -> None:
    rows = [row(f"{i}", "noul", "yes", *((0.1, 0.9) if i < right else (0.9, 0.1))) for i in range(n)]
    interval = measure_rows(rows).accuracy.interval
    assert interval is not None
    assert (interval.low, interval.high) == (pytest.approx(low, abs=5e-5), pytest.approx(high, abs=5e-5))
    assert 0.0 <= interval.low <= interval.high <= 1.0


# Pairs ---------------------------------------------------------------------------------------------------------------


def test_pairs_that_agree_and_pairs_that_are_right() -> None:
    """g: three members, 3 pairs, given yes, yes, no: 1 agrees, 1 both right. h: both wrong alike. i: one refused."""
    rows = [
        row("g1", "noul", "yes", 0.1, 0.9, group="g"),
        row("g2", "noul", "yes", 0.2, 0.8, group="g"),
        row("g3", "noul", "yes", 0.7, 0.3, group="g"),
        row("h1", "noul", "yes", 0.9, 0.1, group="h"),
        row("h2", "noul", "yes", 0.8, 0.2, group="h"),
        row("i1", "noul", "yes", 0.1, 0.9, group="i"),
        failed("i2", "refused", group="i"),
        row("j1", "noul", "yes", 0.1, 0.9, group="j"),
        failed("j2", "unattempted", group="j"),
        row("k1", "noul", None, 0.1, 0.9, group="k"),
        row("k2", "noul", None, 0.1, 0.9, group="k"),
        row("alone", "noul", "yes", 0.1, 0.9, group="l"),
    ]
    pairs = measure_rows(rows).pairs
    assert pairs.pairs == 3 + 1 + 1 + 1
    assert (pairs.agreement, pairs.agreement_n) == (3 / 5, 5)
    assert (pairs.both_correct, pairs.both_correct_n) == (1 / 5, 5)


# Labels alone, sources -----------------------------------------------------------------------------------------------


def test_a_label_alone_has_an_accuracy_and_no_calibration() -> None:
    rows = [row("a", "noul", "yes", given="yes"), row("b", "choice", "a", given="b"), failed("c", "abstained")]
    figures = measure_rows(rows)
    assert figures.accuracy.accuracy_strict == 1 / 3
    calibration = figures.calibration
    assert calibration.probs_source is None
    for figure in (calibration.brier, calibration.ece_top_label, calibration.ece_top_label_equal_mass):
        assert value(figure) == (None, 0, 3)
    assert value(calibration.ece_positive) == (None, 0, 2)
    assert all(b.n == 0 and b.mean is None and b.rate is None for b in calibration.bins)


@pytest.mark.parametrize(
    ("sources", "told"), [(("verbalised",) * 2, "verbalised"), (("native", "verbalised"), "mixed")], ids=str
)
def test_where_probabilities_come_from(sources: Sequence[str], told: str) -> None:
    rows = [row(f"{i}", "noul", "yes", 0.1, 0.9, probs_source=source) for i, source in enumerate(sources)]
    assert measure_rows(rows).calibration.probs_source == told


def test_equal_mass_bins_stand_beside_equal_widths() -> None:
    """All twenty tops lie in the bin [.9, 1]: .95 on average, .5 right. Of equal mass, ten bins of two."""
    rows = [row(f"{i}", "noul", "yes" if i % 2 else "no", 0.1 - i / 200, 0.9 + i / 200) for i in range(20)]
    calibration = measure_rows(rows).calibration
    mean = sum(0.9 + i / 200 for i in range(20)) / 20
    assert calibration.ece_top_label.value == pytest.approx(mean - 0.5)
    assert calibration.ece_top_label_equal_mass.value == pytest.approx(mean - 0.5)
    late = [row(f"{i}", "noul", "yes" if i >= 10 else "no", 0.1 - i / 200, 0.9 + i / 200) for i in range(20)]
    first, second = (sum(0.9 + i / 200 for i in part) / 10 for part in (range(10), range(10, 20)))
    calibration = measure_rows(late).calibration
    assert calibration.ece_top_label.value == pytest.approx(mean - 0.5)
    assert calibration.ece_top_label_equal_mass.value == pytest.approx((first + (1 - second)) / 2)


# Latency and cost ----------------------------------------------------------------------------------------------------


def test_latency_quantiles_lie_between_measurements() -> None:
    """Of 1, 2, 3, 4 s the median is 2.5 and the 95th percentile 1 + .95 · 3 = 3.85. Failures stand apart."""
    rows = [row(f"{i}", "noul", "yes", 0.1, 0.9, latency_s=float(i)) for i in (3, 1, 4, 2)]
    rows += [failed("x", "unreachable", latency_s=30.0), failed("y", "unattempted")]
    figures = measure_rows(rows)
    assert (figures.latency.n, figures.latency.p50_s, figures.latency.p95_s) == (4, 2.5, pytest.approx(3.85))
    assert (figures.latency_failures.n, figures.latency_failures.p50_s) == (1, 30.0)


def test_a_cost_is_known_where_each_is() -> None:
    rows = [
        row("a", "noul", "yes", 0.1, 0.9, cost_usd=0.25, cost_basis="derived_usage_times_tariff"),
        row("b", "noul", "yes", 0.1, 0.9, cost_usd=0.5, cost_basis="derived_usage_times_tariff"),
    ]
    cost = measure_rows(rows).cost
    assert (cost.usd, cost.n, cost.unknown, cost.usd_per_1000) == (0.75, 2, 0, 375.0)
    assert list(cost.bases) == ["derived_usage_times_tariff"]


def test_a_reservation_is_no_price() -> None:
    rows = [
        row("a", "noul", "yes", 0.1, 0.9, cost_usd=0.25, cost_basis="derived_usage_times_tariff"),
        row("b", "noul", "yes", 0.1, 0.9, reserved_usd=9.75, cost_basis="local_no_provider_tariff"),
    ]
    cost = measure_rows(rows).cost
    assert (cost.usd, cost.n, cost.unknown, cost.usd_per_1000) == (None, 1, 1, None)
    assert cost.reason == "the price of 1 request of 2 is not known"
    assert "9.75" not in dumps(measure_rows(rows).to_json())


# Nothing -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rows", [[], [failed("x", "unattempted"), failed("y", "over_budget")]], ids=["none", "unasked"]
)
def test_over_nothing_every_figure_is_null(rows: list[LabelledRow]) -> None:
    told = measure_rows(rows).to_json()
    accuracy: Any = told["accuracy"]
    assert (accuracy["n"], accuracy["interval_reason"]) == (0, "there is no labelled answer")
    nulls = ("accuracy_strict", "accuracy_answered", "interval", "method", "majority_class")
    assert [accuracy[name] for name in nulls] == [None] * 5
    assert told["macro_accuracy"] == {"value": None, "n": 0}
    calibration: Any = told["calibration"]
    figures = [part for part in calibration.values() if isinstance(part, dict)]
    assert len(figures) == 5
    assert all(part["value"] is None and part["n"] == 0 for part in figures)
    assert told["latency"] == told["latency_failures"] == {"n": 0, "p50_s": None, "p95_s": None}
    cost: Any = told["cost"]
    assert (cost["usd"], cost["n"], cost["reason"]) == (None, 0, "nothing was asked")
    assert (told["by_family"], told["by_split"], told["by_type"]) == ({}, {}, {})
    dumps(told)
