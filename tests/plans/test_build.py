"""Every trial of a case."""

from __future__ import annotations

from collections import Counter

from pytest_jevbench.plans.build import build_plan, build_trials
from pytest_jevbench.plans.plan import TestId
from pytest_jevbench.relations import registry
from pytest_jevbench.rewrite_bank import Rewrite, RewriteBank
from tests.suite_writing import make_case

NO_REWRITES = RewriteBank()


def test_each_target_and_variant_in_each_draw_where_there_is_chance() -> None:
    case = make_case("c", ["a", "b"])
    wrapper, rename = registry.get("negation_wrapper"), registry.get("key_rename")
    trials = build_trials(case, NO_REWRITES, [wrapper, rename], seed=0, draws=2)
    count = Counter((t.relation, t.key, t.variant, t.draw) for t in trials)
    assert count == {("negation_wrapper", key, variant, 0): 1 for key in "ab" for variant in range(3)} | {
        ("key_rename", key, 0, draw): 1 for key in "ab" for draw in range(2)
    }
    assert [t.relation for t in trials] == ["negation_wrapper"] * 6 + ["key_rename"] * 4


def test_a_relation_without_a_target_gives_nothing() -> None:
    case = make_case("c", ["a"])
    relations = [registry.get(name) for name in ("option_clone", "score_complement", "instruction_paraphrase")]
    assert build_trials(case, NO_REWRITES, relations, seed=0, draws=1) == []


def test_rewrites_of_the_bank_are_found() -> None:
    case = make_case("c", ["a"])
    bank = RewriteBank.of([Rewrite("paraphrase", "Is a the case?", "Is it the case that a?", True)])
    (trial,) = build_trials(case, bank, [registry.get("instruction_paraphrase")], seed=0, draws=1)
    assert trial.params == {"rewrite": "Is it the case that a?"}


def test_the_variants_of_a_question_are_one_test() -> None:
    plan = build_plan([make_case("c", ["a", "b"])], NO_REWRITES, [registry.get("negation_wrapper")], seed=0, draws=1)
    assert [test.id for test in plan.tests] == [
        TestId("negation_wrapper", "c", "a"),
        TestId("negation_wrapper", "c", "b"),
    ]
    assert [[t.variant for t in test.trials] for test in plan.tests] == [[0, 1, 2], [0, 1, 2]]
    assert plan.relations == ("negation_wrapper",)


def test_relations_of_one_family_send_the_same_requests() -> None:
    case = make_case("c", ["a", "b", "c"])
    names = ("nary_and_upper", "nary_and_lower", "nary_or_upper", "nary_or_lower")
    trials = build_trials(case, NO_REWRITES, [registry.get(n) for n in names], seed=3, draws=2)
    by_relation = [[(t.key, t.draw, t.edit) for t in trials if t.relation == name] for name in names]
    assert len(by_relation[0]) == 6
    assert all(edits == by_relation[0] for edits in by_relation)
