"""``evaluate()`` and its kin: the settings file beside cases, and arguments that cannot be meant."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pytest_jevbench import InputError, compare, describe, estimate, evaluate, from_callable, radar, reference
from pytest_jevbench.json_text import dumps
from tests.suite_writing import case_line, make_case

MODEL = reference("uniform")
SUITE = "jevbench-examples"


@pytest.fixture
def cases(tmp_path: Path) -> Path:
    file = tmp_path / "mine" / "cases.jsonl"
    file.parent.mkdir()
    file.write_text(dumps(case_line(make_case("one", ["q"]))) + "\n", encoding="utf-8")
    return file


def _settings(cases: Path, text: str) -> None:
    (cases.parent / "jevbench.yaml").write_text(f"cases:\n{text}", encoding="utf-8")


def test_the_file_beside_cases_counts_and_arguments_go_before_it(cases: Path) -> None:
    _settings(cases, "  seed: 7\n  draws: 2\n  repeats: 2\n  tolerance: 0.9\n  min_n: 1\n  take: [key_rename]\n")
    by_file = evaluate(MODEL, cases=cases, progress=False)
    elsewhere = cases.parent.parent / cases.name
    elsewhere.write_bytes(cases.read_bytes())
    by_hand = evaluate(
        MODEL,
        cases=elsewhere,
        seed=7,
        draws=2,
        repeats=2,
        tolerance=0.9,
        min_n=1,
        relations=["key_rename"],
        progress=False,
    )
    assert by_file == by_hand
    assert by_file.data["identity"]["settings"]["tolerance"] == 0.9
    assert set(by_file.relations) == {"key_rename"}
    given = evaluate(MODEL, cases=cases, tolerance=0.25, relations="typo_noise", progress=False)
    assert given.data["identity"]["settings"]["tolerance"] == 0.25
    assert set(given.relations) == {"typo_noise"}


def test_estimate_counts_by_the_same_file(cases: Path) -> None:
    _settings(cases, "  repeats: 3\n  take: [key_rename]\n")
    asked = evaluate(MODEL, cases=cases, progress=False).data["run"]
    assert estimate(cases=cases).requests == asked["requests"]


def test_a_mistake_in_the_file_names_its_line(cases: Path) -> None:
    _settings(cases, "  seeds: 7\n")
    with pytest.raises(InputError, match=r"jevbench\.yaml, line 2, cases\.seeds: unknown field"):
        evaluate(MODEL, cases=cases)


def test_no_false_argument_says_no_to_the_file(cases: Path) -> None:
    _settings(cases, "  audited_only: yes\n")
    with pytest.raises(InputError, match="no rewrite bank"):
        evaluate(MODEL, cases=cases)
    assert evaluate(MODEL, cases=cases, audited_only=False, relations="key_rename", progress=False).complete


WRONG: list[tuple[str, Callable[[], Any]]] = [
    ("suite: found 3", lambda: evaluate(MODEL, 3)),  # type: ignore[arg-type]
    ("cases: found 3", lambda: evaluate(MODEL, cases=3)),  # type: ignore[arg-type]
    ("cases: found {}. Give a list of cases", lambda: evaluate(MODEL, cases={})),  # type: ignore[arg-type]
    ("relations: found 3", lambda: evaluate(MODEL, SUITE, relations=3)),  # type: ignore[arg-type]
    ("relations: found [3]", lambda: evaluate(MODEL, SUITE, relations=[3])),  # type: ignore[list-item]
    ("laws: found 3", lambda: evaluate(MODEL, SUITE, laws=3)),  # type: ignore[arg-type]
    ("rewrites: found 3", lambda: evaluate(MODEL, cases=".", rewrites=3)),  # type: ignore[arg-type]
    ('audited_only: found "no"', lambda: evaluate(MODEL, cases=".", audited_only="no")),  # type: ignore[arg-type]
    ("offline: found 1", lambda: evaluate(MODEL, SUITE, offline=1)),  # type: ignore[arg-type]
    ("suite: found 3", lambda: estimate(3)),  # type: ignore[arg-type]
    ("relation: found null", lambda: describe(None)),  # type: ignore[arg-type]
    ("cards: found 3", lambda: radar([3])),  # type: ignore[list-item]
    ("cards: found null", lambda: radar(None)),  # type: ignore[arg-type]
    ("baseline: found null", lambda: compare("card.json", None)),  # type: ignore[arg-type]
    ('name: found ""', lambda: from_callable(lambda state, questions: {}, "")),
    ("Nothing here has one: leave it out", lambda: evaluate(MODEL, cases=[_NO_DOMAIN], domains="home")),
]
_NO_DOMAIN = {"id": "a", "state": "s", "questions": {"q": {"type": "noul", "instructions": "Is it so?"}}}


@pytest.mark.parametrize(("told", "call"), WRONG)
def test_what_cannot_be_meant_is_one_error_that_names_it(told: str, call: Callable[[], Any]) -> None:
    with pytest.raises(InputError) as found:
        call()
    assert told in str(found.value)
