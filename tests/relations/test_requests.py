"""What the follow-up requests hold: what is edited, what stays as it is."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace

import pytest

from pytest_jevbench.json_text import dumps
from pytest_jevbench.questions import Question, answer_ids
from pytest_jevbench.relations import registry
from pytest_jevbench.relations.base import (
    FOLLOW_UP,
    Relation,
    Trial,
    validate_batch,
)
from tests.relations.building import CASES, follow_up, trials
from tests.relations.measuring import source_case

ALL = list(registry.RELATIONS.values())

PARAMS: Mapping[str, tuple[str, ...]] = {
    "instruction_paraphrase": ("rewrite",),
    "cross_lingual": ("language", "translation"),
    "typo_noise": ("kind", "rewrite"),
    "verbosity": (),
    "key_rename": ("new_key",),
    "description_paraphrase": ("option", "rewrite"),
    "de_morgan": ("and", "nand", "or_not"),
    "option_permutation": ("order",),
    "option_rename": ("mapping",),
    "clone_symmetry": ("option", "clone"),
    "key_instruction_conflict": ("keys",),
    "name_description_conflict": ("pair",),
    "description_swap": ("pair",),
    "noul_as_choice": ("order",),
    "noul_as_score": (),
    "batch_solo": (),
    "batch_order": (),
    "duplicate_question": ("duplicate",),
    "batch_content": (),
    "batch_size_sweep": ("size",),
    "negation_wrapper": ("negated",),
    "natural_negation": ("negated", "rewrite"),
    "choice_complement": ("option", "probe"),
    "score_complement": ("level", "probe"),
    "compound_negation": ("and", "nand", "or_not"),
    "option_merge": ("merged", "parts"),
    "option_split": ("option", "parts", "predicate"),
    "option_clone": ("option", "clone"),
    "similarity_effect": ("option", "twin"),
    "partition_hierarchy": ("blocks",),
    "score_granularity": ("blocks",),
    "extreme_level": ("added",),
    "option_closure": ("replaced", "nota"),
    "score_cumulative": ("probes",),
    "choice_indicator": ("probes",),
    "pair_choice_marginals": ("pair",),
    "inclusion_exclusion": ("conj", "disj"),
    "frechet_and_upper": ("conj", "disj"),
    "nary_and_upper": ("all", "any"),
    "nary_and_lower": ("all", "any"),
    "nary_or_upper": ("all", "any"),
    "nary_or_lower": ("all", "any"),
    "count_upper": ("all", "two", "any"),
    "count_lower": ("all", "two", "any"),
    "threshold_sweep": ("probes", "value", "subject"),
    "entailment_strength": ("strong", "weak"),
    "quantifier_monotonicity": ("all", "two", "any"),
    "irrelevant_option": ("new", "position"),
    "remove_option_iia": ("removed",),
    "pairwise_iia": ("pair",),
    "confidence_consistency": (),
    "routing_stability": ("read",),
}
"""The parameters of the published layout."""


@pytest.mark.parametrize("case_id", CASES)
def test_parameters_are_those_of_the_published_layout_and_plain_json(case_id: str) -> None:
    for trial in trials(case_id=case_id):
        assert tuple(trial.params) == PARAMS[trial.relation], trial.relation
        assert json.loads(dumps(dict(trial.params))) == trial.params


@pytest.mark.parametrize("case_id", CASES)
def test_scored_relations_send_one_request_labelled_variant(case_id: str) -> None:
    for trial in trials(case_id=case_id):
        labels = list(trial.edit.batches)
        if trial.relation == "confidence_consistency":
            assert labels == []
        elif trial.relation == "routing_stability":
            assert labels[0] == "neutral_key"
        else:
            assert labels == [FOLLOW_UP]


def _parts_edited(base: Mapping[str, Question], trial: Trial) -> set[str]:
    """What a follow-up changes of the questions of the base batch, read off the requests alone."""
    batch = follow_up(trial)
    found: set[str] = set()
    if [q.to_json() for q in batch.values()] == [q.to_json() for q in base.values()] and list(batch) != list(base):
        return {"key"}
    if not set(base) <= set(batch) or len(batch) > len(base) or list(batch) != list(base):
        found.add("batch")
    for key, question in batch.items():
        if key in base:
            old, new = base[key].to_json(), question.to_json()
            found |= {part for part in ("type", "instructions") if old[part] != new[part]}
            if dumps(old.get("criteria")) != dumps(new.get("criteria")):
                found.add("criteria")
    return found


@pytest.mark.parametrize("relation", [r for r in ALL if r.scored], ids=lambda relation: relation.name)
def test_a_relation_edits_what_it_says(relation: Relation) -> None:
    """Probes count as edited instructions, and as another type where the question probed is no Noul."""
    base = source_case("pool-log").questions
    found: set[str] = set()
    for trial in trials(relation.name):
        parts = _parts_edited(base, trial)
        if "batch" in parts and relation.group != "BAT.isolation":
            added = {key: question for key, question in follow_up(trial).items() if key not in base}
            assert added
            parts.add("instructions")
            if any(type(question) is not type(base[trial.key]) for question in added.values()) and (
                relation.name != "threshold_sweep"
            ):
                parts.add("type")
        found |= parts
    assert found == set(relation.edits)


@pytest.mark.parametrize("case_id", CASES)
def test_companions_keep_their_text_keys_and_order(case_id: str) -> None:
    """Outside BAT only targets change; the case's own questions stay first and in order."""
    base = source_case(case_id).questions
    for trial in trials(case_id=case_id):
        if registry.get(trial.relation).dimension == "BAT" or not registry.get(trial.relation).scored:
            continue
        sent = list(follow_up(trial).items())[: len(base)]
        for (own, question), (key, followed) in zip(base.items(), sent, strict=True):
            if own not in trial.targets:
                assert key == own
                assert followed is question


