"""Texts beside each other."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_jevbench.rewrites.audit_text import beside, columns

WORDS = st.text(st.sampled_from("ab ,é包裹 退款\t\x1b"), max_size=200)


def test_by_hand() -> None:
    assert beside("one two three", "包裹里有", 20) == [
        "  one two three",
        "  包裹里有",
    ]
    assert beside("Is it broken?", "包裹坏了吗？", 80) == ["  Is it broken?                           包裹坏了吗？"]
    long = "word " * 12
    assert beside(long, "x", 80) == [
        "  word word word word word word word      x",
        "  word word word word word",
    ]


@given(WORDS, WORDS, st.integers(10, 160))
def test_every_line_fits_and_no_word_is_lost(source: str, rewrite: str, width: int) -> None:
    lines = beside(source, rewrite, width)
    assert all(columns(line) <= width for line in lines)
    assert all(line.isprintable() for line in lines)
    shown = "".join("".join(lines).split())
    for text in (source, rewrite):
        for character in set(text) - set(" \t\x1b"):
            assert shown.count(character) >= text.count(character)
