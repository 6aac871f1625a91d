"""docs/relations.md and the printed tree say what the relations declare."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_jevbench.cli import main
from pytest_jevbench.relations import registry, wording
from pytest_jevbench.relations.taxonomy import DIMENSIONS, FORMS, GROUPS
from pytest_jevbench.reports.taxonomy_markdown import CHECKS, PARTS, REGENERATE, relations_page
from pytest_jevbench.reports.taxonomy_tree import taxonomy_tree
from pytest_jevbench.reports.text import columns, plain

PAGE = Path(__file__).parents[2] / "docs" / "relations.md"


def test_the_page_in_docs_is_in_step() -> None:
    assert PAGE.read_text(encoding="utf-8") == relations_page(), f"docs/relations.md has drifted: run {REGENERATE}"


def test_the_command_that_regenerates_the_page_prints_it(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    program, *words = REGENERATE.partition(" > ")[0].split()
    assert program == "pytest-jevbench"
    assert main(words) == 0
    assert capfdbinary.readouterr().out == PAGE.read_bytes()


def test_every_relation_stands_in_one_row_with_its_declaration() -> None:
    rows = [line for line in relations_page().splitlines() if line.startswith("| `")]
    for relation in registry.RELATIONS.values():
        (row,) = [row for row in rows if row.startswith(f"| `{relation.name}` |") and row.count(" | ") == 7]
        assert f"`{relation.check}`" in row
        assert f"| `{relation.form}` |" in row
        assert relation.law.replace("|", "\\|") in row
        assert (", ".join(relation.edits) or "nothing") in row


def test_every_table_row_has_as_many_cells_as_its_head() -> None:
    widths: set[int] = set()
    for line in [*relations_page().splitlines(), ""]:
        if line.startswith("|"):
            widths.add(len(re.findall(r"(?<!\\)\|", line)))
        else:
            assert len(widths) <= 1
            widths = set()


def test_the_diagram_holds_every_group_and_scored_relation_once() -> None:
    diagram = relations_page().partition("```mermaid\n")[2].partition("```")[0]
    for relation in registry.scored():
        assert len(re.findall(rf"\b{relation.name}\b", diagram)) == 1
    assert diagram.count("-->") == len(DIMENSIONS) + len(GROUPS)


def test_the_coverage_matrix_counts_the_parts_edited() -> None:
    """As the published taxonomy counts them, group by group."""
    page = relations_page().partition("| Group | key |")[2].partition("\n\n")[0]
    counted = {
        cells[1].strip(): [cell.count("●") for cell in cells[2:-1]]
        for cells in (line.split("|") for line in page.splitlines()[2:])
    }
    assert PARTS == ("key", "instructions", "criteria", "type", "batch")
    assert counted == {
        "REP.invariance": [1, 5, 2, 0, 1],
        "REP.equivariance": [0, 0, 3, 0, 0],
        "REP.binding": [1, 0, 2, 0, 0],
        "REP.type": [0, 0, 2, 2, 0],
        "BAT.isolation": [0, 0, 0, 0, 5],
        "MEA.complement": [0, 5, 0, 2, 5],
        "MEA.partition": [0, 0, 8, 0, 0],
        "MEA.marginalisation": [0, 4, 0, 3, 4],
        "LOG.bounds": [0, 7, 0, 0, 7],
        "LOG.monotonicity": [0, 3, 0, 0, 3],
        "CHO.conditioning": [0, 0, 3, 0, 0],
    }


def test_every_check_and_form_is_explained() -> None:
    assert {relation.check for relation in registry.RELATIONS.values()} == set(CHECKS)
    assert {relation.form for relation in registry.RELATIONS.values()} == set(FORMS)


def test_every_sentence_is_listed() -> None:
    page = relations_page()
    for text in (*wording.FILLERS, *wording.OFF_TOPIC, wording.CATCH_ALL, *wording.joint_options().values()):
        assert f"- `{text}`\n" in page
    for template in (*wording.VERBOSE, *wording.NEGATIONS, wording.STRONG, wording.WEAK):
        assert f"- `{template('{question}')}`\n" in page


@pytest.mark.parametrize("verbose", [False, True])
def test_the_tree_names_every_relation_once_with_its_formula(verbose: bool) -> None:
    lines = [plain(line) for line in taxonomy_tree(verbose)]
    for relation in registry.RELATIONS.values():
        (line,) = [line for line in lines if line.split()[:1] == [relation.name]]
        assert relation.formula in line
    text = "\n".join(lines)
    assert all(dimension.title in text for dimension in DIMENSIONS)
    assert all(f"  {group.id}  {group.asks}" in lines for group in GROUPS)


@pytest.mark.parametrize("verbose", [False, True])
def test_the_tree_fits_a_terminal(verbose: bool) -> None:
    assert max(columns(plain(line)) for line in taxonomy_tree(verbose)) <= 80


def test_the_verbose_tree_gives_each_law_in_words_with_check_and_source() -> None:
    words = " ".join(" ".join(plain(line) for line in taxonomy_tree(True)).split())
    for relation in registry.RELATIONS.values():
        assert relation.law in words
        assert f"check {relation.check} " in words
        assert relation.source in words


def test_the_command_prints_the_tree(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["relations"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("50 relations and 2 diagnostics\n")
    assert "option_clone" in out
    assert "share the option's probability" not in out
    assert main(["relations", "-v"]) == 0
    assert "An option and its copy share the option's probability" in capsys.readouterr().out


def test_every_scored_relation_has_an_example_from_the_bundled_case() -> None:
    page = relations_page()
    for relation in registry.scored():
        [example] = re.findall(
            rf"^`{relation.name}`, for example:\n\n```text\n(.*?)^```$", page, re.MULTILINE | re.DOTALL
        )
        assert re.match(r"[-+~] ", example)
    assert "- rent_held_back is a noul\n+ rent_held_back is a score\n" in page
