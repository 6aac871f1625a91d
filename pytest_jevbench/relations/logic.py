"""LOG: the questions are propositions ordered by entailment, so their probabilities are ordered too."""

from __future__ import annotations

from pytest_jevbench.relations.base import Measurement, Reading, Relation
from pytest_jevbench.relations.laws import at_least, at_most, never_rising
from pytest_jevbench.relations.measure import InclusionExclusion
from pytest_jevbench.relations.registry import register
from pytest_jevbench.relations.transformations.compounds import AllAndAny, Quantifiers
from pytest_jevbench.relations.transformations.probes import Strength, Thresholds


class _Logical(Relation):
    edits = ("instructions", "batch")
    form = "L"
    variants = "random"


class _Bound(_Logical):
    group = "LOG.bounds"
    check = "excess"


def _each(reading: Reading) -> list[float]:
    """P(yes) of every proposition that a compound is made of."""
    return [reading.yes(key) for key in reading.targets]


@register
class FrechetAndUpper(_Bound):
    name = "frechet_and_upper"
    formula = "P(A ∧ B) ≤ min(P(A), P(B))"
    law = "'A and B' is at most as probable as A and as B."
    source = "Fréchet 1935; Tversky and Kahneman 1983: the conjunction fallacy"
    variants = "3 templates"
    transformation = InclusionExclusion.transformation

    def measure(self, reading: Reading) -> Measurement:
        return at_most(reading, "P(A and B)", reading.probe("conj"), min(_each(reading)))


_ALL_AND_ANY = AllAndAny()


@register
class NaryAndUpper(_Bound):
    name = "nary_and_upper"
    formula = "P(all) ≤ min P(Aᵢ)"
    law = "'All of them' is at most as probable as each of them."
    source = "Fréchet 1935: a conjunction entails its members"
    transformation = _ALL_AND_ANY

    def measure(self, reading: Reading) -> Measurement:
        return at_most(reading, "P(all)", reading.probe("all"), min(_each(reading)))


@register
class NaryAndLower(_Bound):
    name = "nary_and_lower"
    formula = "P(all) ≥ Σ P(Aᵢ) − (n − 1)"
    law = "'All of them' has at least the sum of their probabilities less n - 1."
    source = "Bonferroni 1936"
    transformation = _ALL_AND_ANY

    def measure(self, reading: Reading) -> Measurement:
        each = _each(reading)
        return at_least(reading, "P(all)", reading.probe("all"), sum(each) - (len(each) - 1))


@register
class NaryOrUpper(_Bound):
    name = "nary_or_upper"
    formula = "P(any) ≤ min(1, Σ P(Aᵢ))"
    law = "'At least one of them' has at most the sum of their probabilities."
    source = "Boole's inequality"
    transformation = _ALL_AND_ANY

    def measure(self, reading: Reading) -> Measurement:
        return at_most(reading, "P(any)", reading.probe("any"), min(1.0, sum(_each(reading))))


@register
class NaryOrLower(_Bound):
    name = "nary_or_lower"
    formula = "P(any) ≥ max P(Aᵢ)"
    law = "'At least one of them' is at least as probable as each of them."
    source = "Fréchet 1935: every member entails the disjunction"
    transformation = _ALL_AND_ANY

    def measure(self, reading: Reading) -> Measurement:
        return at_least(reading, "P(any)", reading.probe("any"), max(_each(reading)))


_QUANTIFIERS = Quantifiers()


@register
class CountUpper(_Bound):
    name = "count_upper"
    formula = "P(at least two) ≤ Σ P(Aᵢ) / 2"
    law = "'At least two of them' has at most half the sum of their probabilities."
    source = "Markov's inequality for the number of true propositions"
    transformation = _QUANTIFIERS

    def measure(self, reading: Reading) -> Measurement:
        return at_most(reading, "P(at least two)", reading.probe("two"), sum(_each(reading)) / 2)


@register
class CountLower(_Bound):
    name = "count_lower"
    formula = "P(at least two) ≥ (Σ P(Aᵢ) − 1) / (n − 1)"
    law = "'At least two of them' has at least the sum of their probabilities less 1, over n - 1."
    source = "E[N] ≤ 1 + (n − 1) P(N ≥ 2) for the number N of true propositions"
    transformation = _QUANTIFIERS

    def measure(self, reading: Reading) -> Measurement:
        each = _each(reading)
        bound = (sum(each) - 1) / (len(each) - 1)
        return at_least(reading, "P(at least two)", reading.probe("two"), bound)


class _Monotone(_Logical):
    group = "LOG.monotonicity"
    check = "chain"


@register
class ThresholdSweep(_Monotone):
    name = "threshold_sweep"
    formula = "k < k′ ⇒ P(more than k′) ≤ P(more than k)"
    law = "'More than k' never becomes more probable as k grows."
    source = "Upper tails of one quantity are nested"
    check = "monotonicity"
    variants = "declared or counted"
    tolerance = 0.05
    transformation = Thresholds()

    def measure(self, reading: Reading) -> Measurement:
        probes = reading.params["probes"]
        chain = [(f"P(more than {k})", reading.follow_up[probes[k]]["true"]) for k in sorted(probes, key=int)]
        return never_rising(reading, chain)


@register
class EntailmentStrength(_Monotone):
    name = "entailment_strength"
    formula = "P(proven) ≤ P(Q) ≤ P(possible)"
    law = "'Proven beyond doubt' is at most as probable as the question, and that as 'at least possible'."
    source = "Monotonicity of probability under entailment"
    variants = "fixed"
    transformation = Strength()

    def measure(self, reading: Reading) -> Measurement:
        return never_rising(
            reading,
            [
                ("P(possible)", reading.probe("weak")),
                ("P(Q)", reading.yes(reading.key)),
                ("P(proven)", reading.probe("strong")),
            ],
        )


@register
class QuantifierMonotonicity(_Monotone):
    name = "quantifier_monotonicity"
    formula = "P(all) ≤ P(at least two) ≤ P(at least one)"
    law = "'All three' is at most as probable as 'at least two', and that as 'at least one'."
    source = "Monotonicity of probability under entailment"
    transformation = _QUANTIFIERS

    def measure(self, reading: Reading) -> Measurement:
        return never_rising(
            reading,
            [
                ("P(at least one)", reading.probe("any")),
                ("P(at least two)", reading.probe("two")),
                ("P(all)", reading.probe("all")),
            ],
        )
