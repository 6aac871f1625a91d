"""MEA: the questions ask about different events of one probability measure, so mass adds up."""

from __future__ import annotations

from typing import ClassVar

from pytest_jevbench.distributions import coarsen, collapse, relabel
from pytest_jevbench.relations.base import Measurement, Reading, Relation
from pytest_jevbench.relations.laws import complementary, equal, equal_numbers
from pytest_jevbench.relations.registry import register
from pytest_jevbench.relations.representation import CloneSymmetry, DeMorgan
from pytest_jevbench.relations.transformations.compounds import AndOr, JointChoice
from pytest_jevbench.relations.transformations.levels import AddTopLevel, MergeLevels
from pytest_jevbench.relations.transformations.options import CatchAll, Group, Merge, Split, Twin
from pytest_jevbench.relations.transformations.probes import (
    AskOpposite,
    EachOption,
    LevelsFromBelow,
    Negate,
    NotLevel,
    NotOption,
)

COMPLEMENT_RULE = "Kolmogorov 1933: P(A) + P(not A) = 1"
ADDITIVITY = "Kolmogorov 1933: finite additivity over a partition"


class _Complement(Relation):
    group = "MEA.complement"
    edits: ClassVar[tuple[str, ...]] = ("instructions", "batch")
    form = "I"
    source = COMPLEMENT_RULE
    check = "complement_gap"


@register
class NegationWrapper(_Complement):
    name = "negation_wrapper"
    formula = "P(Q) + P(¬Q) = 1"
    law = "A question and its negation, made by a template, share out the whole probability."
    variants = "3 templates"
    transformation = Negate()

    def measure(self, reading: Reading) -> Measurement:
        return complementary(reading, "Q", reading.yes(reading.key), reading.probe("negated"))


@register
class NaturalNegation(_Complement):
    name = "natural_negation"
    formula = "P(Q) + P(Q′) = 1"
    law = "A question and its opposite, as a person would ask it, share out the whole probability."
    variants = "1 rewrite (bank)"
    transformation = AskOpposite()

    def measure(self, reading: Reading) -> Measurement:
        return complementary(reading, "Q", reading.yes(reading.key), reading.probe("negated"))


@register
class ChoiceComplement(_Complement):
    name = "choice_complement"
    edits = ("type", "instructions", "batch")
    formula = "P(not o) = 1 − P(o)"
    law = "'Is it something other than this option?' is as probable as all other options together."
    variants = "3 templates"
    transformation = NotOption()

    def measure(self, reading: Reading) -> Measurement:
        option = reading.params["option"]
        return complementary(reading, option, reading.before[option], reading.probe("probe"))


@register
class ScoreComplement(_Complement):
    name = "score_complement"
    edits = ("type", "instructions", "batch")
    formula = "P(not level k) = 1 − P(k)"
    law = "'Is it another level than this one?' is as probable as all other levels together."
    variants = "2 templates"
    transformation = NotLevel()

    def measure(self, reading: Reading) -> Measurement:
        level = reading.params["level"]
        return complementary(reading, f"level {level}", reading.before[level], reading.probe("probe"))


@register
class CompoundNegation(_Complement):
    name = "compound_negation"
    formula = "P(A ∧ B) + P(¬(A ∧ B)) = 1"
    law = "'A and B' and 'not both A and B' share out the whole probability."
    variants = "random"
    transformation = DeMorgan.transformation

    def measure(self, reading: Reading) -> Measurement:
        return complementary(reading, "(A and B)", reading.probe("and"), reading.probe("nand"))


class _Partition(Relation):
    group = "MEA.partition"
    edits = ("criteria",)
    form = "E"
    source = ADDITIVITY
    variants = "random"


@register
class OptionMerge(_Partition):
    name = "option_merge"
    formula = "P′(a or b) = P(a) + P(b)"
    law = "Two options made one get the sum of their probabilities, and the others keep theirs."
    check = "tv_to_coarsened"
    transformation = Merge()

    def measure(self, reading: Reading) -> Measurement:
        merged, parts = reading.params["merged"], reading.params["parts"]
        return equal(reading, coarsen(reading.before, {merged: parts}), reading.after)


@register
class OptionSplit(_Partition):
    name = "option_split"
    formula = "P′(o and X) + P′(o and not X) = P(o)"
    law = "An option divided in two by a fact shares its probability out, and the others keep theirs."
    source = f"{ADDITIVITY}; Tversky and Koehler 1994: unpacked parts are judged to exceed the whole"
    check = "tv_after_collapse"
    transformation = Split()

    def measure(self, reading: Reading) -> Measurement:
        origin = dict.fromkeys(reading.params["parts"], reading.params["option"])
        return equal(reading, reading.before, collapse(reading.after, origin))


@register
class OptionClone(_Partition):
    name = "option_clone"
    formula = "P′(o) + P′(clone of o) = P(o)"
    law = "An option and its copy share the option's probability, and the others keep theirs."
    source = f"{ADDITIVITY}; Debreu 1960: the red bus and the blue bus"
    check = "tv_after_collapse"
    transformation = CloneSymmetry.transformation

    def measure(self, reading: Reading) -> Measurement:
        origin = {reading.params["clone"]: reading.params["option"]}
        return equal(reading, reading.before, collapse(reading.after, origin))


