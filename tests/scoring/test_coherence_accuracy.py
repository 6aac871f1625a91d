"""Coherence against accuracy, on cards whose correlations were worked out by hand or by scipy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from scipy.stats import spearmanr

from pytest_jevbench.json_text import dumps
from pytest_jevbench.metrics import measure_gold
from pytest_jevbench.questions import Case, Noul
from pytest_jevbench.reports.coherence_accuracy_text import answer_in_words, coherence_accuracy_text
from pytest_jevbench.reports.text import plain
from pytest_jevbench.runs.results import TestResult
from pytest_jevbench.scoring.card import ModelFacts, build_card, score_run
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.coherence_accuracy import CoherenceAccuracy, card_points, compare_accuracy
from pytest_jevbench.scoring.scores_json import reference_json
from tests.scoring.by_hand import facts_for, judged, unjudged

YES_BY_CREDIT = {1.0: 0.9, 0.5: 0.5, 0.0: 0.1, None: None}
"""P(yes) of an answer to a question whose answer is yes; None is no answer."""

RIGHT, TIED, WRONG, NONE = 1.0, 0.5, 0.0, None


def broken(relation: str, case: str, violated: int, held: int, key: str = "q") -> TestResult:
    """A test with so many outcomes past their tolerance, and so many within."""
    return judged(relation, case, *[0.9] * violated, *[0.0] * held, key=key)


def card_of(
    results: Sequence[TestResult],
    credits_: Mapping[str, Mapping[str, float | None]],
    families: Mapping[str, str] | None = None,
    *,
    name: str = "m",
    gold: bool = True,
) -> Card:
    """A card with these outcomes, and answers that are so right."""
    cases = {c: Case(c, "state", {key: Noul("Is it?") for key in of}) for c, of in credits_.items()}
    sources = {
        c: {key: {"false": 1 - p, "true": p} for key, q in of.items() if (p := YES_BY_CREDIT[q]) is not None}
        for c, of in credits_.items()
    }
    figures = measure_gold(cases, {c: dict.fromkeys(of, True) for c, of in credits_.items()} if gold else {}, sources)
    reference = reference_json("uniform", score_run(facts_for(results), results), 0.5)
    accuracy = None if figures is None else figures.to_json()
    facts = facts_for(results, families or {}, model=ModelFacts(name))
    return Card.from_json(build_card(facts, list(results), accuracy=accuracy, reference=reference))


def compared(card: Card, draws: int = 200) -> CoherenceAccuracy:
    found = compare_accuracy(card, draws)
    assert found is not None
    return found


# Four questions: of their outcomes 0, 1/2, 1/2 and 1 break a law; the answers are right, tied, wrong and wrong.
FOUR = [
    broken("key_rename", "c0", 0, 2),
    broken("key_rename", "c1", 1, 1),
    broken("count_upper", "c2", 1, 1),
    broken("key_rename", "c3", 2, 0),
]
CREDITS = {"c0": {"q": RIGHT}, "c1": {"q": TIED}, "c2": {"q": WRONG}, "c3": {"q": WRONG}}
FAMILIES = {"c0": "shop", "c1": "shop", "c2": "bank", "c3": "bank"}


@pytest.fixture
def four() -> CoherenceAccuracy:
    return compared(card_of(FOUR, CREDITS, FAMILIES))


def test_the_rank_correlation_over_questions(four: CoherenceAccuracy) -> None:
    """Ranks 1, 2.5, 2.5, 4 and 1, 2, 3.5, 3.5: 5/6."""
    of = four.by_question
    assert (of.value, of.n, of.cases, of.reason) == (pytest.approx(5 / 6), 4, 4, "")
    assert (four.questions, four.cases, four.left_out) == (4, 4, 0)


def test_questions_with_and_without_a_broken_law(four: CoherenceAccuracy) -> None:
    """c0 alone is coherent and right; the others err by 1/2, 1 and 1."""
    split = four.split
    assert (split.coherent, split.incoherent) == (1, 3)
    assert (split.coherent_error, split.incoherent_error) == (0.0, pytest.approx(5 / 6))
    assert split.difference == pytest.approx(5 / 6)


def test_families_are_means_over_their_questions(four: CoherenceAccuracy) -> None:
    assert [(row.name, row.questions, row.incoherence, row.error) for row in four.families] == [
        ("bank", 2, 0.75, 1.0),
        ("shop", 2, 0.25, 0.25),
    ]
    assert (four.by_family.value, four.by_family.n) == (pytest.approx(1.0), 2)
    assert [(row.name, row.questions, row.incoherence, row.error) for row in four.keys] == [("q", 4, 0.5, 0.625)]


def test_a_dimension_alone(four: CoherenceAccuracy) -> None:
    """Laws of REP are measured at c0, c1 and c3: 0, 1/2, 1 against 0, 1/2, 1. Of LOG there is one question."""
    assert (four.by_dimension["REP"].value, four.by_dimension["REP"].n) == (pytest.approx(1.0), 3)
    log = four.by_dimension["LOG"]
    assert (log.value, log.n, log.reason) == (None, 1, "there is one question")
    assert (four.by_dimension["MEA"].n, four.by_dimension["MEA"].reason) == (0, "there is no question")


def test_questions_without_an_answer_or_a_judged_outcome_are_left_out() -> None:
    results = [*FOUR, broken("key_rename", "c4", 1, 0), unjudged("key_rename", "c5")]
    results.append(broken("sharpen", "c6", 1, 0))  # a diagnostic is no part of the score
    credits_ = {**CREDITS, "c4": {"q": NONE}, "c5": {"q": RIGHT}, "c6": {"q": RIGHT}}
    found = compared(card_of(results, credits_))
    assert (found.questions, found.left_out) == (4, 3)
    assert found.by_question.value == pytest.approx(5 / 6)


def test_an_outcome_counts_for_each_question_that_it_is_about() -> None:
    results = [broken("key_rename", "c0", 1, 0, key="a"), broken("key_rename", "c0", 0, 1, key="b")]
    results += [broken("batch_solo", "c0", 1, 0, key="b"), broken("key_rename", "c1", 0, 1, key="a")]
    credits_ = {"c0": {"a": WRONG, "b": WRONG}, "c1": {"a": RIGHT}}
    found = compared(card_of(results, credits_))
    assert {row.name: row.incoherence for row in found.keys} == {"a": 0.5, "b": 0.5}
    assert (found.split.coherent, found.split.incoherent) == (1, 2)


@pytest.mark.parametrize(
    ("credits_", "reason"),
    [
        ({key: {"q": RIGHT} for key in CREDITS}, "every question is equally often wrong"),
        ({"c0": {"q": RIGHT}}, "there is one question"),
        ({"c1": {"q": RIGHT}, "c2": {"q": WRONG}}, "every question is equally coherent"),
        ({key: {"q": NONE} for key in CREDITS}, "there is no question"),
    ],
)
def test_undefined_is_null_with_its_reason(credits_: Mapping[str, Mapping[str, float | None]], reason: str) -> None:
    found = compared(card_of(FOUR, credits_))
    of = found.by_question
    assert (of.value, of.interval, of.reason, of.interval_reason) == (None, None, reason, reason)
    assert answer_in_words(found) == f"It cannot be told: {reason}."
    dumps(found.to_json())


def test_one_case_has_no_interval_and_the_reason() -> None:
    results = [broken("key_rename", "c0", i, 2 - i, key=f"q{i}") for i in range(3)]
    found = compared(card_of(results, {"c0": {"q0": RIGHT, "q1": TIED, "q2": WRONG}}))
    of = found.by_question
    assert (of.value, of.interval) == (pytest.approx(1.0), None)
    assert of.interval_reason == "there is one case, and the interval is over cases"
    assert answer_in_words(found) == "It cannot be told: there is one case, and the interval is over cases."


def test_a_card_without_gold_answers_has_nothing_to_compare() -> None:
    card = card_of(FOUR, CREDITS, gold=False)
    assert compare_accuracy(card) is None
    told = [plain(line) for line in coherence_accuracy_text([card])]
    assert any("does not say which of its answers are right" in line for line in told)


# Against scipy -------------------------------------------------------------------------------------------------------


def drawn(seed: int, cases: int = 40, per_case: int = 3, effect: float = 0.7) -> tuple[Card, np.ndarray, np.ndarray]:
    """A card whose questions err more where they are less coherent; its incoherence and errors (cases, questions)."""
    draw = np.random.default_rng(seed)
    violated = draw.integers(0, 5, (cases, per_case))
    error = draw.random((cases, per_case)) < 0.15 + effect * violated / 4
    results = [
        broken("key_rename", f"c{c}", int(violated[c, i]), 4 - int(violated[c, i]), key=f"q{i}")
        for c in range(cases)
        for i in range(per_case)
    ]
    credits_ = {f"c{c}": {f"q{i}": WRONG if error[c, i] else RIGHT for i in range(per_case)} for c in range(cases)}
    return card_of(results, credits_), violated / 4, error.astype(float)


@pytest.mark.parametrize("seed", [1, 2])
def test_value_and_interval_are_those_of_scipy(seed: int) -> None:
    """The interval: 1.96 standard deviations of scipy's correlation, drawn again over cases, on Fisher's scale."""
    card, x, y = drawn(seed)
    of = compared(card, 1000).by_question
    value = spearmanr(x.ravel(), y.ravel()).statistic
    assert of.value == pytest.approx(value, abs=1e-12)
    draw = np.random.default_rng(seed + 100)
    again = []
    for _ in range(1000):
        chosen = draw.integers(0, len(x), len(x))
        again.append(np.arctanh(spearmanr(x[chosen].ravel(), y[chosen].ravel()).statistic))
    half = 1.96 * np.std(again, ddof=1)
    assert of.interval is not None
    assert np.arctanh(of.interval.low) == pytest.approx(np.arctanh(value) - half, abs=0.15 * half)
    assert np.arctanh(of.interval.high) == pytest.approx(np.arctanh(value) + half, abs=0.15 * half)


def test_an_effect_is_seen_and_its_absence_is_not() -> None:
    seen, absent, turned = (compared(drawn(3, effect=effect)[0]) for effect in (0.8, 0.0, -0.15))
    assert answer_in_words(seen).startswith("Yes: the less coherent")
    assert answer_in_words(absent).startswith("Not seen here: the interval holds 0")
    assert turned.by_question.value is not None
    assert turned.by_question.value < 0


def test_a_perfect_correlation_has_a_degenerate_interval() -> None:
    results = [broken("key_rename", f"c{i}", i % 2, 1 - i % 2) for i in range(20)]
    found = compared(card_of(results, {f"c{i}": {"q": WRONG if i % 2 else RIGHT} for i in range(20)}))
    interval = found.by_question.interval
    assert found.by_question.value == pytest.approx(1.0)
    assert interval is not None
    assert (interval.low, interval.high, interval.degenerate) == (pytest.approx(1.0), pytest.approx(1.0), True)
    assert (found.split.coherent_error, found.split.incoherent_error, found.split.difference) == (0.0, 1.0, 1.0)


# Several cards -------------------------------------------------------------------------------------------------------


def test_each_card_is_a_point_beside_the_model_that_reads_nothing() -> None:
    one, other = card_of(FOUR, CREDITS, name="one"), card_of(FOUR, CREDITS, name="other", gold=False)
    points = card_points([one, other])
    assert [(p.name, p.accuracy) for p in points] == [("one", 1.5 / 4), ("other", None)]
    assert points[0].coherence == one.scores.overall.score
    assert points[0].uniform[1] == 0.5
    told = [plain(line) for line in coherence_accuracy_text([one, other])]
    assert any(line.startswith("uniform (reads nothing)") and line.rstrip().endswith("50.0") for line in told)
    assert all(len(line) <= 80 for line in told)
