"""One test a relation and case, spread evenly."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_jevbench.plans.plan import Plan, count_requests
from pytest_jevbench.plans.select import select_one_per_case
from pytest_jevbench.questions import Case
from pytest_jevbench.relations import registry
from pytest_jevbench.rewrite_bank import RewriteBank
from tests.suite_writing import make_case

NO_REWRITES = RewriteBank()


def select(cases: list[Case], *names: str, draws: int = 1) -> Plan:
    relations = [registry.get(name) for name in names] if names else list(registry.RELATIONS.values())
    return select_one_per_case(cases, NO_REWRITES, relations, seed=0, draws=draws).plan


def test_one_test_a_relation_and_case_and_one_variant_a_test() -> None:
    cases = [make_case(f"c{i}", "abcd", choices=["kind"]) for i in range(3)]
    plan = select(cases)
    assert max(Counter((t.id.relation, t.id.case_id) for t in plan.tests).values()) == 1
    assert all(len(test.trials) == 1 for test in plan.tests)
    assert [test.id.case_id for test in plan.tests] == sorted(test.id.case_id for test in plan.tests)
    order = list(registry.RELATIONS)
    of_first = [order.index(t.id.relation) for t in plan.tests if t.id.case_id == "c0"]
    assert of_first == sorted(of_first)


def test_a_test_has_every_draw_of_its_variant() -> None:
    plan = select([make_case("c", "ab")], "key_rename", "verbosity", draws=3)
    drawn = {test.id.relation: [(t.variant, t.draw) for t in test.trials] for test in plan.tests}
    (variant,) = {variant for variant, _ in drawn["verbosity"]}
    assert drawn == {"key_rename": [(0, 0), (0, 1), (0, 2)], "verbosity": [(variant, 0)]}


def test_diagnostics_are_left_out() -> None:
    plan = select([make_case("c", "ab")])
    assert "batch_solo" in plan.relations
    assert not {"confidence_consistency", "routing_stability"} & set(plan.relations)


def test_questions_and_variants_of_a_domain_take_turns() -> None:
    """Six cases, three questions, three wordings: each question twice, each wording twice."""
    plan = select([make_case(f"c{i}", "abc") for i in range(6)], "negation_wrapper")
    assert Counter(test.id.key for test in plan.tests) == {"a": 2, "b": 2, "c": 2}
    assert Counter(test.trials[0].variant for test in plan.tests) == {0: 2, 1: 2, 2: 2}
    assert len({(test.id.key, test.trials[0].variant) for test in plan.tests}) == 6


def test_a_question_of_few_cases_is_still_used() -> None:
    """c is in two of six cases; nothing is fairer than two each."""
    cases = [make_case(f"c{i}", "abc" if i >= 4 else "ab") for i in range(6)]
    plan = select(cases, "batch_solo")
    assert Counter(test.id.key for test in plan.tests) == {"a": 2, "b": 2, "c": 2}


def test_variants_are_even_over_domains_too() -> None:
    """Four cases of three wordings leave one over in each domain; over three domains it is another one each time."""
    cases = [make_case(f"{domain}{i}", "ab", domain=domain) for domain in "xyz" for i in range(4)]
    plan = select(cases, "negation_wrapper")
    assert Counter(test.trials[0].variant for test in plan.tests) == {0: 4, 1: 4, 2: 4}


def test_different_relations_ask_different_questions_of_a_case() -> None:
    plan = select([make_case("c", "abcdef")])
    used = Counter(test.id.key for test in plan.tests if test.id.relation not in ("batch_order", "batch_size_sweep"))
    assert set(used) == set("abcdef")


FAMILIES = (
    ("de_morgan", "compound_negation"),
    ("option_clone", "clone_symmetry"),
    ("frechet_and_upper", "inclusion_exclusion"),
    ("nary_and_upper", "nary_and_lower", "nary_or_upper", "nary_or_lower"),
    ("quantifier_monotonicity", "count_upper", "count_lower"),
)


def test_relations_that_share_requests_coincide() -> None:
    cases = [make_case(f"c{i}", "abcde"[i % 2 :], choices=["kind", "size"]) for i in range(5)]
    plan = select(cases)
    edits = {(test.id.relation, test.id.case_id): (test.id.key, test.trials[0].edit) for test in plan.tests}
    for family in FAMILIES:
        for case in cases:
            assert len({edits[name, case.id][0] for name in family}) == 1
            assert all(edits[name, case.id] == edits[family[0], case.id] for name in family)


def test_requests_are_counted_once_each() -> None:
    """Two relations of one family and two of their own, on one case: its own batch and three follow-ups."""
    cases = [make_case("c", "abc")]
    plan = select(cases, "de_morgan", "compound_negation", "batch_solo", "batch_order")
    assert count_requests(plan, {case.id: case for case in cases}) == 4


@given(st.lists(st.sets(st.sampled_from("abcde"), min_size=1), min_size=1, max_size=12), st.integers(1, 2))
@settings(max_examples=60, deadline=None)
def test_evenness_holds_for_any_availability(available: list[set[str]], domains: int) -> None:
    """No test can move to a question of its case that is used at least two times less: local, and a proof by hand of
    every pair; that no chain of moves helps either is tested on the spreading itself."""
    cases = [make_case(f"c{i}", sorted(keys), domain=f"d{i % domains}") for i, keys in enumerate(available)]
    plan = select(cases, "verbosity")
    by_id = {case.id: case for case in cases}
    keys: dict[str, Counter[str]] = defaultdict(Counter)
    variants: dict[str, Counter[int]] = defaultdict(Counter)
    for test in plan.tests:
        domain = by_id[test.id.case_id].domain
        keys[domain][test.id.key] += 1
        variants[domain][test.trials[0].variant] += 1
    for test in plan.tests:
        case = by_id[test.id.case_id]
        used = keys[case.domain]
        assert all(used[test.id.key] - used[other] <= 1 for other in case.questions)
    for counted in variants.values():
        assert max(counted.values()) - min(counted[v] for v in range(3)) <= 1


@pytest.mark.parametrize("relation", ["option_closure", "remove_option_iia", "pairwise_iia"])
def test_a_variant_an_option_is_spread_over_the_options(relation: str) -> None:
    cases = [make_case(f"c{i}", "a", choices=["kind"]) for i in range(12)]
    plan = select(cases, relation)
    counts = Counter(test.trials[0].variant for test in plan.tests)
    assert set(counts.values()) == {12 // len(counts)}
    assert len(counts) == (6 if relation == "pairwise_iia" else 4)
