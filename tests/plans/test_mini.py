"""Small plans drawn from large ones."""

from __future__ import annotations

from collections import Counter, defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_jevbench.errors import InputError
from pytest_jevbench.plans.build import build_plan
from pytest_jevbench.plans.mini import select_mini
from pytest_jevbench.plans.plan import Plan, count_requests
from pytest_jevbench.plans.select import select_one_per_case
from pytest_jevbench.questions import Case
from pytest_jevbench.relations import registry
from pytest_jevbench.rewrite_bank import RewriteBank
from pytest_jevbench.suite_loading import Suite, load_suite
from tests.plans.test_select import FAMILIES
from tests.suite_writing import make_case

NO_REWRITES = RewriteBank()


@pytest.fixture(scope="module")
def published() -> Suite:
    return load_suite("jevbench:jevbench-240")


def parent(cases: list[Case]) -> Plan:
    return select_one_per_case(cases, NO_REWRITES, registry.scored(), seed=0, draws=1).plan


def test_the_published_parent_gives_the_published_size(published: Suite) -> None:
    """12 domains of 20 cases: 24 tests a relation, 5 a case, and 240 + 24 × 42 requests, as families coincide."""
    mini = select_mini(published.plan, published.cases, per_domain=2)
    assert len(mini.tests) == 1200
    assert Counter(test.id.relation for test in mini.tests) == dict.fromkeys(published.plan.relations, 24)
    assert Counter(test.id.case_id for test in mini.tests) == dict.fromkeys(published.cases, 5)
    assert count_requests(mini, published.cases) == 240 + 24 * 42
    per_domain = Counter((test.id.relation, published.cases[test.id.case_id].domain) for test in mini.tests)
    assert set(per_domain.values()) == {2}
    assert set(mini.tests) <= set(published.plan.tests)


def test_every_variant_of_the_published_parent_is_used_alike(published: Suite) -> None:
    mini = select_mini(published.plan, published.cases, per_domain=2)
    variants: dict[str, Counter[int]] = defaultdict(Counter)
    for test in mini.tests:
        variants[test.id.relation][test.trials[0].variant] += 1
    limited = {"threshold_sweep", "batch_size_sweep"}  # not every case has every variant
    uneven = {name: c for name, c in variants.items() if max(c.values()) - min(c.values()) > 1}
    assert set(uneven) <= limited


@given(st.integers(3, 8), st.integers(1, 3), st.integers(0, 3))
@settings(max_examples=20, deadline=None)
def test_cases_share_the_tests_and_families_stay_together(count: int, per_domain: int, without: int) -> None:
    """Some cases have no Choice, so that some relations have fewer cases to choose from."""
    cases = [make_case(f"c{i}", "abcd", choices=["kind"] if i >= without else []) for i in range(count)]
    plan = parent(cases)
    mini = select_mini(plan, {case.id: case for case in cases}, per_domain=per_domain)
    offered = Counter(test.id.relation for test in plan.tests)
    drawn = Counter(test.id.relation for test in mini.tests)
    assert drawn == {name: min(per_domain, n) for name, n in offered.items()}
    where = defaultdict(set)
    for test in mini.tests:
        where[test.id.relation].add(test.id.case_id)
    for family in FAMILIES:
        assert all(where[name] == where[family[0]] for name in family)
    if without == 0:
        loads = Counter(test.id.case_id for test in mini.tests)
        assert max(loads.values()) - min(loads[case.id] for case in cases) <= 1


def test_a_plan_of_every_variant_is_no_parent() -> None:
    case = make_case("c", "ab")
    plan = build_plan([case], NO_REWRITES, [registry.get("batch_solo")], seed=0, draws=1)
    with pytest.raises(InputError, match="several tests"):
        select_mini(plan, {"c": case}, per_domain=1)
