from __future__ import annotations

import pytest

from pytest_jevbench.errors import InputError
from pytest_jevbench.judges import audit_bias, position_bias, rank_correlation
from pytest_jevbench.judges.agreement import cohen_kappa, fleiss_kappa, krippendorff_alpha
from pytest_jevbench.judges.panel import pareto_ranks
from pytest_jevbench.scoring.intervals import NoInterval


def pair(forward: float | None, swapped: float | None, **more: object) -> dict[str, object]:
    return {"judge": "j", "a": "one", "b": "two", "forward": forward, "swapped": swapped, **more}


def test_position_figures_by_hand() -> None:
    # Held; flipped to the first; flipped to the second; a tie in one order; no answer to one.
    found = position_bias([0.8, 0.9, 0.2, 0.5, 0.7], [0.3, 0.6, 0.1, 0.9, float("nan")])
    assert (found.pairs, found.unanswered, found.ties, found.decisive) == (5, 1, 1, 3)
    assert (found.consistent, found.flips, found.flips_to_first, found.flips_to_second) == (1, 2, 1, 1)
    assert found.flip_rate.value == pytest.approx(2 / 3)
    # Of seven answers that are no tie, first: 0.8, 0.9, 0.6, 0.9; second: 0.3, 0.2, 0.1.
    assert found.first_rate.value == pytest.approx(4 / 7)
    assert found.signed_bias.value == pytest.approx(1 / 7)
    assert found.inconsistency.value == pytest.approx((0.1 + 0.5 + 0.7 + 0.4) / 4)
    assert found.shift.value == pytest.approx((0.1 + 0.5 - 0.7 + 0.4) / 4)
    assert found.conclusive


def test_nothing_decided_is_undefined_with_the_reason() -> None:
    ties = position_bias([0.5] * 3, [0.5] * 3)
    assert (ties.ties, ties.decisive, ties.flip_rate.value) == (3, 0, None)
    assert ties.flip_rate.reason == "every pair has a tie"
    assert ties.first_rate.reason == "every answer is a tie"
    silent = position_bias([None, None, 0.9], [0.5, None, 0.1])
    assert not silent.conclusive
    assert position_bias([], []).flip_rate.reason == "no pair was answered in both orders"


def test_self_preference_takes_exactly_one_own_answer() -> None:
    own = {"judge_model": "m"}
    found = audit_bias(
        [
            pair(0.9, 0.2, **own, a_model="m", b_model="x"),  # preference for A 0.85
            pair(0.3, 0.9, **own, a_model="x", b_model="m"),  # for A 0.2, for its own 0.8
            pair(0.6, 0.4, **own, a_model="m", b_model="x"),  # 0.6
            pair(1.0, 0.0, **own, a_model="m", b_model="m"),
            pair(1.0, 0.0, **own, a_model="x", b_model="y"),
            pair(1.0, 0.0, a_model="x", b_model="y"),
        ]
    )["j"].self_preference
    assert found.preference.n == 3
    assert found.preference.value == pytest.approx((0.85 + 0.8 + 0.6) / 3)
    # Own place 1, 0, 1 against 0.85, 0.2, 0.6: ranks 2.5, 1, 2.5 and 3, 1, 2.
    assert found.position.value == pytest.approx(0.866025, abs=1e-6)
    unknown = audit_bias([pair(0.9, 0.2)])["j"].self_preference
    assert unknown.preference.reason == "nobody says who wrote the answers"
    always = audit_bias([pair(p, 0.2, **own, a_model="m", b_model="x") for p in (0.9, 0.8, 0.7)])["j"].self_preference
    assert always.position.reason == "the places of the own answer are all equal"


def test_matched_pairs_hold_quality_fixed() -> None:
    longer = {"a": "word word", "b": "word", "matched": "length"}
    shorter = {"a": "word", "b": "word word", "matched": "length"}
    found = audit_bias([pair(0.9, 0.3, **longer), pair(0.4, 0.8, **shorter), pair(0.0, 1.0)])["j"]
    assert found.matched_length.preference.value == pytest.approx((0.8 + 0.7) / 2)
    assert (found.matched_length.win_rate.value, found.matched_length.preference.n) == (1.0, 2)
    assert found.matched_markup.preference.reason == "no pair is matched for everything but markup densities"


def test_length_and_markup_by_hand() -> None:
    texts = [("abcd", "a"), ("- ab", "abc"), ("a", "- abc"), ("abc", "abc")]
    orders = [(0.9, 0.1), (0.6, 0.2), (0.4, 0.8), (0.8, 0.6)]
    found = audit_bias([pair(f, s, a=a, b=b) for (a, b), (f, s) in zip(texts, orders, strict=True)])["j"]
    # Longer by 3, 1, -4, 0: ranks 4, 3, 1, 2. Preferences 0.9, 0.7, 0.3, 0.6: ranks 4, 3, 1, 2.
    assert found.length.value == pytest.approx(1.0)
    # Markup 0, 1, -1, 0: ranks 2.5, 4, 1, 2.5. Covariance 1.5 x 0 + 0.5 x 1.5 + 1.5 x 1.5 = 3, spreads 4.5 and 5.
    assert found.markup.value == pytest.approx(3 / (4.5 * 5) ** 0.5)
    assert found.length.n == 4
    alike = audit_bias([pair(0.9, 0.1, a="ab", b="cd")] * 3)["j"]
    assert (alike.length.value, alike.length.reason) == (None, "the differences of lengths are all equal")
    few = audit_bias([pair(0.9, 0.1)] * 2)["j"]
    assert few.markup.reason == "2 pairs, and a correlation takes 3"


def test_accuracy_on_labelled_pairs() -> None:
    rows = [
        pair(0.9, 0.1, label="a"),
        pair(0.9, 0.1, label="b"),
        pair(0.5, 0.5, label="a"),
        pair(0.9, 0.1, label="tie"),
    ]
    found = audit_bias(rows)["j"].accuracy
    assert (found.value, found.n) == (0.5, 2)


def test_spearman_has_average_ranks_and_says_why_there_is_none() -> None:
    import numpy as np

    assert rank_correlation(np.array([1.0, 2, 2, 3]), np.array([1.0, 2, 3, 3])).value == pytest.approx(5 / 6)
    constant = rank_correlation(np.ones(4), np.arange(4.0), "lengths")
    assert (constant.value, constant.reason) == (None, "the lengths are all equal")
    assert isinstance(constant.interval, NoInterval)


def test_undefined_agreement() -> None:
    assert cohen_kappa([1, 1], [1, 1]).value is None
    assert krippendorff_alpha([[1, 1], [1, None]]).reason.startswith("every rating is the same")
    for bad in (lambda: cohen_kappa([1, None], [1, 2]), lambda: fleiss_kappa([[1, 2], [1, float("nan")]])):
        with pytest.raises(InputError, match="a rating is missing"):
            bad()
    with pytest.raises(InputError, match="2 ratings and 1"):
        cohen_kappa([1, 2], [1])
    assert fleiss_kappa([[1, 2]]).reason == "fewer than two raters"
    assert krippendorff_alpha([[1, None], [None, 2]]).reason == "no item has two ratings"


def test_pareto_ranks_share_equal_points_and_peel_fronts() -> None:
    ranks = pareto_ranks({"a": 1, "b": 1, "c": 2, "d": 3}, {"a": 0.9, "b": 0.9, "c": 0.9, "d": 0.8})
    assert {one.judge: one.rank for one in ranks} == {"a": 1, "b": 1, "c": 2, "d": 3}
