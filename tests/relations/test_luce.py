"""A model that scores each option on its own keeps the laws of menus and fails those of refined options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from pytest_jevbench.models.reference import answer
from pytest_jevbench.oracle.oracle import Answers
from pytest_jevbench.relations import registry
from pytest_jevbench.relations.base import TOLERANCE
from tests.oracle.cases import read_cases
from tests.relations.measuring import Measured, all_trials, measure, source_case

CASES = sorted(read_cases())


def _luce(state: Any, questions: Mapping[str, Any]) -> Answers:
    return answer("luce", state, questions)


def _measured(case_id: str, dimension: str, *names: str) -> list[Measured]:
    source = source_case(case_id)
    relations = [r for r in registry.scored() if r.dimension == dimension and (not names or r.name in names)]
    return list(measure(source.case, all_trials(source, relations, seeds=(0, 1, 2)), _luce))


@pytest.mark.parametrize("case_id", CASES)
def test_every_law_of_menus_holds_exactly(case_id: str) -> None:
    measured = _measured(case_id, "CHO")
    assert {trial.relation for trial, _ in measured} == {"irrelevant_option", "remove_option_iia", "pairwise_iia"}
    assert max(measurement.deviation for _, measurement in measured) <= 1e-12


@pytest.mark.parametrize("name", ["option_clone", "option_split", "similarity_effect", "extreme_level"])
def test_a_refined_option_gains(name: str) -> None:
    """Two parts of an option are two options to such a model: none keeps its mass, most pass the tolerance."""
    deviations = [m.deviation for case_id in CASES for _, m in _measured(case_id, "MEA", name)]
    assert min(deviations) > 0.001
    assert sum(deviation > TOLERANCE for deviation in deviations) > 0.75 * len(deviations)


def test_a_copied_option_gains_exactly_the_share_of_a_second_one() -> None:
    source = source_case("pool-log")
    for trial, measurement in _measured("pool-log", "MEA", "option_clone"):
        p = answer("luce", source.case.state, {"q": source.questions[trial.key].to_json()})["q"]["probabilities"]
        share = p[trial.params["option"]]
        assert measurement.deviation == pytest.approx(2 * share / (1 + share) - share, abs=1e-12)


def test_a_catch_all_is_scored_by_its_own_words() -> None:
    deviations = [m.deviation for _, m in _measured("pool-log", "MEA", "option_closure")]
    assert sum(deviation > TOLERANCE for deviation in deviations) > 0.75 * len(deviations)


def test_the_two_copies_of_an_option_are_equally_probable() -> None:
    assert max(m.deviation for _, m in _measured("pool-log", "REP", "clone_symmetry")) <= 1e-12
