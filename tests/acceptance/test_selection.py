"""Choosing tests: options, node ids, keywords, markers, last failed."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Run = Callable[..., pytest.RunResult]
EXAMPLES = ("--jevbench-suite=jevbench-examples", "--jevbench-reference=uniform", "--jevbench-store=off")


def ids(result: pytest.RunResult) -> list[str]:
    return [line for line in result.outlines if line.startswith("jevbench-examples::")]


def test_every_test_of_the_plan_is_an_item(run_jevbench: Run) -> None:
    collected = ids(run_jevbench(*EXAMPLES, "--co", "-q"))
    assert len(collected) == len(set(collected)) == 50
    assert all(len(name.split("::")) == 3 and name.isascii() for name in collected)


def test_dimension_group_and_relation_are_a_union(run_jevbench: Run) -> None:
    result = run_jevbench(
        *EXAMPLES,
        "--co",
        "-q",
        "--jevbench-dimension=CHO",
        "--jevbench-group=REP.type",
        "--jevbench-relation=option_clone,de_morgan",
    )
    relations = sorted(name.split("::")[2].split("-")[0] for name in ids(result))
    assert relations == sorted(
        [
            "irrelevant_option",
            "remove_option_iia",
            "pairwise_iia",
            "noul_as_choice",
            "noul_as_score",
            "option_clone",
            "de_morgan",
        ]
    )


@pytest.mark.parametrize(
    ("option", "near"),
    [
        ("--jevbench-relation=option_clones", "option_clone"),
        ("--jevbench-dimension=MAE", "MEA"),
        ("--jevbench-dimension=mea", "MEA"),
        ("--jevbench-group=CHO.conditionning", "CHO.conditioning"),
        ("--jevbench-domain=nowhere", "There are"),
        ("--jevbench-case=nobody", "There are"),
    ],
)
@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["serial", "n2"])
def test_an_unknown_name_is_a_usage_error_with_the_near_ones(
    run_jevbench: Run, option: str, near: str, workers: tuple[str, ...]
) -> None:
    result = run_jevbench(*EXAMPLES, option, *workers)
    assert result.ret == 4
    [line] = [line for line in result.errlines if "jevbench" in line]
    assert option.partition("=")[2] in line
    assert near in line


def test_keywords_and_markers_narrow_and_are_counted_as_deselected(run_jevbench: Run) -> None:
    result = run_jevbench(*EXAMPLES, "-k", "option_clone", "-q", "--co")
    assert [name.split("::")[2].split("-")[0] for name in ids(result)] == ["option_clone"]
    assert len(ids(run_jevbench(*EXAMPLES, "-m", "jevbench_cho", "-q", "--co"))) == 3
    assert len(ids(run_jevbench(*EXAMPLES, "-m", "jevbench_mea and not jevbench_noul", "-q", "--co"))) > 5


def test_node_ids_choose_tests_and_cases(run_jevbench: Run) -> None:
    every = ids(run_jevbench(*EXAMPLES, "--co", "-q"))
    assert ids(run_jevbench(*EXAMPLES, "--co", "-q", every[3], every[7])) == [every[3], every[7]]
    case = every[0].rpartition("::")[0]
    assert ids(run_jevbench(*EXAMPLES, "--co", "-q", case)) == every
    assert ids(run_jevbench(*EXAMPLES, "--co", "-q", f"--deselect={every[0]}")) == every[1:]


def test_an_unknown_node_id_is_a_usage_error(run_jevbench: Run) -> None:
    result = run_jevbench(*EXAMPLES, "jevbench-examples::no-such-case")
    assert result.ret == 4
    result.stderr.fnmatch_lines(["*no-such-case is no test*"])


def test_last_failed_and_stepwise_ask_the_violated_tests_alone(run_jevbench: Run) -> None:
    first = run_jevbench(*EXAMPLES)
    violated = first.parseoutcomes()["violated"]
    assert 0 < violated < 50
    again = run_jevbench(*EXAMPLES, "--lf")
    assert again.parseoutcomes() == {"violated": violated, "deselected": 50 - violated}
    stepwise = run_jevbench(*EXAMPLES, "--sw")
    assert stepwise.parseoutcomes()["violated"] == 1


def test_the_suite_alone_runs_unless_paths_are_given(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_own="def test_own(): pass")
    assert run_jevbench(*EXAMPLES, "--jevbench-relation=batch_solo").parseoutcomes() == {"passed": 1}
    both = run_jevbench(*EXAMPLES, "--jevbench-relation=batch_solo", "test_own.py")
    assert both.parseoutcomes() == {"passed": 2}
    alone = run_jevbench("test_own.py")
    assert alone.parseoutcomes() == {"passed": 1}


def test_the_suite_alone_runs_in_workers_too(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_own="def test_own(): pass")
    one, two = EXAMPLES, ("-n", "2")
    assert run_jevbench(*one, *two, "--jevbench-relation=batch_solo").parseoutcomes() == {"passed": 1}
    assert run_jevbench(*one, *two, "--jevbench-relation=batch_solo", "test_own.py").parseoutcomes() == {"passed": 2}
    name = "jevbench-examples::leak-at-weavers-court::option_clone-earlier_report"
    by_name = run_jevbench(*one, *two, name)
    assert sum(by_name.parseoutcomes().values()) == 1
    assert sum(run_jevbench(*one, *two, name, "test_own.py").parseoutcomes().values()) == 2


def test_testpaths_do_not_count_as_paths(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    pytester.makeini("[pytest]\ntestpaths = tests")
    pytester.mkdir("tests").joinpath("test_own.py").write_text("def test_own(): pass\n", encoding="utf-8")
    assert run_jevbench(*EXAMPLES, "--jevbench-relation=batch_solo").parseoutcomes() == {"passed": 1}


def test_a_shuffled_run_keeps_a_cases_tests_together_in_plan_order(pytester: pytest.Pytester) -> None:
    shuffled = pytester.runpytest_subprocess(*EXAMPLES, "--co", "-q", "-p", "randomly", "-p", "no:cacheprovider")
    plain = pytester.runpytest_subprocess(*EXAMPLES, "--co", "-q", "-p", "no:randomly")
    assert ids(shuffled) == ids(plain)
