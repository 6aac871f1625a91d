"""CHO: a Choice is the distribution given its menu, so another menu only conditions it."""

from __future__ import annotations

from pytest_jevbench.distributions import condition
from pytest_jevbench.relations.base import Measurement, Reading, Relation
from pytest_jevbench.relations.laws import equal
from pytest_jevbench.relations.registry import register
from pytest_jevbench.relations.transformations.options import AddOffTopic, OnlyPair, Remove

LUCE = "Luce 1959: the choice axiom"


class _Conditioned(Relation):
    """On the options that both menus share, the two distributions are one after renormalisation."""

    group = "CHO.conditioning"
    edits = ("criteria",)
    form = "E"
    formula = "P′|K = P|K"
    source = LUCE
    check = "iia_tv"

    def measure(self, reading: Reading) -> Measurement:
        shared = [option for option in reading.before if option in reading.after]
        return equal(reading, condition(reading.before, shared), condition(reading.after, shared))


@register
class IrrelevantOption(_Conditioned):
    name = "irrelevant_option"
    law = "An option off the topic, added to the menu, leaves the others in proportion."
    variants = "random"
    transformation = AddOffTopic()


@register
class RemoveOptionIia(_Conditioned):
    name = "remove_option_iia"
    law = "An option taken off the menu leaves the others in proportion."
    variants = "every option"
    transformation = Remove()


@register
class PairwiseIia(_Conditioned):
    name = "pairwise_iia"
    law = "Two options asked alone are in the proportion they have on the full menu."
    source = f"{LUCE}, in its binary form"
    variants = "every pair"
    transformation = OnlyPair()
