"""Numbers with their nouns, as messages give them."""

from __future__ import annotations

from pytest_jevbench.counting import counted
from pytest_jevbench.datagen.domain import LengthBand
from pytest_jevbench.datagen.states import draft_of, form_problems
from pytest_jevbench.errors import Place


def test_one_has_no_plural() -> None:
    assert [counted(n, "text") for n in (0, 1, 2)] == ["0 texts", "1 text", "2 texts"]
    assert counted(1200, "text", ",") == "1,200 texts"
    (problem,) = form_problems(draft_of("Hello", Place()), LengthBand("short", 80, 140), "text")
    assert problem == "1 word, and 80 to 154 are allowed (short)"
