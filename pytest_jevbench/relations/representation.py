"""REP: two questions describe the same events, so a bijection takes one distribution to the other."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_jevbench.distributions import relabel
from pytest_jevbench.relations.base import Measurement, Reading, Relation
from pytest_jevbench.relations.laws import equal, equal_numbers
from pytest_jevbench.relations.registry import register
from pytest_jevbench.relations.transformations.compounds import NegatedAnd
from pytest_jevbench.relations.transformations.instructions import (
    AddWords,
    Paraphrase,
    ParaphraseOption,
    Translate,
    Typos,
)
from pytest_jevbench.relations.transformations.keys import MisleadingKey, NeutralKey
from pytest_jevbench.relations.transformations.options import (
    Clone,
    NeutralIds,
    Permute,
    SwapDescriptions,
    SwapIds,
)
from pytest_jevbench.relations.transformations.probes import AsChoice, AsScore

CHECKLIST = "Ribeiro et al. 2020, CheckList: invariance tests"


class _Unchanged(Relation):
    """The answer under the question's own key stays what it was."""

    form = "E"
    check = "tv"

    def measure(self, reading: Reading) -> Measurement | Sequence[Measurement]:
        return equal(reading, reading.before, reading.after)


@register
class InstructionParaphrase(_Unchanged):
    name = "instruction_paraphrase"
    group = "REP.invariance"
    edits = ("instructions",)
    formula = "P′ = P"
    law = "The instructions in other words that mean the same get the same answer."
    source = CHECKLIST
    variants = "1 rewrite (bank)"
    transformation = Paraphrase()


@register
class CrossLingual(_Unchanged):
    name = "cross_lingual"
    group = "REP.invariance"
    edits = ("instructions", "criteria")
    formula = "P′ = P"
    law = "The question in another language, about the same state, gets the same answer."
    source = "Invariance of an event under translation of its description"
    variants = "1 rewrite (bank)"
    transformation = Translate()


@register
class TypoNoise(_Unchanged):
    name = "typo_noise"
    group = "REP.invariance"
    edits = ("instructions",)
    formula = "P′ = P"
    law = "Lower case, two swapped letters or missing punctuation in the instructions change nothing."
    source = CHECKLIST
    variants = "3 templates"
    transformation = Typos()


@register
class Verbosity(_Unchanged):
    name = "verbosity"
    group = "REP.invariance"
    edits = ("instructions",)
    formula = "P′ = P"
    law = "Guidance without content around the instructions changes nothing."
    source = CHECKLIST
    variants = "3 templates"
    transformation = AddWords()


@register
class KeyRename(Relation):
    name = "key_rename"
    group = "REP.invariance"
    edits = ("key",)
    form = "E"
    formula = "P′ = P"
    law = "A question under a key that says nothing gets the same answer."
    source = "Keys are identifiers of a program; the instructions define the question"
    check = "tv"
    variants = "random"
    transformation = NeutralKey()

    def measure(self, reading: Reading) -> Measurement:
        return equal(reading, reading.before, reading.follow_up[reading.params["new_key"]])


@register
class DescriptionParaphrase(_Unchanged):
    name = "description_paraphrase"
    group = "REP.invariance"
    edits = ("criteria",)
    formula = "P′ = P"
    law = "One option's description in other words that mean the same changes nothing."
    source = CHECKLIST
    variants = "1 rewrite (bank)"
    transformation = ParaphraseOption()


@register
class DeMorgan(Relation):
    name = "de_morgan"
    group = "REP.invariance"
    edits = ("instructions", "batch")
    form = "E"
    formula = "P(¬(A ∧ B)) = P(¬A ∨ ¬B)"
    law = "'Not both A and B' is as probable as 'not A, or not B'."
    source = "De Morgan's law: both describe one event"
    check = "nand_vs_or_not"
    variants = "random"
    transformation = NegatedAnd()

    def measure(self, reading: Reading) -> Measurement:
        name = "P(not (A and B)) = P(not A or not B)"
        return equal_numbers(reading, {name: reading.probe("nand")}, {name: reading.probe("or_not")}, decides=True)