@pytest.mark.parametrize("case_id", CASES)
def test_every_batch_passes_the_check_that_precedes_freezing(case_id: str) -> None:
    for trial in trials(case_id=case_id, seeds=(0, 1, 2), draws=2):
        for edit in (trial.edit, trial.reduced):
            for batch in edit.batches.values() if edit else ():
                validate_batch(batch, trial.relation)
                for key, question in batch.items():
                    ids = answer_ids(question)
                    assert len(set(ids)) == len(ids), key


def test_the_case_itself_is_never_changed() -> None:
    source = source_case("pool-log")
    before = dumps({key: question.to_json() for key, question in source.questions.items()})
    trials(seeds=(0, 1))
    assert dumps({key: question.to_json() for key, question in source.questions.items()}) == before


@pytest.mark.parametrize("case_id", CASES)
def test_relations_of_one_family_send_the_same_requests(case_id: str) -> None:
    families = {relation.transformation.family for relation in ALL}
    shared = {family: list(registry.family(family)) for family in families if len(list(registry.family(family))) > 1}
    assert shared == {
        "de_morgan": ["de_morgan", "compound_negation"],
        "option_clone": ["clone_symmetry", "option_clone"],
        "frechet_and_upper": ["inclusion_exclusion", "frechet_and_upper"],
        "nary_and_upper": ["nary_and_upper", "nary_and_lower", "nary_or_upper", "nary_or_lower"],
        "quantifier_monotonicity": ["count_upper", "count_lower", "quantifier_monotonicity"],
    }
    for names in shared.values():
        built = [
            [replace(trial, relation="") for trial in trials(name, case_id=case_id, seeds=(0, 5), draws=3)]
            for name in names
        ]
        assert built[0]
        assert all(trials == built[0] for trials in built)


@pytest.mark.parametrize("case_id", CASES)
def test_reduced_trials_hold_the_targets_alone(case_id: str) -> None:
    base = source_case(case_id).questions
    for trial in trials(case_id=case_id):
        relation = registry.get(trial.relation)
        if relation.dimension in ("BAT", "DIAG"):
            assert trial.reduced is None
            continue
        assert trial.reduced is not None
        assert sorted(trial.reduced.targets) == sorted(trial.targets)
        assert trial.reduced.targets[0] == trial.key
        assert tuple(trial.reduced.params) == tuple(trial.params)
        own = [key for key in base if key in trial.targets]
        grown = len(follow_up(trial)) - len(base)
        sent = trial.reduced.batches[FOLLOW_UP]
        assert len(sent) == len(own) + grown
        if relation.name not in ("key_rename", "key_instruction_conflict"):
            assert list(sent)[: len(own)] == own
