"""Settings in the ``jevbench.yaml`` beside cases."""

from __future__ import annotations

from pathlib import Path

import pytest

from pytest_jevbench.case_settings import CaseSettings, read_case_settings
from pytest_jevbench.errors import InputError
from pytest_jevbench.relations.registry import RELATIONS


def read(folder: Path, text: str) -> CaseSettings:
    (folder / "jevbench.yaml").write_text(text, encoding="utf-8")
    return read_case_settings(folder / "cases.jsonl")


def test_every_setting_is_read(tmp_path: Path) -> None:
    (tmp_path / "bank.jsonl").touch()
    found = read(
        tmp_path,
        "cases:\n  rewrites: bank.jsonl\n  audited_only: yes\n  seed: 7\n  draws: 2\n  repeats: 5\n  tolerance: 0.10\n"
        "  min_n: 3\n  take: [LOG, verbosity]\n  leave: LOG.bounds\ngate:\n  min: 0.9\n",
    )
    assert found.values == {
        "rewrites": str(tmp_path / "bank.jsonl"),
        "audited_only": True,
        "seed": 7,
        "draws": 2,
        "repeats": 5,
        "tolerance": 0.1,
        "min_n": 3,
    }
    expected = {
        name
        for name, relation in RELATIONS.items()
        if (relation.dimension == "LOG" and relation.group != "LOG.bounds") or name == "verbosity"
    }
    assert set(found.relations) == expected
    assert len(expected) > 1


def test_a_folder_of_cases_holds_its_own(tmp_path: Path) -> None:
    (tmp_path / "jevbench.yaml").write_text("cases: {seed: 1}\n", encoding="utf-8")
    assert read_case_settings(tmp_path).values == {"seed": 1}
    inner = tmp_path / "inner"
    inner.mkdir()
    assert read_case_settings(inner) == CaseSettings()


def test_leaving_one_leaves_all_other_scored_relations(tmp_path: Path) -> None:
    scored = {name for name, relation in RELATIONS.items() if relation.scored}
    assert set(read(tmp_path, "cases:\n  leave: [verbosity]\n").relations) == scored - {"verbosity"}


def test_a_gate_alone_says_nothing_of_cases(tmp_path: Path) -> None:
    assert read(tmp_path, "gate:\n  min: 0.9\n") == CaseSettings(gate=tmp_path / "jevbench.yaml")


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("cases:\n  sede: 7\n", 2, 'unknown field "sede"'),
        ("case:\n  seed: 7\n", 2, 'unknown field "case"'),
        ("cases:\n  seed: 7\n  draws: 0\n", 3, "a whole number of at least 1"),
        ("cases:\n  seed: -1\n", 2, "a whole number of at least 0"),
        ("cases:\n  seed: 010\n", 2, "a whole number of at least 0"),
        ("cases:\n  tolerance: 5\n", 2, "a number from 0 to below 1"),
        ("cases:\n  tolerance: 1.0\n", 2, "a number from 0 to below 1"),
        ("cases:\n  audited_only: maybe\n", 2, "one of yes, no, true, false"),
        ("cases:\n  rewrites: nowhere.jsonl\n", 2, "there is no file"),
        ("cases:\n  take:\n    - REP\n    - option_clon\n", 4, "Did you mean option_clone"),
        ("cases:\n  take: REP\n  leave: REP\n", 3, "no relation is left"),
        ("cases: 7\n", 1, "the fields rewrites"),
        ("cases:\n  seed: 1\n  seed: 2\n", 3, "stands twice"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, text: str, line: int, words: str) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, text)
    assert caught.value.place.file == tmp_path / "jevbench.yaml"
    assert caught.value.place.line == line
    assert words in str(caught.value)


@pytest.mark.parametrize("where", ["cases.jsonl", ""])
def test_the_other_usual_ending_is_not_passed_over(tmp_path: Path, where: str) -> None:
    (tmp_path / "jevbench.yml").write_text("cases: {seed: 1}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"jevbench\.yml: .* not read from this name\. Call it jevbench\.yaml"):
        read_case_settings(tmp_path / where)
    (tmp_path / "jevbench.yaml").write_text("cases: {seed: 1}\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"jevbench\.yml: "):  # which of the two would count?
        read_case_settings(tmp_path / where)


@pytest.mark.parametrize(("name", "meant"), [("rep", "REP"), ("log.BOUNDS", "LOG.bounds"), ("Verbosity", "verbosity")])
def test_a_name_in_other_letters_is_told_in_its_own(tmp_path: Path, name: str, meant: str) -> None:
    with pytest.raises(InputError, match=rf'there is no .*"{name}"\. Did you mean {meant}\?'):
        read(tmp_path, f"cases:\n  take: [{name}]\n")


def test_a_number_of_thousands_of_digits_is_refused_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"jevbench\.yaml, line 2, cases\.seed: found \"9+…. Give a whole number"):
        read(tmp_path, f"cases:\n  seed: {'9' * 5000}\n")
