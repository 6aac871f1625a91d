"""The five operations, on numbers worked out by hand and by their properties."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_jevbench.distributions import (
    TIE,
    Distribution,
    argmax,
    coarsen,
    collapse,
    condition,
    excess,
    flipped,
    largest_rise,
    relabel,
    total_variation,
)

ID = st.text("abcdef", min_size=1, max_size=2)


@st.composite
def distributions(draw: st.DrawFn, ids: list[str] | None = None) -> Distribution:
    names = ids or draw(st.lists(ID, min_size=1, max_size=6, unique=True))
    weights = draw(st.lists(st.integers(0, 20), min_size=len(names), max_size=len(names)).filter(any))
    return {name: weight / sum(weights) for name, weight in zip(names, weights, strict=True)}


IDS = ["a", "b", "c", "d"]
SAME = distributions(IDS)
PROBABILITY = st.floats(0, 1)


@pytest.mark.parametrize(
    ("p", "q", "distance"),
    [
        ({"a": 0.75, "b": 0.25}, {"a": 0.5, "b": 0.5}, 0.25),
        ({"a": 1.0}, {"b": 1.0}, 1.0),
        ({"a": 0.5, "b": 0.5}, {"a": 0.5, "c": 0.5}, 0.5),
        ({"a": 0.5, "b": 0.5, "c": 0.0}, {"b": 0.5, "a": 0.5}, 0.0),
        ({"a": 0.5, "b": 0.25, "c": 0.25}, {"a": 0.25, "b": 0.25, "c": 0.5}, 0.25),
    ],
)
def test_total_variation_by_hand(p: Distribution, q: Distribution, distance: float) -> None:
    assert total_variation(p, q) == distance


@given(distributions(), distributions(), distributions())
def test_total_variation_is_a_metric(p: Distribution, q: Distribution, r: Distribution) -> None:
    assert total_variation(p, p) == 0.0
    assert total_variation(p, q) == pytest.approx(total_variation(q, p), abs=1e-15)
    assert 0.0 <= total_variation(p, q) <= 1.0 + 1e-12
    assert total_variation(p, r) <= total_variation(p, q) + total_variation(q, r) + 1e-12


@given(SAME, SAME)
def test_total_variation_is_the_largest_gap_of_any_event(p: Distribution, q: Distribution) -> None:
    rises = sum(max(0.0, p[name] - q[name]) for name in IDS)
    assert total_variation(p, q) == pytest.approx(rises, abs=1e-12)


@given(SAME, st.permutations(IDS))
def test_relabelling_there_and_back_changes_nothing(p: Distribution, order: list[str]) -> None:
    there = dict(zip(IDS, order, strict=True))
    back = {new: old for old, new in there.items()}
    assert relabel(relabel(p, there), back) == p
    assert sorted(relabel(p, there).values()) == sorted(p.values())


def test_relabelling_keeps_what_is_not_named() -> None:
    assert relabel({"x": 0.5, "b": 0.25, "c": 0.25}, {"x": "a"}) == {"a": 0.5, "b": 0.25, "c": 0.25}
    assert relabel({"a": 0.75, "b": 0.25}, {"a": "b", "b": "a"}) == {"b": 0.75, "a": 0.25}


def test_collapsing_folds_into_the_original() -> None:
    assert collapse({"a": 0.5, "a2": 0.25, "b": 0.25}, {"a2": "a"}) == {"a": 0.75, "b": 0.25}
    assert collapse({"with": 0.5, "without": 0.25, "b": 0.25}, {"with": "a", "without": "a"}) == {"a": 0.75, "b": 0.25}


def test_coarsening_sums_over_blocks_and_keeps_the_rest() -> None:
    p = {"a": 0.5, "b": 0.125, "c": 0.25, "d": 0.125}
    assert coarsen(p, {"ab": ["a", "b"]}) == {"ab": 0.625, "c": 0.25, "d": 0.125}
    assert coarsen(p, {"x": ["a", "d"], "y": ["b", "c"]}) == {"x": 0.625, "y": 0.375}


@given(SAME, SAME, st.lists(st.sampled_from("xyz"), min_size=4, max_size=4))
def test_many_to_one_maps_keep_all_mass_and_never_grow_a_distance(
    p: Distribution, q: Distribution, blocks: list[str]
) -> None:
    into = dict(zip(IDS, blocks, strict=True))
    assert math.fsum(collapse(p, into).values()) == pytest.approx(1.0, abs=1e-12)
    assert total_variation(collapse(p, into), collapse(q, into)) <= total_variation(p, q) + 1e-12


@given(SAME, st.sets(st.sampled_from(IDS), min_size=1))
def test_conditioning_keeps_proportions_and_sums_to_one(p: Distribution, kept: set[str]) -> None:
    menu = sorted(kept)
    given_menu = condition(p, menu)
    assert list(given_menu) == menu
    assert math.fsum(given_menu.values()) == pytest.approx(1.0, abs=1e-12)
    for a in menu:
        for b in menu:
            if sum(p[name] for name in menu) > 0:
                assert given_menu[a] * p[b] == pytest.approx(given_menu[b] * p[a], abs=1e-12)


def test_conditioning_on_nothing_probable_is_uniform() -> None:
    assert condition({"a": 1.0, "b": 0.0, "c": 0.0}, ["b", "c"]) == {"b": 0.5, "c": 0.5}
    assert condition({"a": 1.0}, ["x", "y", "z", "w"]) == dict.fromkeys("xyzw", 0.25)


def test_conditioning_by_hand() -> None:
    assert condition({"a": 0.5, "b": 0.125, "c": 0.375}, ["c", "b"]) == {"c": 0.75, "b": 0.25}


@pytest.mark.parametrize(("amount", "bound", "past"), [(0.75, 0.5, 0.25), (0.25, 0.5, 0.0), (0.5, 0.5, 0.0)])
def test_excess(amount: float, bound: float, past: float) -> None:
    assert excess(amount, bound) == past


@pytest.mark.parametrize(
    ("chain", "rise"),
    [
        ([0.75, 0.5, 0.25], 0.0),
        ([0.75, 0.25, 0.5], 0.25),
        ([0.25, 0.5, 0.875], 0.625),  # between the first and the last, not between neighbours
        ([0.5, 0.75, 0.25, 0.625], 0.375),
        ([0.5], 0.0),
        ([], 0.0),
    ],
)
def test_largest_rise(chain: list[float], rise: float) -> None:
    assert largest_rise(chain) == rise


@pytest.mark.parametrize("chain", [[math.nan], [0.5, math.nan], [math.nan, 0.5], [0.25, math.nan, 0.75, 0.5]])
def test_what_is_no_number_is_no_law_kept(chain: list[float]) -> None:
    assert math.isnan(largest_rise(chain))
    assert math.isnan(excess(math.nan, 0.5))
    assert math.isnan(excess(0.5, math.nan))


@given(st.lists(PROBABILITY, max_size=8))
def test_largest_rise_is_the_largest_over_all_pairs(chain: list[float]) -> None:
    pairs = [later - earlier for i, earlier in enumerate(chain) for later in chain[i + 1 :]]
    assert largest_rise(chain) == max([0.0, *pairs])


def test_argmax_and_ties() -> None:
    assert argmax({"a": 0.25, "b": 0.5, "c": 0.25}) == "b"
    assert argmax({"a": 0.4, "b": 0.4, "c": 0.2}) is None
    assert argmax({"a": 0.4 + TIE / 2, "b": 0.4}) is None
    assert argmax({"a": 0.4 + 2 * TIE, "b": 0.4}) == "a"
    assert argmax({"a": 1.0}) == "a"


def test_a_flip_needs_a_decision_before_and_after() -> None:
    p, q = {"a": 0.75, "b": 0.25}, {"a": 0.25, "b": 0.75}
    assert flipped(p, q)
    assert not flipped(p, p)
    assert not flipped(p, {"a": 0.5, "b": 0.5})
    assert not flipped({"a": 0.5, "b": 0.5}, q)


@given(SAME, st.permutations(IDS))
def test_order_decides_nothing(p: Distribution, order: list[str]) -> None:
    q = {name: p[name] for name in order}
    assert argmax(p) == argmax(q)
    assert not flipped(p, q)
    assert total_variation(p, q) <= 1e-12
