"""States cut into pieces and put together again."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_jevbench.shrinking.pieces import grains, pieces_of

LETTER = "Dear all,\n\nIt broke. Twice!  Really?\nSend help.\n\n\nBye.\n"

TEXTS = st.lists(
    st.sampled_from(["It broke.", "Why?", " ", "\n", "\n\n", "\t", "坏了。", 'He said "no."', "x"]), max_size=12
)
STATES = st.recursive(
    st.one_of(TEXTS.map("".join), st.none(), st.integers(-5, 5), st.booleans()),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.sampled_from("abcd"), inner, max_size=4)),
    max_leaves=10,
)


@given(STATES)
def test_all_pieces_together_are_the_state_at_every_grain(state: Any) -> None:
    for grain in range(grains(state)):
        pieces = pieces_of(state, grain)
        assert pieces.join(range(pieces.count)) == state


@given(TEXTS.map("".join), st.data())
def test_a_part_has_the_words_of_its_pieces_in_their_order(text: str, data: st.DataObject) -> None:
    pieces = pieces_of(text, data.draw(st.sampled_from((0, 1, 2))))
    kept = data.draw(st.sets(st.integers(0, pieces.count - 1)))
    alone = "".join(str(pieces.join([number])) for number in sorted(kept))
    assert re.sub(r"\s", "", str(pieces.join(kept))) == re.sub(r"\s", "", alone)


@pytest.mark.parametrize(
    ("grain", "kept", "left"),
    [
        (0, [0, 2], "Dear all,\n\n\nBye.\n"),
        (0, [1], "It broke. Twice!  Really?\nSend help."),
        (1, [1], "It broke. Twice!  Really?"),
        (2, [1, 3], "It broke. Really?"),
        (2, [0, 4, 5], "Dear all,\n\nSend help.\n\n\nBye.\n"),
        (2, [], ""),
    ],
)
def test_a_letter(grain: int, kept: list[int], left: str) -> None:
    assert pieces_of(LETTER, grain).join(kept) == left


def test_chinese_sentences_need_no_blank_between_them() -> None:
    pieces = pieces_of("杯子坏了。请退款！谢谢。", 2)
    assert [pieces.join([i]) for i in range(pieces.count)] == ["杯子坏了。", "请退款！", "谢谢。"]


def test_an_object_is_cut_member_by_member_then_deeper_then_into_the_sentences_of_its_texts() -> None:
    state = {"who": "Ann", "notes": [{"at": 1, "text": "It broke. Sorry."}, {"at": 2, "text": "Fine."}]}
    assert grains(state) == 3 + 3
    assert pieces_of(state, 0).join([1]) == {"notes": state["notes"]}
    assert pieces_of(state, 1).join([1]) == {"who": "Ann", "notes": [state["notes"][1]]}
    assert pieces_of(state, 2).join([1, 3]) == {
        "who": "Ann",
        "notes": [{"text": "It broke. Sorry."}, {"text": "Fine."}],
    }
    sentences = pieces_of(state, 5)
    assert sentences.join([0, 2, 3]) == {
        "who": "Ann",
        "notes": [{"at": 1, "text": "Sorry."}, {"at": 2, "text": "Fine."}],
    }
