"""A card beside its baseline, line by line."""

from __future__ import annotations

import doctest

import pytest

from pytest_jevbench.reports import github, markdown_text, numbers
from pytest_jevbench.reports.changes import CHANGE_LEVELS, ChangeLevel, changes_text, comparison_lines
from pytest_jevbench.reports.text import columns, plain
from pytest_jevbench.scoring.compared_cards import compare_with
from tests.reports.compared import BASELINE, WORSE, run_of


def printed(level: ChangeLevel = "dimension", *, tests: bool = False, graded: bool = False) -> list[str]:
    now = run_of(WORSE)
    compared = compare_with(now, run_of(BASELINE), graded=graded, draws=200)
    return [plain(of) for of in comparison_lines(now, compared, level=level, tests=tests)]


def row(lines: list[str], start: str) -> list[str]:
    found = next(line.strip() for line in lines if line.strip().startswith(start))
    return found.removeprefix(start).split()


def test_before_now_change_and_p() -> None:
    lines = printed()
    assert lines[0] == "m · made-up, against m"
    assert row(lines, "overall")[:3] == ["94.0", "84.0", "-10.0"]
    assert row(lines, "LOG  Logical coherence")[:3] == ["90.0", "90.0", "0.0"]
    assert row(lines, "overall")[-1] == "0.3750"  # 8 / 128, six scores
    assert "6 new violations, 2 known, 1 fixed" in lines
    assert "  new: option_clone 6" in lines
    assert "  fixed: option_clone 1" in lines


def test_relations_stand_under_their_groups_with_a_p_of_their_own() -> None:
    lines = printed("relation")
    assert row(lines, "option_clone")[:3] == ["80.0", "30.0", "-50.0"]
    assert row(lines, "option_clone")[-1] == "0.0625"
    assert lines.index(next(line for line in lines if line.startswith("  Partition"))) < lines.index(
        next(line for line in lines if line.startswith("    option_clone"))
    )


def test_every_new_and_fixed_test_is_named_on_request() -> None:
    lines = printed(tests=True)
    assert [line for line in lines if line.startswith("  new")] == [
        f"  new    option_clone, case c{i}, question q" for i in range(2, 8)
    ]
    assert "  fixed  option_clone, case c0, question q" in lines


def test_graded_scores_on_request() -> None:
    # a violated test has the graded score 0.5: half of the change
    assert row(printed(graded=True), "overall")[:3] == ["97.0", "92.0", "-5.0"]


@pytest.mark.parametrize("level", CHANGE_LEVELS)
def test_lines_fit_80_columns(level: ChangeLevel) -> None:
    assert all(columns(line) <= 80 for line in printed(level))


def test_what_the_baseline_did_not_judge_is_said() -> None:
    now = run_of(WORSE)
    before = run_of(BASELINE)
    cut = [test for test in before.data["tests"] if test["case"] != "c2"]
    fewer = type(before).from_json({**before.data, "tests": cut})
    changes = compare_with(now, fewer, draws=50).comparison
    assert changes is not None
    assert changes_text(changes.changes) == "6 new violations (1 not judged there), 2 known, 1 fixed"


@pytest.mark.parametrize("module", [numbers, markdown_text, github])
def test_the_examples_of_the_docstrings(module: object) -> None:
    tried = doctest.testmod(module)  # type: ignore[arg-type]
    assert tried.attempted > 0
    assert tried.failed == 0
