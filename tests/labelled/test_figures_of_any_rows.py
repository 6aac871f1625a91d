"""Figures of any labelled rows: against scikit-learn, numpy and statsmodels, and against each other."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from sklearn.calibration import calibration_curve
from sklearn.metrics import accuracy_score, brier_score_loss
from statsmodels.stats.proportion import proportion_confint

from pytest_jevbench.json_text import dumps
from pytest_jevbench.labelled.document import LabelledDocument, schema
from pytest_jevbench.labelled.figures import measure_rows
from pytest_jevbench.labelled.results import Reason, TaskResult, Verdict, judge_answer
from pytest_jevbench.labelled.rows import LabelledRow

NO_YES, ABC, LEVELS = ("no", "yes"), ("a", "b", "c"), ("0", "1", "2")
VALIDATOR = Draft202012Validator(schema())
TYPES = {NO_YES: "noul", ABC: "choice", LEVELS: "score"}
UNJUDGED = ("refused", "unreachable", "over_budget", "unattempted")


def row(
    number: int,
    labels: tuple[str, ...],
    expected: str | None,
    answer: Any,
    *,
    family: str = "f",
    split: str = "public",
    group: str | None = None,
    case: str = "",
    **more: Any,
) -> LabelledRow:
    """A row judged as a run judges it. ``answer`` is probabilities in order, a label alone, or why there is none."""
    verdict: Verdict = "unjudged" if answer in UNJUDGED else "wrong"
    given, p, source = None, None, None
    reason: Reason = answer if isinstance(answer, str) and answer not in labels else ""
    if isinstance(answer, (list, tuple)):
        p, source = dict(zip(labels, answer, strict=True)), "native"
    elif answer in labels:
        given, source = answer, "label_only"
    if not reason:
        given, verdict, reason = judge_answer(labels, expected, given, p)
    result = TaskResult(
        f"t{number}",
        **{"verdict": verdict, "reason": reason, "given": given, "probabilities": p, "probs_source": source, **more},
    )
    return LabelledRow(
        f"t{number}", family, TYPES[labels], split, group, case or f"case-{number}", labels, expected, False, result
    )


def rows(*specs: tuple[Any, ...], **more: Any) -> list[LabelledRow]:
    return [row(i, *spec, **more) for i, spec in enumerate(specs)]


MIXED = (
    (NO_YES, "yes", (0.1, 0.9)),  # right
    (NO_YES, "no", (0.3, 0.7)),  # wrong
    (NO_YES, "yes", (0.5, 0.5)),  # tied
    (ABC, "b", (0.25, 0.5, 0.25)),  # right
    (ABC, "a", (0.2, 0.2, 0.6)),  # wrong
    (ABC, "a", "invalid"),
    (LEVELS, "2", (0.4, 0.2, 0.4)),  # tied, mean level 1
    (LEVELS, "0", (0.5, 0.25, 0.25)),  # right, mean level 0.75
    (LEVELS, "1", "refused"),
    (NO_YES, "yes", "abstained"),
    (ABC, "a", "unreachable"),
    (NO_YES, None, (0.2, 0.8)),  # nobody knows
    (ABC, "a", "unattempted"),
    (ABC, "a", "over_budget"),
)


def test_accuracy_is_that_of_scikit_learn() -> None:
    truth = [spec[1] for spec in MIXED[:11]]
    said = ["yes", "yes", "-", "b", "c", "-", "-", "0", "-", "-", "-"]
    assert measure_rows(rows(*MIXED[:11])).accuracy.accuracy_strict == accuracy_score(truth, said)


@pytest.mark.parametrize(("right", "n"), [(0, 1), (1, 1), (2, 6), (0, 77), (38, 38), (3, 11)])
def test_wilson_where_every_task_has_its_own_state(right: int, n: int) -> None:
    made = rows(*[(NO_YES, "yes", (0.2, 0.8))] * right, *[(NO_YES, "yes", (0.8, 0.2))] * (n - right))
    of = measure_rows(made).accuracy
    low, high = proportion_confint(right, n, method="wilson")
    assert (of.method, of.cases, of.interval_reason) == ("wilson", n, "")
    assert of.interval is not None
    assert (of.interval.low, of.interval.high) == (pytest.approx(low, abs=1e-9), pytest.approx(high, abs=1e-9))
    assert 0.0 <= of.interval.low <= of.interval.high <= 1.0


def test_the_bootstrap_draws_states_and_not_tasks() -> None:
    """40 states of 5 equal tasks, half of them right: as wide as that of 40 tasks, not as that of 200."""
    made = [
        row(5 * s + t, NO_YES, "yes", (0.1, 0.9) if s % 2 else (0.9, 0.1), case=f"s{s}")
        for s in range(40)
        for t in range(5)
    ]
    of = measure_rows(made).accuracy
    assert of.interval is not None
    half = 1.96 * (0.25 / 40) ** 0.5
    assert of.interval.high - of.interval.low == pytest.approx(2 * half, rel=0.1)
    assert (of.interval.low + of.interval.high) / 2 == pytest.approx(0.5, abs=0.03)


@pytest.mark.parametrize(("p", "place"), [(0.5, 5), (0.6, 6), (0.7, 7), (0.8, 8), (0.9, 9), (0.8999, 8), (1.0, 9)])
def test_bins_are_half_open_and_the_last_is_closed(p: float, place: int) -> None:
    bins = measure_rows([row(0, NO_YES, "yes", (1 - p, p) if p > 0.5 else (0.5, 0.5))]).calibration.bins
    assert [i for i, b in enumerate(bins) if b.n] == [place]


@settings(max_examples=30, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from(NO_YES), st.integers(1, 999).filter(lambda p: p % 100 and p != 500)),
        min_size=2,
        max_size=40,
    )
)
def test_brier_and_ece_are_those_of_scikit_learn(pairs: list[tuple[str, int]]) -> None:
    made = [row(i, NO_YES, label, (1 - p / 1000, p / 1000)) for i, (label, p) in enumerate(pairs)]
    of = measure_rows(made).calibration
    y = np.array([label == "yes" for label, _ in pairs], dtype=int)
    p = np.array([q / 1000 for _, q in pairs])
    expected = brier_score_loss(y, p, pos_label=1)
    assert of.brier_positive.value == pytest.approx(expected)
    assert of.brier.value == pytest.approx(2 * expected)
    assert of.ece_positive.value == pytest.approx(sklearn_ece(y, p))
    top = np.maximum(p, 1 - p)
    assert of.ece_top_label.value == pytest.approx(sklearn_ece((y == (p > 0.5)).astype(int), top))


def sklearn_ece(hit: Any, p: Any) -> float:
    """From the points of scikit-learn's reliability diagram, weighted by numpy's histogram."""
    rate, mean = calibration_curve(hit, p, n_bins=10, strategy="uniform")
    counts = np.histogram(p, bins=np.linspace(0, 1, 11))[0]
    return float(np.average(np.abs(rate - mean), weights=counts[counts > 0]))


def test_probabilities_of_some_answers_are_said_to_be_of_some() -> None:
    made = rows((NO_YES, "yes", (0.2, 0.8)), (NO_YES, "yes", "no"), (NO_YES, "no", (0.6, 0.4)))
    of = measure_rows(made).calibration
    assert (of.brier.value, of.brier.n, of.brier.excluded) == (pytest.approx((0.08 + 0.32) / 2), 2, 1)
    assert (of.ece_top_label.n, of.ece_top_label.excluded) == (2, 1)


ANSWERS = st.sampled_from(["invalid", "refused", "unreachable", "abstained", "unattempted", "over_budget"])


@st.composite
def any_rows(draw: st.DrawFn) -> list[LabelledRow]:
    made = []
    for number in range(draw(st.integers(0, 12))):
        labels = draw(st.sampled_from((NO_YES, ABC, LEVELS)))
        weights = draw(st.lists(st.integers(0, 9), min_size=len(labels), max_size=len(labels)).filter(any))
        total = sum(weights)
        answer = draw(ANSWERS | st.sampled_from(labels) | st.just([w / total for w in weights]))
        made.append(
            row(
                number,
                labels,
                draw(st.none() | st.sampled_from(labels)),
                answer,
                family=draw(st.sampled_from("xyz")),
                group=draw(st.none() | st.just(f"g-{TYPES[labels]}")),
                case=draw(st.sampled_from(["", "s1", "s2"])),
            )
        )
    return made


@settings(max_examples=20, deadline=None)
@given(any_rows())
def test_figures_agree_with_each_other_whatever_the_rows(made: list[LabelledRow]) -> None:
    figures = measure_rows(made)
    counts, of = figures.counts, figures.accuracy
    assert counts.correct + counts.wrong + counts.unjudged == counts.planned == len(made)
    assert counts.planned - counts.asked == counts.reasons["unattempted"] + counts.reasons["over_budget"]
    failed = sum(counts.reasons[reason] for reason in ("invalid", "abstained", "refused", "unreachable"))
    assert counts.asked == counts.valid + failed
    assert of.right == counts.correct
    assert of.n == counts.labelled == sum(part.accuracy.n for part in figures.by_family.values())
    assert of.right == sum(part.accuracy.right for part in figures.by_type.values())
    if of.accuracy_strict is not None and of.accuracy_answered is not None:
        assert 0 <= of.accuracy_strict <= of.accuracy_answered <= 1
    if of.interval is not None:
        assert 0 <= of.interval.low <= of.interval.high <= 1
    assert sum(b.n for b in figures.calibration.bins) == figures.calibration.ece_top_label.n
    document = LabelledDocument("d", "a" * 64, {}, tuple(made))
    value = json.loads(dumps(document.to_json()))
    VALIDATOR.validate(value)
    assert LabelledDocument.from_json(value).to_json() == document.to_json()
