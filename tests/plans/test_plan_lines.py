"""The lines of large plans: compressed, read again, let go."""

from __future__ import annotations

import random

import pytest

from pytest_jevbench.plans import build, stored
from pytest_jevbench.plans.build import build_plan
from pytest_jevbench.plans.plan_lines import PlanLines
from pytest_jevbench.plans.stored import StoredTrials
from pytest_jevbench.relations import registry
from pytest_jevbench.rewrite_bank import RewriteBank
from pytest_jevbench.suite_loading import load_suite
from tests.suite_writing import make_case


def filled(plain: int, count: int) -> tuple[PlanLines, list[bytes]]:
    """Lines of very different lengths, some megabytes together, so that there are several blocks."""
    chance = random.Random(count)
    texts = [bytes([65 + i % 26]) * chance.choice((0, 1, 300, 60_000)) + str(i).encode() for i in range(count)]
    lines = PlanLines(plain)
    for i, text in enumerate(texts):
        assert lines.add(text, 10 + 3 * i) == i + 1
    return lines, texts


@pytest.mark.parametrize("plain", [0, 7, 200, 10_000], ids="{} plain lines".format)
def test_any_line_is_read_in_any_order(plain: int) -> None:
    lines, texts = filled(plain, 300)
    assert len(lines) == 300
    assert lines.stay is (plain < 300)
    order = list(range(300))
    random.Random(1).shuffle(order)
    for i in [*order, *range(300)]:
        assert (lines.line(i + 1), lines.number(i + 1)) == (texts[i], 10 + 3 * i)


def test_letting_lines_go_leaves_the_others() -> None:
    lines, texts = filled(1000, 300)
    for i in range(0, 300, 2):
        lines.let_go(i + 1)
    assert [lines.line(i + 1) for i in range(1, 300, 2)] == texts[1::2]


def test_lines_that_stay_cannot_be_let_go() -> None:
    lines, texts = filled(0, 300)
    for i in range(300):
        lines.let_go(i + 1)
    assert [lines.line(i + 1) for i in range(300)] == texts


def test_a_large_plan_of_cases_gives_the_trials_of_a_small_one(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = [make_case(f"c-{i}", ["a", "b", "c"]) for i in range(5)]

    def planned() -> list[tuple[object, ...]]:
        plan = build_plan(cases, RewriteBank(), list(registry.RELATIONS.values()), seed=3, draws=2)
        kinds.append({isinstance(test.trials, StoredTrials) for test in plan.tests})
        first = [(test.id, list(test.trials)) for test in plan.tests]
        again = [(test.id, list(test.trials)) for test in reversed(plan.tests)][::-1]
        assert first == again
        return first

    kinds: list[set[bool]] = []
    small = planned()
    monkeypatch.setattr(build, "MOST_TRIALS", 100)
    monkeypatch.setattr(stored, "_AT_HAND", 10)
    assert planned() == small
    assert kinds == [{False}, {True}]


@pytest.mark.parametrize("suite", ["jevbench-examples", "jevbench-mini"])
def test_a_suite_gives_the_same_trials_from_compressed_lines(suite: str) -> None:
    plain, compressed = load_suite(suite), load_suite(suite, most_plain=0)
    assert [test.id for test in compressed.plan.tests] == [test.id for test in plain.plan.tests]
    backwards = [list(test.trials) for test in reversed(compressed.plan.tests)]
    assert backwards[::-1] == [list(test.trials) for test in plain.plan.tests]
