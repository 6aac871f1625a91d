"""The patterns of the offline check: regular expressions in which ``{value}`` stands for the fact's value.

Texts are compared in a plain form: small letters, one space for any white space, straight quotes, plain hyphens. A
number is found as digits, with or without separators of thousands, or in words up to ninety-nine.
"""

from __future__ import annotations

import re
from functools import lru_cache

from pytest_jevbench.errors import InputError, Place

__all__ = ["compile_pattern", "found", "plain_text"]

PLAIN = str.maketrans(
    {"‘": "'", "’": "'", "“": '"', "”": '"', "‐": "-", "‑": "-", "–": "-", "—": "-", "\u00a0": " ", "\u202f": " "}
)
UNITS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
ANY_NUMBER = r"\d[\d,. ]*"


def plain_text(text: str) -> str:
    """The form of a text in which patterns are looked for."""
    return " ".join(text.translate(PLAIN).split()).casefold()


def found(pattern: str, value: bool | int | str | None, text: str) -> str | None:
    """The words of a plain text that a pattern matches, or None. A ``value`` of None stands for any number."""
    match = compile_pattern(pattern, value).search(text)
    return match.group().strip() if match else None


@lru_cache(maxsize=4096)
def compile_pattern(pattern: str, value: bool | int | str | None, place: Place | None = None) -> re.Pattern[str]:
    """The regular expression of a pattern for one value. Raises :class:`InputError` on a malformed one."""
    text = pattern.replace("{value}", _value(value)).translate(PLAIN)
    try:
        return re.compile(text, re.IGNORECASE)
    except re.error as error:
        raise InputError(
            f"the pattern `{pattern}` is not a regular expression ({error})",
            place=place,
            advice="Write plain words, with a \\ before any of . ? * + ( ) [ ] that is meant as itself",
        ) from None


def _value(value: bool | int | str | None) -> str:
    if value is None:
        return ANY_NUMBER
    if isinstance(value, int) and not isinstance(value, bool):
        return _number(value)
    return r"(?<!\w)" + r"\s".join(re.escape(part) for part in plain_text(str(value)).split()) + r"(?!\w)"


def _number(value: int) -> str:
    digits = str(abs(value))
    grouped = r"[,. ']?".join(_groups(digits))
    forms = [("-" if value < 0 else "") + grouped]
    if 0 <= value < 20:
        forms.append(UNITS[value])
    elif 20 <= value < 100:
        tens, unit = TENS[value // 10 - 2], value % 10
        forms.append(f"{tens}[- ]?{UNITS[unit]}" if unit else tens)
    if value == 12:
        forms.append("a dozen")
    return r"(?<![\w.,])(?:" + "|".join(forms) + r")(?![\w]|[.,]\d)"


def _groups(digits: str) -> list[str]:
    first = len(digits) % 3 or 3
    return [digits[:first], *(digits[i : i + 3] for i in range(first, len(digits), 3))]