@register
class SimilarityEffect(_Partition):
    name = "similarity_effect"
    formula = "P′(b) + P′(twin of b) = P(b)"
    law = "An option and its near-duplicate share the option's probability, and the others keep theirs."
    source = f"{ADDITIVITY}; Tversky 1972: a similar newcomer takes from its twin"
    check = "tv_after_collapse"
    transformation = Twin()

    def measure(self, reading: Reading) -> Measurement:
        origin = {reading.params["twin"]: reading.params["option"]}
        return equal(reading, reading.before, collapse(reading.after, origin))


@register
class PartitionHierarchy(_Partition):
    name = "partition_hierarchy"
    formula = "P′(block) = Σ P(o) over its options"
    law = "Options grouped into blocks give each block the sum of their probabilities."
    check = "tv_to_coarsened"
    variants = "declared or random"
    transformation = Group()

    def measure(self, reading: Reading) -> Measurement:
        return equal(reading, coarsen(reading.before, reading.params["blocks"]), reading.after)


@register
class ScoreGranularity(_Partition):
    name = "score_granularity"
    formula = "P′(block) = Σ P(k) over its levels"
    law = "Adjacent levels made one get the sum of their probabilities."
    check = "tv_to_coarsened"
    variants = "fixed"
    transformation = MergeLevels()

    def measure(self, reading: Reading) -> Measurement:
        blocks = {str(i): [str(k) for k in block] for i, block in enumerate(reading.params["blocks"])}
        return equal(reading, coarsen(reading.before, blocks), reading.after)


@register
class ExtremeLevel(_Partition):
    name = "extreme_level"
    formula = "P′(top) + P′(beyond) = P(top)"
    law = "A level beyond the top divides the top level's probability, and the lower levels keep theirs."
    source = f"{ADDITIVITY}; Simonson 1989: the compromise effect pulls to the middle"
    check = "tv_after_collapse"
    variants = "fixed"
    transformation = AddTopLevel()

    def measure(self, reading: Reading) -> Measurement:
        added = reading.params["added"]
        return equal(reading, reading.before, collapse(reading.after, {added: str(int(added) - 1)}))


@register
class OptionClosure(_Partition):
    name = "option_closure"
    formula = "P′(none of the others) = P(o)"
    law = "A catch-all in the place of an option gets that option's probability, and the others keep theirs."
    source = f"{ADDITIVITY}; a Choice is conditioned on its options, so the catch-all is the option left out"
    check = "catch_all_tv"
    variants = "every option"
    transformation = CatchAll()

    def measure(self, reading: Reading) -> Measurement:
        back = relabel(reading.after, {reading.params["nota"]: reading.params["replaced"]})
        return equal(reading, reading.before, back, decides=False)


class _Marginal(Relation):
    group = "MEA.marginalisation"
    edits: ClassVar[tuple[str, ...]] = ("type", "instructions", "batch")
    form = "I"
    source = "A derived question has the push-forward of the distribution it derives from"


@register
class ScoreCumulative(_Marginal):
    name = "score_cumulative"
    formula = "P(level k or higher) = Σ P(j), j ≥ k"
    law = "'Is it level k or higher?' is as probable as those levels together, for every k."
    check = "tail_gap_max"
    variants = "2 templates"
    transformation = LevelsFromBelow()

    def measure(self, reading: Reading) -> Measurement:
        names = {k: f"P(level {k} or higher)" for k in reading.params["probes"]}
        tails = {names[k]: sum(p for level, p in reading.before.items() if int(level) >= int(k)) for k in names}
        asked = {names[k]: reading.follow_up[key]["true"] for k, key in reading.params["probes"].items()}
        return equal_numbers(reading, tails, asked)


@register
class ChoiceIndicator(_Marginal):
    name = "choice_indicator"
    formula = "P(is it o?) = P(o)"
    law = "'Is it this option?' is as probable as the option in the Choice, for every option."
    check = "indicator_gap"
    variants = "2 templates"
    transformation = EachOption()

    def measure(self, reading: Reading) -> Measurement:
        probes = reading.params["probes"]
        expected = {f"P({option})": reading.before[option] for option in probes}
        asked = {f"P({option})": reading.follow_up[key]["true"] for option, key in probes.items()}
        return equal_numbers(reading, expected, asked)


@register
class PairChoiceMarginals(_Marginal):
    name = "pair_choice_marginals"
    formula = "Σ P′(1·) = P(A), Σ P′(·1) = P(B)"
    law = "A Choice over the four pairs of two answers has the two questions as its marginals."
    check = "marginal_gap"
    variants = "random"
    transformation = JointChoice()

    def measure(self, reading: Reading) -> Measurement:
        joint = reading.follow_up[reading.params["pair"]]
        a, b = reading.targets
        expected = {f"P({a})": reading.yes(a), f"P({b})": reading.yes(b)}
        observed = {f"P({a})": joint["10"] + joint["11"], f"P({b})": joint["01"] + joint["11"]}
        return equal_numbers(reading, expected, observed)


@register
class InclusionExclusion(_Marginal):
    name = "inclusion_exclusion"
    edits = ("instructions", "batch")
    formula = "P(A ∧ B) + P(A ∨ B) = P(A) + P(B)"
    law = "The probabilities of 'A and B' and of 'A or B' have the same sum as those of A and of B."
    source = "Inclusion-exclusion: finite additivity for two events"
    check = "inclusion_exclusion"
    variants = "3 templates"
    transformation = AndOr()

    def measure(self, reading: Reading) -> Measurement:
        a, b = reading.targets
        name = "P(A and B) + P(A or B) = P(A) + P(B)"
        expected = reading.yes(a) + reading.yes(b)
        return equal_numbers(reading, {name: expected}, {name: reading.probe("conj") + reading.probe("disj")})
