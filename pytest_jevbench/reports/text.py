"""Lines for a terminal: styled segments, widths in columns, numbers, and what an encoding cannot show."""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple, TypeAlias

from pytest_jevbench.json_text import printable
from pytest_jevbench.scoring.intervals import Interval

__all__ = [
    "MARKUP",
    "Line",
    "Segment",
    "Style",
    "ansi",
    "clip",
    "columns",
    "fit_all",
    "interval_text",
    "line",
    "pad",
    "percent",
    "plain",
    "representable",
    "wrapped",
]

Style: TypeAlias = Literal["", "title", "strong", "faint", "good", "bad", "caution"]


class Segment(NamedTuple):
    """A piece of a line and what it is; the caller turns styles into markup."""

    text: str
    style: Style = ""


Line: TypeAlias = tuple[Segment, ...]

MARKUP: Mapping[Style, Mapping[str, bool]] = {
    "": {},
    "title": {"bold": True},
    "strong": {"bold": True},
    "faint": {"light": True},
    "good": {"green": True},
    "bad": {"red": True},
    "caution": {"yellow": True},
}
"""Each style as keyword arguments of pytest's terminal writer."""

_ANSI: Mapping[Style, str] = {
    "title": "1",
    "strong": "1",
    "faint": "2",
    "good": "32",
    "bad": "31",
    "caution": "33",
}
_ASCII = str.maketrans(
    {"·": "-", "–": "-", "−": "-", "…": "...", "≤": "<=", "≥": ">=", "×": "x", "±": "+-", "²": "^2"}
    | {"′": "'", "Σ": "sum", "σ": "s", "¬": "not ", "∧": "and", "∨": "or", "⇒": "=>", "⊨": "=>", "ᵢ": "_i", "½": "1/2"}
)


def line(*parts: str | Segment) -> Line:
    """A line of segments; a text is a segment without style."""
    return tuple(Segment(part) if isinstance(part, str) else part for part in parts)


def plain(of: Line) -> str:
    """The text of a line, without trailing blanks."""
    return "".join(segment.text for segment in of).rstrip()


def ansi(of: Line) -> str:
    """The text of a line with ANSI colours."""
    return "".join(
        f"\x1b[{_ANSI[segment.style]}m{segment.text}\x1b[0m" if segment.style else segment.text for segment in of
    ).rstrip()


def representable(text: str, encoding: str | None) -> str:
    """The text as an encoding can show it: signs become ASCII likenesses, other characters escapes.

    >>> representable("a · ≤ é", "ascii")
    'a - <= \\\\xe9'
    """
    try:
        text.encode(encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        name = "ascii" if encoding is None else encoding
        try:
            return text.translate(_ASCII).encode(name, "backslashreplace").decode(name)
        except LookupError:
            return text.translate(_ASCII).encode("ascii", "backslashreplace").decode()
    return text


def columns(text: str) -> int:
    """How many columns of a terminal a text takes: East Asian wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in "WF" else 1 for c in text)


def clip(text: str, width: int) -> str:
    """One printable line of at most ``width`` columns; what is cut ends in an ellipsis."""
    flat = printable(text).replace("\n", " ")
    if columns(flat) <= width:
        return flat
    kept = flat[:width]
    while columns(kept) > width - 1:
        kept = kept[:-1]
    return f"{kept}…"


def pad(text: str, width: int) -> str:
    """The text clipped or filled with blanks to exactly ``width`` columns."""
    clipped = clip(text, width)
    return clipped + " " * (width - columns(clipped))


def wrapped(text: str, width: int, first: str = "", rest: str = "") -> list[str]:
    """The text in lines of at most ``width`` columns, each with its margin."""
    flat = " ".join(printable(text).split())
    if flat.isascii():
        made = textwrap.wrap(flat, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)
        return made or [first]
    return _wrapped_in_columns(flat.split(" "), width, first, rest)


def _wrapped_in_columns(words: list[str], width: int, first: str, rest: str) -> list[str]:
    """As ``textwrap`` does it, counting columns; a word that no line holds is broken, as in scripts without blanks."""
    lines: list[str] = []
    row, used, is_empty = first, columns(first), True
    for word in words:
        gap = "" if is_empty else " "
        if used + len(gap) + columns(word) <= width:
            row, used, is_empty = f"{row}{gap}{word}", used + len(gap) + columns(word), False
            continue
        if not is_empty and (columns(rest) + columns(word) <= width or used + len(gap) + 2 > width):
            lines.append(row)
            row, used, gap = rest, columns(rest), ""
        row, used = row + gap, used + len(gap)
        for letter in word:
            wide = columns(letter)
            if used + wide > width and row != rest:
                lines.append(row)
                row, used = rest, columns(rest)
            row, used = row + letter, used + wide
        is_empty = False
    return [*lines, row]


def percent(value: float | None, digits: int = 1) -> str:
    """A share in percent. Only all is 100 and only none is 0: what would round to them stops a digit short.

    >>> percent(0.5857), percent(0.9999), percent(0.0001), percent(1.0), percent(None)
    ('58.6', '99.9', '0.1', '100.0', '-')
    """
    if value is None:
        return "-"
    smallest = 10.0**-digits
    scaled = 100.0 * value
    if 0.0 < value < 1.0:
        scaled = min(max(scaled, smallest), 100.0 - smallest)
    return f"{scaled:.{digits}f}"


def interval_text(interval: Interval | None) -> str:
    """An interval of shares in percent, always of the same width; blank where there is none.

    >>> interval_text(Interval(0.5, 1.0)), interval_text(None)
    ('[ 50.0, 100.0]', '              ')
    """
    if interval is None:
        return " " * 14
    return f"[{percent(interval.low):>5}, {percent(interval.high):>5}]"


def fit_all(lines: Iterable[Line], encoding: str | None) -> list[Line]:
    """Lines whose every segment an encoding can show."""
    return [tuple(Segment(representable(s.text, encoding), s.style) for s in of) for of in lines]
