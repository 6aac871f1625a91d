"""Answers of one trial and what every relation must measure of them, worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_jevbench.distributions import Distribution
from pytest_jevbench.relations.base import FOLLOW_UP, Reading

__all__ = ["ROWS", "Row", "make_reading", "noul", "score"]


def noul(p: float) -> Distribution:
    return {"false": 1 - p, "true": p}


def score(*masses: float) -> Distribution:
    return {str(level): mass for level, mass in enumerate(masses)}


def make_reading(**changes: Any) -> Reading:
    usual: dict[str, Any] = {
        "key": "q",
        "targets": ("q",),
        "params": {},
        "questions": {},
        "source": {},
        "follow_ups": {},
    }
    return Reading(**{**usual, **changes})


@dataclass(frozen=True)
class Row:
    """The answers of one trial, and what must be measured of them; ``before`` and ``after`` under the key ``q``."""

    relation: str
    deviation: float
    flip: bool | None
    before: Distribution = field(default_factory=dict)
    after: Distribution = field(default_factory=dict)
    params: Mapping[str, Any] = field(default_factory=dict)
    source: Mapping[str, Distribution] = field(default_factory=dict)
    follow_up: Mapping[str, Distribution] = field(default_factory=dict)
    targets: Sequence[str] = ("q",)

    def reading(self) -> Reading:
        return Reading(
            key=self.targets[0],
            targets=tuple(self.targets),
            params=self.params,
            questions={},
            source={"q": self.before, **self.source},
            follow_ups={FOLLOW_UP: {"q": self.after, **self.follow_up}},
        )


def pair(a: float, b: float) -> Mapping[str, Distribution]:
    return {"a": noul(a), "b": noul(b)}


def three(a: float, b: float, c: float) -> Mapping[str, Distribution]:
    return {"a": noul(a), "b": noul(b), "c": noul(c)}


AB = ("a", "b")
ABC = ("a", "b", "c")

UNCHANGED = ("instruction_paraphrase", "cross_lingual", "typo_noise", "verbosity", "description_paraphrase")

ROWS = [
    # REP: read back by a bijection, then total variation
    *(Row(name, 0.25, False, {"x": 0.75, "y": 0.25, "z": 0.0}, {"x": 0.5, "y": 0.25, "z": 0.25}) for name in UNCHANGED),
    Row("instruction_paraphrase", 0.5, True, noul(0.75), noul(0.25)),
    Row("instruction_paraphrase", 0.25, False, noul(0.75), noul(0.5)),  # a Noul at 0.5 decides nothing
    Row("instruction_paraphrase", 1.0, True, {"x": 1.0, "y": 0.0}, {"x": 0.0, "y": 1.0}),
    Row("verbosity", 0.0, False, score(0.25, 0.5, 0.25), score(0.25, 0.5, 0.25)),
    Row("key_rename", 0.25, True, noul(0.375), {}, {"new_key": "n"}, follow_up={"n": noul(0.625)}),
    Row(
        "de_morgan",
        0.25,
        True,
        params={"and": "x", "nand": "y", "or_not": "z"},
        follow_up={"x": noul(0.9), "y": noul(0.625), "z": noul(0.375)},
    ),
    Row(
        "de_morgan",
        0.125,
        False,
        params={"and": "x", "nand": "y", "or_not": "z"},
        follow_up={"x": noul(0.9), "y": noul(0.5), "z": noul(0.375)},
    ),
    # options moved keep their ids: nothing to read back
    Row(
        "option_permutation",
        0.25,
        True,
        {"x": 0.5, "y": 0.375, "z": 0.125},
        {"z": 0.125, "y": 0.625, "x": 0.25},
        {"order": [2, 1, 0]},
    ),
    # a tie permuted is no violation of order
    Row("option_permutation", 0.0, False, {"x": 0.5, "y": 0.5}, {"y": 0.5, "x": 0.5}, {"order": [1, 0]}),
    Row(
        "option_permutation",
        0.0,
        False,
        score(0.125, 0.25, 0.625),
        score(0.625, 0.25, 0.125),
        {"order": "reversed"},
    ),
    Row("option_permutation", 0.5, True, score(0.125, 0.25, 0.625), score(0.125, 0.25, 0.625), {"order": "reversed"}),
    Row(
        "option_rename",
        0.125,
        False,
        {"x": 0.75, "y": 0.25},
        {"option_1": 0.625, "option_2": 0.375},
        {"mapping": {"option_1": "x", "option_2": "y"}},
    ),
    Row(
        "clone_symmetry",
        0.25,
        None,
        {"x": 0.75, "y": 0.25},
        {"x": 0.5, "x_b": 0.25, "y": 0.25},
        {"option": "x", "clone": "x_b"},
    ),
    Row(
        "name_description_conflict",
        0.0,
        False,
        {"x": 0.75, "y": 0.125, "z": 0.125},
        {"y": 0.75, "x": 0.125, "z": 0.125},
        {"pair": ["x", "y"]},
    ),
    Row(
        "name_description_conflict",
        0.625,
        True,
        {"x": 0.75, "y": 0.125, "z": 0.125},
        {"y": 0.125, "x": 0.75, "z": 0.125},
        {"pair": ["x", "y"]},
    ),
    Row(
        "description_swap",
        0.25,
        True,
        {"x": 0.625, "y": 0.375},
        {"x": 0.625, "y": 0.375},
        {"pair": ["x", "y"]},
    ),
    Row("noul_as_choice", 0.25, True, noul(0.375), {"no": 0.375, "yes": 0.625}, {"order": ["no", "yes"]}),
    Row("noul_as_choice", 0.25, False, noul(0.5), {"yes": 0.75, "no": 0.25}, {"order": ["yes", "no"]}),
    Row("noul_as_score", 0.125, False, noul(0.75), score(0.375, 0.625)),
    Row("noul_as_score", 0.5, True, noul(0.75), score(0.75, 0.25)),
    # BAT
    Row("batch_solo", 0.25, True, noul(0.625), noul(0.375)),
    Row("batch_content", 0.125, False, score(0.5, 0.25, 0.25), score(0.375, 0.25, 0.375)),
    Row("duplicate_question", 0.25, True, noul(0.9), noul(0.625), {"duplicate": "d"}, follow_up={"d": noul(0.375)}),
    # MEA, complements: a flip is both on one side
    Row("negation_wrapper", 0.375, True, noul(0.75), params={"negated": "n"}, follow_up={"n": noul(0.625)}),
    Row("negation_wrapper", 0.25, False, noul(0.75), params={"negated": "n"}, follow_up={"n": noul(0.5)}),
    Row("negation_wrapper", 0.5, True, noul(0.25), params={"negated": "n"}, follow_up={"n": noul(0.25)}),
    Row("natural_negation", 0.0, False, noul(0.625), params={"negated": "n"}, follow_up={"n": noul(0.375)}),
    Row(
        "choice_complement",
        0.25,
        True,
        {"x": 0.375, "y": 0.375, "z": 0.25},
        params={"option": "y", "probe": "p"},
        follow_up={"p": noul(0.375)},
    ),
    Row(
        "score_complement",
        0.125,
        False,
        score(0.25, 0.25, 0.5),
        params={"level": "1", "probe": "p"},
        follow_up={"p": noul(0.875)},
    ),
    Row(
        "compound_negation",
        0.25,
        False,
        params={"and": "x", "nand": "y", "or_not": "z"},
        follow_up={"x": noul(0.375), "y": noul(0.875), "z": noul(0.0)},
    ),
    # MEA, partitions
    Row(
        "option_merge",
        0.25,
        True,
        {"x": 0.25, "y": 0.375, "z": 0.375},
        {"x_or_z": 0.375, "y": 0.625},
        {"merged": "x_or_z", "parts": ["x", "z"]},
    ),
    Row(
        "option_split",
        0.125,
        False,
        {"x": 0.5, "y": 0.25, "z": 0.25},
        {"x_with": 0.25, "x_without": 0.375, "y": 0.125, "z": 0.25},
        {"option": "x", "parts": ["x_with", "x_without"], "predicate": "it rains"},
    ),
    Row(
        "option_clone",
        0.375,
        True,
        {"x": 0.25, "y": 0.75},
        {"x": 0.25, "x_b": 0.375, "y": 0.375},
        {"option": "x", "clone": "x_b"},
    ),
    Row(
        "option_clone",
        0.25,
        False,  # x and its clone together tie with y
        {"x": 0.25, "y": 0.75},
        {"x": 0.25, "x_b": 0.25, "y": 0.5},
        {"option": "x", "clone": "x_b"},
    ),
    Row(
        "similarity_effect",
        0.0,
        False,
        {"x": 0.75, "y": 0.25},
        {"x": 0.5, "x_also": 0.25, "y": 0.25},
        {"option": "x", "twin": "x_also"},
    ),
    Row(
        "partition_hierarchy",
        0.25,
        False,
        {"w": 0.125, "x": 0.25, "y": 0.5, "z": 0.125},
        {"one": 0.125, "two": 0.875},
        {"blocks": {"one": ["w", "x"], "two": ["y", "z"]}},
    ),
    Row(
        "score_granularity",
        0.25,
        True,
        score(0.25, 0.375, 0.125, 0.125, 0.125),
        score(0.375, 0.5, 0.125),
        {"blocks": [[0, 1], [2, 3], [4]]},
    ),
    Row("extreme_level", 0.125, False, score(0.25, 0.25, 0.5), score(0.25, 0.125, 0.5, 0.125), {"added": "3"}),
    Row(
        "option_closure",
        0.5,
        None,
        {"x": 0.75, "y": 0.25},
        {"none_of_these": 0.25, "y": 0.75},
        {"replaced": "x", "nota": "none_of_these"},
    ),
    # MEA, marginals: the largest gap
    Row(
        "score_cumulative",
        0.25,
        None,
        score(0.125, 0.25, 0.375, 0.25),
        params={"probes": {"1": "one", "2": "two", "3": "three"}},
        follow_up={"one": noul(0.75), "two": noul(0.875), "three": noul(0.25)},
    ),
    Row(
        "choice_indicator",
        0.375,
        None,
        {"x": 0.5, "y": 0.25, "z": 0.25},
        params={"probes": {"x": "ix", "y": "iy", "z": "iz"}},
        follow_up={"ix": noul(0.75), "iy": noul(0.25), "iz": noul(0.625)},
    ),
    Row(
        "pair_choice_marginals",
        0.25,
        None,
        targets=AB,
        source=pair(0.75, 0.5),
        params={"pair": "p"},
        follow_up={"p": {"00": 0.125, "01": 0.25, "10": 0.125, "11": 0.5}},  # 0.625 and 0.75
    ),
    Row(
        "inclusion_exclusion",
        0.25,
        None,
        targets=AB,
        source=pair(0.5, 0.25),
        params={"conj": "c", "disj": "d"},
        follow_up={"c": noul(0.25), "d": noul(0.75)},
    ),
    # LOG, bounds: the amount past them, never below 0
    Row(
        "frechet_and_upper",
        0.125,
        None,
        targets=AB,
        source=pair(0.75, 0.25),
        params={"conj": "c", "disj": "d"},
        follow_up={"c": noul(0.375), "d": noul(0)},
    ),
    Row(
        "frechet_and_upper",
        0.0,
        None,
        targets=AB,
        source=pair(0.75, 0.25),
        params={"conj": "c", "disj": "d"},
        follow_up={"c": noul(0.0), "d": noul(0)},
    ),
    *(
        Row(
            name,
            deviation,
            None,
            targets=ABC,
            source=three(*each),
            params={"all": "all", "two": "two", "any": "any"},
            follow_up={"all": noul(all_), "two": noul(two), "any": noul(any_)},
        )
        for name, each, all_, two, any_, deviation in (
            ("nary_and_upper", (0.5, 0.25, 0.75), 0.375, 0, 0, 0.125),
            ("nary_and_upper", (0.5, 0.25, 0.75), 0.125, 0, 0, 0.0),
            ("nary_and_lower", (0.875, 0.875, 0.75), 0.25, 0, 0, 0.25),  # 2.5 - 2 = 0.5
            ("nary_and_lower", (0.5, 0.5, 0.5), 0.0, 0, 0, 0.0),  # the bound is below 0
            ("nary_or_upper", (0.125, 0.125, 0.25), 0, 0, 0.75, 0.25),
            ("nary_or_upper", (0.5, 0.5, 0.5), 0, 0, 1.0, 0.0),  # min(1, 1.5)
            ("nary_or_lower", (0.125, 0.5, 0.25), 0, 0, 0.25, 0.25),
            ("nary_or_lower", (0.125, 0.5, 0.25), 0, 0, 0.75, 0.0),
            ("count_upper", (0.25, 0.25, 0.25), 0, 0.5, 0, 0.125),  # 0.375
            ("count_upper", (0.5, 0.5, 0.5), 0, 0.5, 0, 0.0),
            ("count_lower", (0.75, 0.75, 1.0), 0, 0.5, 0, 0.25),  # (2.5 - 1) / 2 = 0.75
            ("count_lower", (0.25, 0.25, 0.25), 0, 0.0, 0, 0.0),
            ("quantifier_monotonicity", (0.5, 0.5, 0.5), 0.125, 0.25, 0.5, 0.0),
            ("quantifier_monotonicity", (0.5, 0.5, 0.5), 0.5, 0.125, 0.25, 0.375),  # all over two
            ("quantifier_monotonicity", (0.5, 0.5, 0.5), 0.125, 0.5, 0.25, 0.25),
        )
    ),
    # LOG, chains: the largest rise between any two
    *(
        Row(
            "entailment_strength",
            deviation,
            None,
            noul(p),
            params={"strong": "s", "weak": "w"},
            follow_up={"s": noul(strong), "w": noul(weak)},
        )
        for strong, p, weak, deviation in (
            (0.25, 0.5, 0.75, 0.0),
            (0.5, 0.5, 0.5, 0.0),
            (0.75, 0.5, 0.875, 0.25),
            (0.25, 0.5, 0.375, 0.125),
            (0.875, 0.5, 0.25, 0.625),  # strong over weak, further than over the question
        )
    ),
    Row(
        "threshold_sweep",
        0.375,
        None,
        params={"probes": {"10": "ten", "2": "two", "9": "nine"}, "value": 5, "subject": "apples"},
        follow_up={"two": noul(0.5), "nine": noul(0.25), "ten": noul(0.625)},  # compared as integers
    ),
    Row(
        "threshold_sweep",
        0.0,
        None,
        params={"probes": {"10": "ten", "9": "nine"}, "value": 5, "subject": "apples"},
        follow_up={"nine": noul(0.75), "ten": noul(0.5)},
    ),
    # CHO: both conditioned on what the menus share
    Row(
        "irrelevant_option",
        0.0,
        False,
        {"x": 0.75, "y": 0.25},
        {"x": 0.375, "another": 0.5, "y": 0.125},
        {"new": "another", "position": 1},
    ),
    Row(
        "irrelevant_option",
        0.5,
        True,
        {"x": 0.75, "y": 0.25},
        {"another": 0.5, "x": 0.125, "y": 0.375},
        {"new": "another", "position": 0},
    ),
    Row(
        "remove_option_iia",
        0.25,
        False,  # the follow-up is tied
        {"x": 0.5, "y": 0.375, "z": 0.125},
        {"y": 0.5, "z": 0.5},
        {"removed": "x"},
    ),
    Row(
        "remove_option_iia",
        0.25,  # no mass is left on y and z: uniform
        False,
        {"x": 1.0, "y": 0.0, "z": 0.0},
        {"y": 0.75, "z": 0.25},
        {"removed": "x"},
    ),
    Row(
        "pairwise_iia",
        0.5,
        True,
        {"w": 0.25, "x": 0.375, "y": 0.125, "z": 0.25},
        {"x": 0.25, "y": 0.75},
        {"pair": ["x", "y"]},
    ),
]
