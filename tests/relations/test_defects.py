"""What each defect of a model breaks, and what it leaves alone to the last digit.

Over a sample of joint distributions every law is either broken by more than the tolerance or kept exactly: nothing
in between, so that the table says what a defect is about and not how large it happens to be.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import pytest

from pytest_jevbench.oracle.defects import CONTROL, DEFECTS
from pytest_jevbench.oracle.joint import Joint
from pytest_jevbench.oracle.oracle import Oracle
from pytest_jevbench.questions import Noul
from pytest_jevbench.relations import registry
from pytest_jevbench.relations.base import TOLERANCE, Trial
from tests.relations.measuring import all_trials, measure, oracle, source_case, worst

CASE = "pool-log"
SCORED = [relation.name for relation in registry.scored()]
EXACT = 1e-9


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


OPTIONS_REFINED = _names("option_split option_clone similarity_effect")
OPTIONS_REGROUPED = OPTIONS_REFINED | _names("option_merge partition_hierarchy")
LEVELS_REGROUPED = _names("score_granularity extreme_level")
NOULS_ABOUT_OPTIONS = _names("choice_complement choice_indicator")
NOULS_ABOUT_LEVELS = _names("score_complement score_cumulative")
NOULS_ABOUT_NOULS = _names("negation_wrapper natural_negation compound_negation")
MENUS = _names("irrelevant_option remove_option_iia pairwise_iia")
BOUNDS_OF_SUMS = _names("nary_and_lower nary_or_upper count_upper count_lower")
BOUNDS_OF_MEMBERS = _names("frechet_and_upper nary_and_upper nary_or_lower")
CHAINS = _names("threshold_sweep entailment_strength quantifier_monotonicity")
OTHER_TYPE = _names("noul_as_choice noul_as_score")

PROBES = (
    NOULS_ABOUT_OPTIONS
    | NOULS_ABOUT_LEVELS
    | NOULS_ABOUT_NOULS
    | BOUNDS_OF_SUMS
    | BOUNDS_OF_MEMBERS
    | CHAINS
    | _names("de_morgan pair_choice_marginals inclusion_exclusion")
)
"""Relations that ask further questions beside the case's own."""

BREAKS: Mapping[str, frozenset[str]] = {
    "first_option": NOULS_ABOUT_OPTIONS
    | MENUS
    | _names("option_permutation clone_symmetry description_swap")
    | _names("noul_as_choice partition_hierarchy pair_choice_marginals"),
    "first_level": NOULS_ABOUT_LEVELS | _names("option_permutation noul_as_score"),
    "key_reading": PROBES
    | OTHER_TYPE
    | (OPTIONS_REGROUPED - {"option_clone"})
    | LEVELS_REGROUPED
    | _names("key_rename key_instruction_conflict duplicate_question")
    | _names("cross_lingual description_paraphrase option_closure"),
    "id_reading": NOULS_ABOUT_OPTIONS
    | OPTIONS_REGROUPED
    | _names("option_rename clone_symmetry name_description_conflict description_swap")
    | _names("noul_as_choice option_closure pair_choice_marginals"),
    "wording_noise": PROBES
    | OTHER_TYPE
    | (OPTIONS_REGROUPED - {"option_clone"})
    | LEVELS_REGROUPED
    | _names("instruction_paraphrase cross_lingual typo_noise verbosity description_paraphrase option_closure"),
    "overconfidence": NOULS_ABOUT_OPTIONS
    | NOULS_ABOUT_LEVELS
    | OPTIONS_REGROUPED
    | LEVELS_REGROUPED
    | BOUNDS_OF_SUMS
    | _names("pair_choice_marginals inclusion_exclusion"),
    "negation_blindness": NOULS_ABOUT_NOULS | _names("choice_complement score_complement"),
    "batch_leak": PROBES
    | OTHER_TYPE
    | _names("batch_solo batch_order duplicate_question batch_content batch_size_sweep"),
    "clone_splitting": _names("option_clone similarity_effect"),
    "averaging": BOUNDS_OF_MEMBERS,
    "numbers_as_text": _names("threshold_sweep"),
    "rounding_1": NOULS_ABOUT_OPTIONS
    | NOULS_ABOUT_LEVELS
    | OPTIONS_REGROUPED
    | LEVELS_REGROUPED
    | BOUNDS_OF_SUMS
    | _names("pair_choice_marginals inclusion_exclusion remove_option_iia pairwise_iia"),
}


@cache
def _trials() -> list[Trial]:
    return list(all_trials(source_case(CASE), seeds=(0, 1, 2)))


@cache
def _joints() -> list[Joint]:
    """Ordinary ones, and some in which the yes/no questions hang together as the bounds of compounds need it."""
    keys = source_case(CASE).case.of_type(Noul)
    ordinary = [Joint(seed, 200, sharpness) for seed, sharpness in enumerate((0.4, 0.8, 1.2, 1.6))]
    two_of_three = ((1, 1, 0, 0), (0, 1, 1, 0), (1, 0, 1, 0))
    bounds = [
        Joint.of(weights, {key: [bit ^ turned for bit in two_of_three[i % 3]] for i, key in enumerate(keys)})
        for weights in ((0.024, 0.024, 0.024, 0.928), (0.2, 0.2, 0.2, 0.4))
        for turned in (0, 1)
    ]
    alternating = [
        Joint.of((0.99, 0.01), {key: (i % 2 == odd, i % 2 != odd) for i, key in enumerate(keys)}) for odd in (0, 1)
    ]
    all_but_last = Joint.of((0.99, 0.01), {key: (key != keys[-1], key == keys[-1]) for key in keys})
    return [*ordinary, *bounds, *alternating, all_but_last]


@cache
def _oracles() -> list[Oracle]:
    return [oracle(CASE, joint) for joint in _joints()]


def test_at_most_twelve_defects_break_all_fifty_relations() -> None:
    assert len(BREAKS) <= 12
    assert list(BREAKS) == list(DEFECTS)
    assert frozenset().union(*BREAKS.values()) == frozenset(SCORED)
    assert len(SCORED) == 50


@pytest.mark.parametrize("name", BREAKS)
def test_a_defect_breaks_what_it_is_about_and_leaves_the_rest_alone(name: str) -> None:
    largest = dict.fromkeys(SCORED, 0.0)
    for model in _oracles():
        found = worst(measure(source_case(CASE).case, _trials(), DEFECTS[name](model)))
        largest = {relation: max(deviation, found[relation]) for relation, deviation in largest.items()}
    broken = {relation for relation, deviation in largest.items() if deviation > TOLERANCE + EXACT}
    kept = {relation for relation, deviation in largest.items() if deviation <= EXACT}
    assert broken == BREAKS[name]
    assert kept == set(SCORED) - BREAKS[name]


def test_printing_two_digits_breaks_nothing() -> None:
    moved: set[str] = set()
    for model in _oracles():
        found = worst(measure(source_case(CASE).case, _trials(), CONTROL(model)))
        assert max(found.values()) <= TOLERANCE
        moved |= {relation for relation, deviation in found.items() if deviation > EXACT}
    assert moved == BREAKS["rounding_1"] - BOUNDS_OF_SUMS