@register
class OptionPermutation(Relation):
    name = "option_permutation"
    group = "REP.equivariance"
    edits = ("criteria",)
    form = "E"
    formula = "P′ = σ#P"
    law = "Options in another order, or levels from the top down, keep their probabilities."
    source = "Equivariance under relabelling; order effects in Zheng et al. 2024"
    check = "tv"
    variants = "random"
    transformation = Permute()

    def measure(self, reading: Reading) -> Measurement:
        after = reading.after
        if reading.params["order"] == "reversed":
            top = len(after) - 1
            after = relabel(after, {str(level): str(top - level) for level in range(top + 1)})
        return equal(reading, reading.before, after)


@register
class OptionRename(Relation):
    name = "option_rename"
    group = "REP.equivariance"
    edits = ("criteria",)
    form = "E"
    formula = "P′ = σ#P"
    law = "Options under ids that say nothing, with the same descriptions, keep their probabilities."
    source = "Equivariance under relabelling: descriptions define the options"
    check = "tv"
    variants = "fixed"
    transformation = NeutralIds()

    def measure(self, reading: Reading) -> Measurement:
        return equal(reading, reading.before, relabel(reading.after, reading.params["mapping"]))


_CLONE = Clone()


@register
class CloneSymmetry(Relation):
    name = "clone_symmetry"
    group = "REP.equivariance"
    edits = ("criteria",)
    form = "E"
    formula = "P′(o) = P′(clone of o)"
    law = "Two options with the same description are equally probable."
    source = "Exchangeability: swapping the two maps the question to itself"
    check = "clone_symmetry"
    variants = "random"
    transformation = _CLONE

    def measure(self, reading: Reading) -> Measurement:
        option, clone = reading.params["option"], reading.params["clone"]
        name = f"P({option}) = P({clone})"
        return equal_numbers(reading, {name: reading.after[option]}, {name: reading.after[clone]})


@register
class KeyInstructionConflict(Relation):
    name = "key_instruction_conflict"
    group = "REP.binding"
    edits = ("key",)
    form = "E"
    formula = "P′ = P"
    law = "Under a key that says the opposite, or under another question's key, the answer follows the instructions."
    source = "Keys are identifiers of a program; the instructions define the question"
    check = "tv"
    variants = "2 templates"
    transformation = MisleadingKey()

    def measure(self, reading: Reading) -> Sequence[Measurement]:
        return [
            equal(reading, reading.source[own], reading.follow_up[sent], target=own)
            for own, sent in reading.params["keys"].items()
        ]


class _Exchanged(Relation):
    """Two options exchanged: read back with one for the other."""

    group = "REP.binding"
    edits = ("criteria",)
    form = "E"
    formula = "P′ = σ#P"
    check = "tv"
    variants = "random"

    def measure(self, reading: Reading) -> Measurement:
        a, b = reading.params["pair"]
        return equal(reading, reading.before, relabel(reading.after, {a: b, b: a}))


@register
class NameDescriptionConflict(_Exchanged):
    name = "name_description_conflict"
    law = "Where two options exchange their ids, each probability stays with its description."
    source = "Descriptions define the options; ids are labels"
    transformation = SwapIds()


@register
class DescriptionSwap(_Exchanged):
    name = "description_swap"
    law = "Where two options exchange their descriptions, the probabilities go with the descriptions."
    source = "Descriptions define the options; the answer must move when they do"
    transformation = SwapDescriptions()


@register
class NoulAsChoice(Relation):
    name = "noul_as_choice"
    group = "REP.type"
    edits = ("type", "criteria")
    form = "E"
    formula = "P′(yes) = P(yes)"
    law = "A yes/no question has the same P(yes) as a Noul and as a Choice between yes and no."
    source = "One event in two answer types"
    check = "abs_diff"
    variants = "random"
    transformation = AsChoice()

    def measure(self, reading: Reading) -> Measurement:
        return equal_numbers(
            reading, {"P(yes)": reading.yes(reading.key)}, {"P(yes)": reading.after["yes"]}, decides=True
        )


@register
class NoulAsScore(Relation):
    name = "noul_as_score"
    group = "REP.type"
    edits = ("type", "criteria")
    form = "E"
    formula = "P′(level 1) = P(yes)"
    law = "A yes/no question has the same P(yes) as a Noul and as a Score with the levels no and yes."
    source = "One event in two answer types"
    check = "abs_diff"
    variants = "2 templates"
    transformation = AsScore()

    def measure(self, reading: Reading) -> Measurement:
        return equal_numbers(
            reading, {"P(yes)": reading.yes(reading.key)}, {"P(yes)": reading.after["1"]}, decides=True
        )
