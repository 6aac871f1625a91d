"""The scorer that counts shared words, and the comparison of texts."""

from __future__ import annotations

import pytest

from pytest_jevbench.datagen.overlap import overlap, overlap_says_yes
from pytest_jevbench.datagen.states import draft_of, jaccard, nearest, shingles
from pytest_jevbench.errors import Place


@pytest.mark.parametrize(
    ("question", "text", "share"),
    [
        ("Is the parcel late?", "My PARCELS are here.", 0.5),
        ("Is the parcel late?", "The parcel was late again.", 1.0),
        ("Is the parcel late?", "Nothing of that.", 0.0),
        ("Is it?", "It is.", 0.0),
    ],
)
def test_overlap_by_hand(question: str, text: str, share: float) -> None:
    assert overlap(question, text) == share
    assert overlap_says_yes(question, text) is (share >= 0.5)


def test_jaccard_by_hand() -> None:
    one = shingles(draft_of("a b c d e f", Place()))
    two = shingles(draft_of("A, b c d e! g", Place()))
    assert len(one) == len(two) == 2
    assert jaccard(one, two) == pytest.approx(1 / 3)
    assert jaccard(one, frozenset()) == 0.0
    assert jaccard(frozenset(), frozenset()) == 0.0
    assert nearest(one, [("x", frozenset()), ("y", two)]) == ("y", pytest.approx(1 / 3))
    assert nearest(one, []) == ("", 0.0)


def test_a_record_is_read_as_lines_and_counted_once_a_key() -> None:
    draft = draft_of({"case_id": 7, "who": {"first_name": "Oda L", "old": True}, "notes": ["a b", "c"]}, Place())
    assert draft.flat == "case id: 7\nwho first name: Oda L\nwho old: true\nnotes: a b\nnotes: c"
    assert draft.words == 12
