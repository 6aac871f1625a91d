"""Laws of one's own in whole runs: registered, planned, shown beside the dimensions, counted only when told."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., pytest.RunResult]

LAW = """
from pytest_jevbench.own_laws import OwnLaw, at_most

class RefundNeedsOrder(OwnLaw):
    name = "refund_needs_order"
    law = "A refund is approved only where the order was found."
    formula = "P(refund) <= P(found)"
    counts_in = "LOG"

    def applies(self, source, key):
        return key == "refund" and "found" in source.questions

    def about(self, source, key):
        return ("refund", "found")

    def measure(self, reading):
        return at_most(reading, "P(refund)", reading.yes("refund"), reading.yes("found"))
"""
HOOK = """
def pytest_jevbench_relations(registry):
    registry.add(RefundNeedsOrder)
"""
MODEL = """
import pytest

def answer(state, questions):
    # An approved refund of an order that was not found; everything else is even.
    known = {"Is a refund approved?": 0.9, "Was the order found?": 0.2}
    return {key: {"type": "noul", "noul": known.get(q["instructions"], 0.5)} for key, q in questions.items()}

@pytest.fixture(scope="session")
def jevbench_model():
    return answer
"""
CASES = "--jevbench-cases=refunds.jsonl"
FEW = (CASES, "--jevbench-store=off", "--jevbench-fail-on=never", "--jevbench-min-n=1", "--jevbench-dimension=LOG")
OWN = (*FEW, "--jevbench-relation=refund_needs_order")


@pytest.fixture(autouse=True)
def cases(pytester: pytest.Pytester) -> Path:
    questions = {
        "found": {"type": "noul", "instructions": "Was the order found?"},
        "refund": {"type": "noul", "instructions": "Is a refund approved?"},
    }
    rows = [{"id": f"c{n}", "state": f"Parcel {n} never came.", "questions": questions} for n in range(3)]
    path = pytester.path / "refunds.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    return path


def card(pytester: pytest.Pytester) -> Any:
    return json.loads((pytester.path / "jevbench-card.json").read_text(encoding="utf-8"))


def without_own(value: Any) -> Any:
    """The scores of a card apart from the group of own laws."""
    return {**value, "groups": [group for group in value["groups"] if not group["name"].startswith("OWN.")]}


def test_beside_the_dimensions_nothing_changes_and_in_them_the_card_says_so(
    run_jevbench: Run, pytester: pytest.Pytester
) -> None:
    pytester.makeconftest(LAW + MODEL)
    run_jevbench(*FEW)
    without = card(pytester)
    pytester.makeconftest(LAW + HOOK + MODEL)
    result = run_jevbench(*OWN)
    beside = card(pytester)
    assert without_own(beside["scores"]) == without_own(without["scores"])
    assert beside["counts"]["violated"] == without["counts"]["violated"] + 3
    [law] = beside["own_laws"]
    assert (law["name"], law["group"], law["counts_in"]) == ("refund_needs_order", "OWN.laws", None)
    result.stdout.fnmatch_lines(["own laws, in no score above*", "  refund_needs_order*0.0*3*"])
    result.stdout.fnmatch_lines(["law        A refund is approved only where the order was found."])

    run_jevbench(*OWN, "-n2")
    assert {**card(pytester), "run": None} == {**beside, "run": None}

    run_jevbench(*OWN, "--jevbench-count-own-laws")
    counted = card(pytester)
    assert counted["own_laws"][0]["counts_in"] == "LOG"
    assert "own_laws_counted" in [flag["name"] for flag in counted["flags"]]
    [before] = [d for d in beside["scores"]["dimensions"] if d["name"] == "LOG"]
    [after] = [d for d in counted["scores"]["dimensions"] if d["name"] == "LOG"]
    n = before["relations"]
    assert after["relations"] == n + 1
    assert after["score"] == pytest.approx(before["score"] * n / (n + 1))  # one law more, and it never holds


def test_a_frozen_suite_loads_where_its_laws_are_registered_and_nowhere_else(
    run_jevbench: Run, pytester: pytest.Pytester, cases: Path
) -> None:
    suite = pytester.mkdir("refunds")
    cases.rename(suite / "cases.jsonl")
    (suite / "manifest.json").write_text('{"name": "refunds"}', encoding="utf-8")
    laws = pytester.makepyfile(laws=LAW + HOOK)
    frozen = pytester.run(
        sys.executable, "-m", "pytest_jevbench", "suite", "freeze", "refunds", "--conftest", str(laws)
    )
    assert frozen.ret == 0
    assert json.loads((suite / "manifest.json").read_text(encoding="utf-8"))["plan"]["own_laws"] == {
        "refund_needs_order": "A refund is approved only where the order was found."
    }
    select = ("--jevbench-suite=./refunds", "--jevbench-reference=uniform", "--jevbench-relation=refund_needs_order")
    refused = run_jevbench(*select)
    assert refused.ret == 4
    assert "line 1, relations: there is no relation 'refund_needs_order'" in refused.stderr.str()
    assert "pytest_jevbench_relations" in refused.stderr.str()
    pytester.makeconftest(LAW + HOOK)
    assert run_jevbench(*select).ret == 0
    assert card(pytester)["counts"]["held"] == 3


def test_a_package_brings_laws_by_its_entry_point(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(refund_laws=LAW)
    info = pytester.mkdir("refund_laws-1.dist-info")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: refund-laws\nVersion: 1\n", encoding="utf-8")
    entry = "[pytest_jevbench.relations]\nrefunds = refund_laws:RefundNeedsOrder\n"
    (info / "entry_points.txt").write_text(entry, encoding="utf-8")
    pytester.makeconftest(MODEL)
    pytester.syspathinsert()
    assert run_jevbench(*OWN).ret == 0
    assert card(pytester)["own_laws"][0]["name"] == "refund_needs_order"
    listed = pytester.run(sys.executable, "-m", "pytest_jevbench", "relations")
    listed.stdout.fnmatch_lines(["Own laws (1)*", "*refund_needs_order*"])


@pytest.mark.parametrize(
    ("conftest", "args", "words"),
    [
        (LAW.replace("refund_needs_order", "option_merge") + HOOK, FEW, "conftest.py, line 3: a built-in relation is"),
        (HOOK, FEW, "pytest_jevbench_relations fails: NameError"),
        (LAW.replace('yes("found")', 'yes("lost")') + HOOK, OWN, "measure fails on uniform answers (KeyError: 'lost'"),
        (
            LAW.replace('yes("found")', 'yes(exit("enough"))') + HOOK,
            OWN,
            "measure fails on uniform answers (SystemExit: enough",
        ),
        (LAW + HOOK, ("--jevbench-suite=jevbench-examples", "--jevbench-count-own-laws"), "has a test here"),
        (LAW.replace("counts_in", "_counts_in") + HOOK, (*FEW, "--jevbench-count-own-laws"), "has a test here"),
        (LAW, OWN, 'there is no "refund_needs_order"'),
    ],
)
def test_what_is_wrong_is_said_before_anything_is_asked(
    run_jevbench: Run, pytester: pytest.Pytester, conftest: str, args: tuple[str, ...], words: str
) -> None:
    pytester.makeconftest(conftest)
    result = run_jevbench(*args, "--jevbench-reference=uniform")
    assert result.ret == 4
    assert words in result.stderr.str()


def test_a_conftest_that_is_loaded_too_late_is_named(run_jevbench: Run, pytester: pytest.Pytester) -> None:
    late = pytester.mkdir("checks")
    (late / "conftest.py").write_text(LAW + HOOK, encoding="utf-8")
    (late / "test_own.py").write_text("def test_own(): pass", encoding="utf-8")
    result = run_jevbench(*FEW, "--jevbench-reference=uniform", ".")
    assert result.ret == 4
    assert "checks/conftest.py: pytest_jevbench_relations comes too late" in result.stdout.str() + result.stderr.str()
