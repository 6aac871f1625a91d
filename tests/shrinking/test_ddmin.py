"""Delta debugging, on predicates whose minimal parts are known."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_jevbench.shrinking.ddmin import ddmin


@given(st.integers(1, 40).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(0, n - 1)))))
def test_what_is_to_blame_is_found_and_nothing_else(given_: tuple[int, set[int]]) -> None:
    n, guilty = given_
    assert ddmin(range(n), lambda part: guilty <= set(part)) == tuple(sorted(guilty))


@given(st.integers(0, 9), st.sets(st.frozensets(st.integers(0, 8))))
def test_no_item_can_be_left_out_whatever_the_predicate(n: int, failing: set[frozenset[int]]) -> None:
    def fails(part: tuple[int, ...]) -> bool:
        return frozenset(part) in failing

    found = ddmin(range(n), fails)
    assert found == tuple(sorted(found))
    assert set(found) == set(range(n)) or fails(found)
    assert not any(fails(tuple(item for item in found if item != one)) for one in found)


@given(st.integers(2, 60).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n - 1))))
def test_one_guilty_item_is_found_by_halving(given_: tuple[int, int]) -> None:
    n, guilty = given_
    asked = 0

    def fails(part: tuple[int, ...]) -> bool:
        nonlocal asked
        asked += 1
        return guilty in part

    assert ddmin(range(n), fails) == (guilty,)
    assert asked <= 2 * n.bit_length() + 1


def test_a_predicate_that_always_fails_needs_one_question() -> None:
    asked: list[tuple[str, ...]] = []

    def fails(part: tuple[str, ...]) -> bool:
        asked.append(part)
        return True

    assert ddmin("abcdefgh", fails) == ()
    assert asked == [()]
