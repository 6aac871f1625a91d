"""Widths, numbers and encodings of terminal lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_jevbench.reports.text import (
    Segment,
    ansi,
    clip,
    columns,
    interval_text,
    line,
    pad,
    percent,
    plain,
    representable,
    wrapped,
)
from pytest_jevbench.scoring.intervals import Interval


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "-"),
        (0.0, "0.0"),
        (1.0, "100.0"),
        (0.5857, "58.6"),
        (0.99999, "99.9"),
        (0.00001, "0.1"),
        (0.9499, "95.0"),
    ],
)
def test_percent_never_rounds_to_all_or_none(value: float | None, shown: str) -> None:
    assert percent(value) == shown


def test_intervals_have_one_width() -> None:
    shown = [interval_text(i) for i in (Interval(0.0, 1.0), Interval(0.5, 0.612), Interval(1.0, 1.0), None)]
    assert {len(text) for text in shown} == {14}
    assert shown[1] == "[ 50.0,  61.2]"


def test_wide_and_combining_characters() -> None:
    assert (columns("abc"), columns("日本"), columns("e\u0301")) == (3, 4, 1)
    assert clip("日本語モデル", 7) == "日本語…"
    assert pad("日本", 6) == "日本  "
    assert pad("  indented", 12) == "  indented  "


@given(st.text(), st.integers(1, 30))
def test_what_is_padded_fills_its_columns_and_one_line(text: str, width: int) -> None:
    padded = pad(text, width)
    assert columns(padded) == width
    assert "\n" not in padded
    assert padded.isprintable()


def test_control_characters_do_not_reach_a_terminal() -> None:
    assert clip("a\x1b[31mb\nc", 40) == "a\\x1b[31mb c"


@given(st.text())
def test_any_text_can_be_shown_in_ascii(text: str) -> None:
    shown = representable(text, "ascii")
    assert shown.isascii()


def test_ascii_likenesses() -> None:
    assert representable("a · b … ≤ é 日", "ascii") == "a - b ... <= \\xe9 \\u65e5"
    assert representable("a · é", "latin-1") == "a · é"
    assert representable("·", None) == "-"
    assert representable("·", "no-such-encoding") == "-"


def test_lines_are_segments() -> None:
    made = line("a ", Segment("b", "good"), "  ")
    assert plain(made) == "a b"
    assert ansi(made) == "a \x1b[32mb\x1b[0m"


def test_wrapping_keeps_margins() -> None:
    assert wrapped("one two three", 9, "* ", "  ") == ["* one two", "  three"]
    assert wrapped("", 9, "* ") == ["* "]


WORDS = st.lists(st.text("ab-é日本e\u0301", min_size=1, max_size=30), max_size=12)


@given(WORDS, st.integers(12, 40), st.sampled_from(["", "  ", "label     "]))
def test_what_is_wrapped_loses_no_letter_and_fits(words: list[str], width: int, margin: str) -> None:
    text = " ".join(words)
    lines = wrapped(text, width, margin, " " * len(margin))
    assert all(columns(row) <= width for row in lines)
    assert lines[0].startswith(margin)
    assert "".join("".join(row[len(margin) :] for row in lines).split()) == "".join(words)
    assert all(row[len(margin) :].strip() for row in lines) or not words


def test_scripts_without_blanks_are_broken_where_the_line_ends() -> None:
    assert wrapped("この モデルは答えを返しません", 10, "  ", "    ") == [
        "  この モ",
        "    デルは",
        "    答えを",
        "    返しま",
        "    せん",
    ]
    assert wrapped("naïve words go on", 10) == ["naïve", "words go", "on"]


def test_ascii_is_wrapped_as_anything_else() -> None:
    for text in ("a-b c " * 9, "x" * 25 + " y", "", "word " * 3 + "x" * 30):
        long = wrapped(text, 20, "> ", "  ")
        assert [row.replace("é", "a") for row in wrapped(text.replace("a", "é"), 20, "> ", "  ")] == long
