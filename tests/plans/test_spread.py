"""Even assignments."""

from __future__ import annotations

from collections import Counter
from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from pytest_jevbench.plans.spread import spread

offers = st.lists(st.lists(st.sampled_from("abcd"), min_size=1, max_size=4, unique=True), min_size=1, max_size=6)


def squares(taken: list[str]) -> int:
    return sum(count * count for count in Counter(taken).values())


@given(offers, st.integers(0, 5))
def test_no_assignment_is_more_even(given_offers: list[list[str]], start: int) -> None:
    taken = spread(given_offers, start=start)
    assert all(one in offered for one, offered in zip(taken, given_offers, strict=True))
    assert squares(taken) == min(squares(list(every)) for every in product(*given_offers))


def test_full_offers_are_used_in_turn() -> None:
    assert spread(["abc"] * 6) == ["a", "b", "c", "a", "b", "c"]
    assert spread(["abc"] * 4, start=2) == ["c", "a", "b", "c"]


def test_an_offer_that_few_have_gets_its_share_from_them() -> None:
    """Four items can take a or b, and two of them c alone or with others: by hand, 2 each."""
    taken = spread(["ab", "ab", "ab", "ab", "abc", "abc"])
    assert Counter(taken) == {"a": 2, "b": 2, "c": 2}
    assert set(taken[4:]) == {"c"}


def test_a_crowded_offer_is_relieved_along_a_chain() -> None:
    """Greedily a, b, then c for the last three; the chain c to b to a is the only way to 2, 2, 1."""
    taken = spread(["ab", "bc", "c", "c", "ac"])
    assert squares(taken) == 9


def test_a_preference_decides_among_equals_only() -> None:
    def late(taken: list[str], item: int, offer: str) -> int:
        return -ord(offer)

    assert spread(["abc"] * 4, prefer=late) == ["c", "b", "a", "c"]
    assert spread([["a"], "ab"], prefer=lambda taken, item, offer: offer != "a") == ["a", "b"]
