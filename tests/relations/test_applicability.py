"""Which questions and variants each law is stated for."""

from __future__ import annotations

import pytest

from pytest_jevbench.questions import Choice, Noul, Score
from pytest_jevbench.relations import registry
from pytest_jevbench.relations.base import (
    SourceCase,
)
from tests.relations.building import case_of, trials
from tests.relations.measuring import all_trials

NOULS, CHOICES, SCORES = 6, 3, 2
QUESTIONS = NOULS + CHOICES + SCORES
TESTS = {
    "typo_noise": QUESTIONS * 3,
    "verbosity": QUESTIONS * 3,
    "key_rename": QUESTIONS,
    "de_morgan": NOULS,
    "option_permutation": CHOICES + SCORES,
    "option_rename": CHOICES,
    "clone_symmetry": CHOICES,
    "key_instruction_conflict": QUESTIONS * 2,
    "name_description_conflict": CHOICES,
    "description_swap": CHOICES,
    "noul_as_choice": NOULS,
    "noul_as_score": NOULS * 2,
    "batch_solo": QUESTIONS,
    "batch_order": 1,
    "duplicate_question": QUESTIONS,
    "batch_content": QUESTIONS,
    "batch_size_sweep": 3,
    "negation_wrapper": NOULS * 3,
    "natural_negation": 4,
    "choice_complement": CHOICES * 3,
    "score_complement": SCORES * 2,
    "option_merge": CHOICES,
    "option_split": CHOICES,
    "similarity_effect": CHOICES,
    "partition_hierarchy": 1 + 2,
    "score_granularity": SCORES,
    "extreme_level": SCORES,
    "option_closure": 4 + 5 + 3,
    "score_cumulative": SCORES * 2,
    "choice_indicator": CHOICES * 2,
    "pair_choice_marginals": NOULS,
    "inclusion_exclusion": NOULS * 3,
    "nary_and_upper": NOULS,
    "quantifier_monotonicity": NOULS,
    "threshold_sweep": 2,
    "entailment_strength": NOULS,
    "irrelevant_option": CHOICES,
    "remove_option_iia": 4 + 5 + 3,
    "pairwise_iia": 6 + 10,
    "instruction_paraphrase": 7,
    "cross_lingual": 3,
    "description_paraphrase": 3,
    "confidence_consistency": 1,
    "routing_stability": QUESTIONS,
}


@pytest.mark.parametrize("name", TESTS)
def test_every_question_and_variant_that_a_law_is_stated_for(name: str) -> None:
    assert len(trials(name)) == TESTS[name]


@pytest.mark.parametrize("name", ["batch_order", "batch_size_sweep", "threshold_sweep"])
def test_a_law_of_the_whole_case_stands_under_its_first_question(name: str) -> None:
    assert {trial.key for trial in trials(name)} == {"injured"}


N = ("n", Noul("Is it?"))
TWO = ("c2", Choice("Which?", {"a": "An a", "b": "A b"}))
THREE = ("c3", Choice("Which one?", {"a": "An a", "b": "A b", "c": "A c"}))
FOUR = ("c4", Choice("Which of four?", {"a": "An a", "b": "A b", "c": "A c", "d": "A d"}))
LOW = ("s2", Score("How much?", ("none", "some")))
FULL = ("s10", Score("How many?", tuple(f"{n} of them" for n in range(10))))


@pytest.mark.parametrize(
    ("source", "absent"),
    [
        (
            case_of(N),
            {"batch_solo", "batch_order", "batch_content", "batch_size_sweep", "de_morgan", "noul_as_score"}
            - {"noul_as_score"},
        ),
        (
            case_of(N, TWO),
            {"batch_size_sweep", "option_merge", "remove_option_iia", "pairwise_iia", "partition_hierarchy"},
        ),
        (case_of(N, THREE), {"pairwise_iia", "partition_hierarchy", "nary_and_upper"}),
        (case_of(FULL), {"extreme_level", "negation_wrapper", "option_clone", "instruction_paraphrase"}),
        (case_of(LOW), {"score_granularity"}),
    ],
)
def test_a_law_is_not_stated_where_it_says_nothing(source: SourceCase, absent: set[str]) -> None:
    for name in absent:
        assert list(registry.get(name).transformation.targets(source)) == []


@pytest.mark.parametrize(
    ("source", "present"),
    [
        (case_of(N), {"duplicate_question", "threshold_sweep", "entailment_strength"}),
        (
            case_of(TWO),
            {"option_permutation", "description_swap", "option_clone", "option_closure", "irrelevant_option"},
        ),
        (case_of(FOUR), {"pairwise_iia", "partition_hierarchy"}),
        (case_of(LOW), {"extreme_level", "score_complement", "score_cumulative", "option_permutation"}),
        (case_of(N, ("m", Noul("Was it?"))), {"de_morgan", "pair_choice_marginals", "frechet_and_upper"}),
    ],
)
def test_a_law_is_stated_from_its_least_case_on(source: SourceCase, present: set[str]) -> None:
    for name in present:
        assert list(registry.get(name).transformation.targets(source)) != []


def test_a_choice_of_255_options_cannot_grow() -> None:
    full = case_of(("c", Choice("Which?", {str(i): f"Number {i}" for i in range(255)})))
    for name in ("option_clone", "option_split", "similarity_effect", "irrelevant_option"):
        assert list(registry.get(name).transformation.targets(full)) == []
    for name in ("option_permutation", "option_rename", "option_closure"):
        assert list(registry.get(name).transformation.targets(full)) == ["c"]


@pytest.mark.parametrize(("n", "sizes"), [(1, []), (2, []), (3, [2]), (6, [2, 5]), (10, [2, 5]), (11, [2, 5, 10])])
def test_batches_are_swept_below_their_own_size(n: int, sizes: list[int]) -> None:
    source = case_of(*((f"q{i}", Noul(f"Is it {i}?")) for i in range(n)))
    assert [trial.params["size"] for trial in all_trials(source, [registry.get("batch_size_sweep")])] == sizes
