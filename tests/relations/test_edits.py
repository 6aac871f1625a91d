"""Single edits in detail."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

from pytest_jevbench.errors import BuildError
from pytest_jevbench.json_text import dumps
from pytest_jevbench.questions import Choice, Noul, Score, Threshold, answer_ids
from pytest_jevbench.relations import registry
from pytest_jevbench.relations.base import Trial
from pytest_jevbench.relations.transformations.options import _pair
from pytest_jevbench.relations.transformations.probes import Thresholds, digit_groups
from pytest_jevbench.rewrite_bank import RewriteBank
from tests.relations.building import case_of, first, follow_up, trials
from tests.relations.measuring import all_trials, source_case


def test_batch_content_keeps_the_size_and_the_place() -> None:
    trial = first("batch_content", "cause")
    sent = list(follow_up(trial))
    assert len(sent) == 11
    assert sent[1] == "cause"
    assert not set(sent) & (set(source_case("pool-log").questions) - {"cause"})
    texts = [question.instructions for question in follow_up(trial).values()]
    assert len(set(texts)) == 11


def test_key_instruction_conflict_says_the_opposite_or_swaps() -> None:
    assert first("key_instruction_conflict", "injured", 0).params["keys"] == {"injured": "not_injured"}
    awkward = first("key_instruction_conflict", "not_open", 0, "shop::β 2")
    assert awkward.params["keys"] == {"not_open": "open"}
    swapped = first("key_instruction_conflict", "injured", 1)
    keys: Any = swapped.params["keys"]
    a, b = keys
    assert keys == {a: b, b: a}
    base = source_case("pool-log").questions
    assert follow_up(swapped)[a] is base[b]
    assert follow_up(swapped)[b] is base[a]


def test_new_keys_and_ids_avoid_those_that_are_there() -> None:
    negated = first("negation_wrapper", "2", 0, "shop::β 2")
    assert negated.params["negated"] == "2__negated_2"
    for trial in trials("choice_indicator", case_id="shop::β 2"):
        probes: Any = trial.params["probes"]
        assert len(set(probes.values())) == len(probes)
        assert not set(probes.values()) & set(source_case("shop::β 2").questions)
    assert first("option_clone", "00_2", 0, "shop::β 2").params["clone"] in ("a_b_2", "a_b_b")


def test_probe_keys_never_fall_on_each_other() -> None:
    case = case_of(
        ("k", Choice("Which?", {"a": "An a", "a_2": "Another a"})),
        ("k__is_a", Noul("Is it?")),
    )
    (trial, _) = all_trials(case, [registry.get("choice_indicator")])
    probes: Any = trial.params["probes"]
    assert probes == {"a": "k__is_a_2", "a_2": "k__is_a_2_2"}
    assert len(follow_up(trial)) == 4


def test_option_edits_keep_order_and_place() -> None:
    base = source_case("pool-log").questions["next_step"]
    assert isinstance(base, Choice)
    order = list(base.options)
    for trial in trials("option_clone", "option_split", "similarity_effect", "option_closure", draws=5):
        if trial.key != "next_step":
            continue
        sent = follow_up(trial)["next_step"]
        assert isinstance(sent, Choice)
        assert list(sent.options) == [new for option in order for new in _grown(trial).get(option, [option])]


def _grown(trial: Trial) -> dict[str, list[str]]:
    """What stands in the place of the option edited."""
    p: Mapping[str, Any] = trial.params
    if trial.relation == "option_closure":
        return {p["replaced"]: [p["nota"]]}
    if trial.relation == "option_split":
        return {p["option"]: p["parts"]}
    return {p["option"]: [p["option"], p["clone" if trial.relation == "option_clone" else "twin"]]}


def test_a_permutation_moves_something_and_says_the_old_places() -> None:
    for trial in trials("option_permutation", seeds=range(20)):
        question, base = follow_up(trial)[trial.key], source_case("pool-log").questions[trial.key]
        if isinstance(base, Choice):
            assert isinstance(question, Choice)
            order: Any = trial.params["order"]
            assert sorted(order) == list(range(len(base.options)))
            assert order != sorted(order)
            assert list(question.options.items()) == [list(base.options.items())[place] for place in order]
        else:
            assert isinstance(base, Score)
            assert isinstance(question, Score)
            assert trial.params["order"] == "reversed"
            assert question.levels == base.levels[::-1]


def test_exchanged_ids_and_exchanged_descriptions_differ_in_what_stays() -> None:
    base = source_case("pool-log").questions["cause"]
    assert isinstance(base, Choice)
    ids = follow_up(first("name_description_conflict", "cause"))["cause"]
    texts = follow_up(first("description_swap", "cause"))["cause"]
    assert isinstance(ids, Choice)
    assert isinstance(texts, Choice)
    assert list(ids.options.values()) == list(base.options.values())
    assert list(ids.options) != list(base.options)
    assert list(texts.options) == list(base.options)
    assert list(texts.options.values()) != list(base.options.values())


def test_levels_are_merged_in_pairs_from_below() -> None:
    trial = first("score_granularity", "severity")
    assert trial.params["blocks"] == [[0, 1], [2, 3], [4]]
    question = follow_up(trial)["severity"]
    assert isinstance(question, Score)
    assert question.levels[2] == "A danger to life"
    assert first("score_granularity", "upset").params["blocks"] == [[0, 1], [2, 3]]


def test_declared_hierarchies_are_used_and_others_drawn_into_two_blocks() -> None:
    declared = [
        {"write": ["letter", "report"], "rest": ["repair", "train", "nothing"]},
        {"act": ["letter", "report", "repair", "train"], "leave_it": ["nothing"]},
    ]
    built = [trial for trial in trials("partition_hierarchy") if trial.key == "next_step"]
    assert [(trial.variant, trial.params["blocks"]) for trial in built] == list(enumerate(declared))
    for trial in trials("partition_hierarchy", seeds=range(12)):
        if trial.key == "cause":
            blocks: Any = trial.params["blocks"]
            assert [len(members) for members in blocks.values()] == [2, 2]
            assert sorted(option for members in blocks.values() for option in members) == [
                "board",
                "crowd",
                "floor",
                "running",
            ]


def test_a_block_of_one_option_keeps_its_description() -> None:
    sent = [
        follow_up(trial)["next_step"]
        for trial in trials("partition_hierarchy", seeds=range(12))
        if trial.key == "next_step" and "leave_it" in str(trial.params)
    ]
    assert all(isinstance(q, Choice) and q.options["leave_it"] == "Nothing further" for q in sent)
    assert sent


def test_thresholds_stand_around_declared_values_one_variant_each() -> None:
    first, second = trials("threshold_sweep")
    assert (first.params["subject"], first.params["value"]) == ("warning signs on order", 11)
    assert (second.params["subject"], second.params["value"]) == ("minutes until the parents arrived", 10)
    assert list(first.params["probes"]) == ["5", "9", "10", "11", "12", "13", "22"]  # type: ignore[arg-type]


def test_without_a_declared_value_the_state_s_digit_groups_are_counted() -> None:
    (trial,) = trials("threshold_sweep", case_id="shop::β 2")
    # 30; 12, 30; 24; 2, 1; 2, 0
    assert trial.params["value"] == 8
    assert digit_groups("1,250 in 3x4 at 5.") == 5
    assert digit_groups("none") == 0


@pytest.mark.parametrize(
    ("value", "steps"),
    [(0, [0, 1, 2]), (1, [0, 1, 2, 3]), (2, [0, 1, 2, 3, 4]), (100, [50, 98, 99, 100, 101, 102, 200])],
)
def test_thresholds_are_never_negative_and_rise(value: int, steps: list[int]) -> None:
    assert Thresholds.steps(value) == steps
    source = case_of(("n", Noul("Is it?")), thresholds=(Threshold("apples", value),))
    (trial,) = all_trials(source, [registry.get("threshold_sweep")])
    assert [int(k) for k in trial.params["probes"]] == steps  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("text", "lower", "bare"),
    [
        ("Does It rain?", "does it rain?", "Does It rain"),
        ("Is 1,250 due at 12:30, not 3.5?", "is 1,250 due at 12:30, not 3.5?", "Is 1,250 due at 12:30 not 3.5"),
        (
            '"Yes" (or no): well-known, isn\'t it?',
            '"yes" (or no): well-known, isn\'t it?',
            "Yes or no well-known isn't it",
        ),
    ],
)
def test_case_and_punctuation_noise(text: str, lower: str, bare: str) -> None:
    source = case_of(("q", Noul(text)))
    relation = registry.get("typo_noise")
    assert relation.build(source, "q", 0, 0, 0).params == {"kind": "lowercase", "rewrite": lower}
    assert relation.build(source, "q", 2, 0, 0).params == {"kind": "no_punctuation", "rewrite": bare}


def test_two_pairs_of_inner_letters_are_swapped() -> None:
    text = "Were the parents informed?"
    source = case_of(("q", Noul(text)))
    seen = set()
    for seed in range(40):
        rewrite = registry.get("typo_noise").build(source, "q", 1, 0, seed).params["rewrite"]
        assert isinstance(rewrite, str)
        moved = [i for i, (a, b) in enumerate(zip(text, rewrite, strict=True)) if a != b]
        assert len(moved) == 4
        assert moved[1] == moved[0] + 1
        assert moved[3] == moved[2] + 1
        for i in moved:
            assert text[i].isalpha()
            assert text[i - 1].isalpha()
            assert text[i + 1].isalpha()
        seen.add(rewrite)
    assert len(seen) > 10


@pytest.mark.parametrize(
    ("text", "variants"), [("ist es so", []), ("is it so?", [2]), ("Is It So", [0]), ("is there rain", [1])]
)
def test_noise_that_changes_nothing_is_no_variant(text: str, variants: list[int]) -> None:
    source = case_of(("q", Noul(text)))
    assert list(registry.get("typo_noise").transformation.variants(source, "q")) == variants


def test_a_translation_is_written_anew_and_replaces_all_texts() -> None:
    for trial in trials("cross_lingual", seeds=range(8)):
        base, sent = source_case("pool-log").questions[trial.key], follow_up(trial)[trial.key]
        assert type(sent) is type(base)
        assert answer_ids(sent) == answer_ids(base)
        assert sent.instructions != base.instructions
        translation = trial.params["translation"]
        assert isinstance(translation, str)
        assert dumps(json.loads(translation)) == translation
        assert list(json.loads(translation)) == ["instructions", "criteria"]
    languages = {trial.params["language"] for trial in trials("cross_lingual", seeds=range(8)) if trial.key == "cause"}
    assert languages == {"translate:de", "translate:zh"}


@pytest.mark.parametrize("criteria", [{"a": "Ein a"}, {"b": "Ein b", "a": "Ein a"}, ["Ein a", "Ein b"]])
def test_a_translation_that_loses_or_moves_options_is_refused(criteria: object) -> None:
    text = dumps({"instructions": "Which?", "criteria": {"a": "An a", "b": "A b"}})
    rewrite = dumps({"instructions": "Was?", "criteria": criteria})
    source = replace(
        case_of(("c2", Choice("Which?", {"a": "An a", "b": "A b"}))),
        bank=RewriteBank({("translate:de", text): (rewrite,)}),
    )
    with pytest.raises(BuildError, match="translation"):
        registry.get("cross_lingual").build(source, "c2", 0, 0, 0)


def test_pairs_come_in_the_order_of_combinations() -> None:
    names = tuple("abcdefg")
    assert [_pair(names, number) for number in range(21)] == list(combinations(names, 2))
