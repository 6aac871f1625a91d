"""A run of some tests does not replace the card of all of them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., pytest.RunResult]
RUN = ("--jevbench-suite=jevbench-examples", "--jevbench-reference=luce_biased")


def counts(pytester: pytest.Pytester, name: str) -> Any:
    return json.loads((pytester.path / name).read_text(encoding="utf-8"))["counts"]


@pytest.mark.parametrize(
    "narrowed",
    [
        ("-k", "option_clone"),
        ("--lf",),
        ("--jevbench-relation=option_clone",),
        ("-m", "jevbench_rep", "-n", "2"),
        ("jevbench-examples::leak-at-weavers-court::option_clone-earlier_report",),
    ],
    ids=["k", "lf", "relation", "m, n2", "node id"],
)
def test_the_card_of_all_stays(run_jevbench: Run, pytester: pytest.Pytester, narrowed: tuple[str, ...]) -> None:
    run_jevbench(*RUN)
    whole = (pytester.path / "jevbench-card.json").read_bytes()
    result = run_jevbench(*RUN, *narrowed)
    assert result.ret in (0, 1), result.stdout.str() + result.stderr.str()
    assert (pytester.path / "jevbench-card.json").read_bytes() == whole
    part = counts(pytester, "jevbench-card.part.json")
    assert 0 < part["collected"] < 50
    result.stdout.fnmatch_lines(
        ["These are a part of the tests of jevbench-card.json, which stays as it is.", "card: jevbench-card.part.json*"]
    )


def test_a_part_is_written_where_there_is_no_card_of_more(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    run_jevbench(*RUN, "-k", "option_clone")
    first = counts(pytester, "jevbench-card.json")["collected"]
    run_jevbench(*RUN, "-k", "key_rename")  # another part is no part of that one
    assert counts(pytester, "jevbench-card.json")["collected"] == first == 1
    run_jevbench(*RUN, "-k", "option_clone or key_rename")
    assert counts(pytester, "jevbench-card.json")["collected"] == 2
    run_jevbench(*RUN)
    assert counts(pytester, "jevbench-card.json")["collected"] == 50
    assert not (pytester.path / "jevbench-card.part.json").exists()


def test_a_place_that_was_typed_is_used(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    run_jevbench(*RUN)
    result = run_jevbench(*RUN, "-k", "option_clone", "--jevbench-card=jevbench-card.json")
    assert counts(pytester, "jevbench-card.json")["collected"] == 1
    assert "which stays" not in result.stdout.str()


@pytest.mark.parametrize("text", ["{", "[]", '{"identity": {"suite": {}}}', ""])
def test_what_is_no_card_is_replaced(run_jevbench: Run, pytester: pytest.Pytester, text: str) -> None:
    (pytester.path / "jevbench-card.json").write_text(text)
    run_jevbench(*RUN, "-k", "option_clone")
    assert counts(pytester, "jevbench-card.json")["collected"] == 1


def test_a_run_that_was_cut_short_is_one_of_all_tests(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    run_jevbench(*RUN)
    run_jevbench(*RUN, "-x")
    assert counts(pytester, "jevbench-card.json")["unjudged"]["lost"] > 0


INTERRUPTED = """
import pytest

done = 0

@pytest.hookimpl(trylast=True)
def pytest_runtest_logreport(report):
    global done
    done += report.when == "teardown"
    if done == STOP:
        raise KeyboardInterrupt
"""


def test_ctrl_c_leaves_the_card_of_more(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    for stop, name in ((5, "jevbench-card.json"), (9, "jevbench-card.json"), (3, "jevbench-card.part.json")):
        pytester.makeconftest(INTERRUPTED.replace("STOP", str(stop) + " " * stop))
        assert run_jevbench(*RUN).ret == 2
        assert counts(pytester, name)["judged"] in (stop, stop - 1)
    assert counts(pytester, "jevbench-card.json")["judged"] in (8, 9)


def test_of_a_part_accuracy_is_of_what_ran_and_one_note_names_the_rest(
    run_jevbench: Run, pytester: pytest.Pytester
) -> None:
    result = run_jevbench(
        "--jevbench-suite=jevbench-mini", "--jevbench-reference=uniform", "-k", "option_clone", "-vv", "--tb=no"
    )
    found = json.loads((pytester.path / "jevbench-card.json").read_text(encoding="utf-8"))["accuracy"]
    assert found["answered"] == found["questions"] < 300
    text = result.stdout.str()
    assert "with the unanswered as wrong" not in text
    assert text.lower().count("no test was run of") == 1
    assert "REP.invariance: no test" not in text


@pytest.mark.parametrize("more", [(), ("-x",), ("--jevbench-require=min.overall=0.1",)], ids=["alone", "x", "gate"])
def test_a_tree_that_cannot_be_collected_costs_no_card(
    run_jevbench: Run, pytester: pytest.Pytester, more: tuple[str, ...]
) -> None:
    run_jevbench(*RUN)
    whole = (pytester.path / "jevbench-card.json").read_bytes()
    broken = pytester.makepyfile(test_broken="import there_is_no_such_module")
    result = run_jevbench(*RUN, *more, str(broken))
    assert result.ret == (1 if "-x" in more else 2)
    assert (pytester.path / "jevbench-card.json").read_bytes() == whole
    assert "tests planned: 0 held" not in result.stdout.str()
    run_jevbench(*RUN, "--continue-on-collection-errors", str(broken))
    assert counts(pytester, "jevbench-card.json")["unjudged"]["lost"] == 0


def test_it_costs_no_card_of_a_marked_function_and_no_labelled_result(
    run_jevbench: Run, pytester: pytest.Pytester
) -> None:
    pytester.makepyfile(
        test_laws="import pytest\n\n@pytest.mark.jevbench_suite(suite='jevbench-examples', relations='verbosity')\n"
        "def test_laws(jevbench_test):\n    pass\n"
    )
    run_jevbench("--jevbench-reference=uniform")
    card = pytester.path / "jevbench-card.test_laws.test_laws.json"
    tasks = ("--jevbench-tasks=jevbench-examples", "--jevbench-reference=uniform")
    run_jevbench(*tasks)
    before = card.read_bytes(), (pytester.path / "jevbench-labelled.json").read_bytes()
    broken = pytester.makepyfile(test_broken="import there_is_no_such_module")
    assert run_jevbench("--jevbench-reference=uniform").ret == 2
    assert run_jevbench(*tasks, str(broken)).ret == 2
    assert (card.read_bytes(), (pytester.path / "jevbench-labelled.json").read_bytes()) == before
