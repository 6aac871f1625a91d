"""The five dimensions and eleven groups, by the operation that links two distributions.

The classification and its names are those of the published JevBench taxonomy (jevbench 0.1.0); the
sentences are ours.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["BESIDE", "DIAGNOSTICS", "DIMENSIONS", "FORMS", "GROUPS", "JUDGE", "OWN", "Dimension", "Group"]


@dataclass(frozen=True, slots=True)
class Dimension:
    """One operation on distributions and the relations whose laws use it."""

    id: str
    title: str
    operation: str
    compares: str


@dataclass(frozen=True, slots=True)
class Group:
    """Relations of one dimension that ask the same thing of a model."""

    id: str
    title: str
    asks: str

    @property
    def dimension(self) -> str:
        return self.id.partition(".")[0]


DIMENSIONS: tuple[Dimension, ...] = (
    Dimension(
        "REP",
        "Representation consistency",
        "bijection of answers: P′ = σ#P",
        "two descriptions of the same events",
    ),
    Dimension("BAT", "Batch independence", "identity: P_q|B′ = P_q|B", "one question in two batches"),
    Dimension(
        "MEA",
        "Probability measure coherence",
        "many-to-one map of outcomes, or the additive identity it induces",
        "different events of one probability measure",
    ),
    Dimension(
        "LOG",
        "Logical coherence",
        "order: A ⊨ B ⇒ P(A) ≤ P(B), and bounds of Boolean combinations",
        "propositions ordered by entailment",
    ),
    Dimension(
        "CHO",
        "Choice-set coherence",
        "restriction to a sub-menu: P′|K = P|K",
        "one Choice under two menus",
    ),
)

GROUPS: tuple[Group, ...] = (
    Group("REP.invariance", "Invariance", "Does an edit that keeps the meaning keep the answer?"),
    Group("REP.equivariance", "Equivariance", "Do the probabilities move with the labels, and only then?"),
    Group("REP.binding", "Binding", "Where an id misleads, does the answer follow the text?"),
    Group("REP.type", "Answer type", "Is the answer the same when it is asked for in another type?"),
    Group("BAT.isolation", "Isolation", "Do the other questions of a request leave the answer alone?"),
    Group("MEA.complement", "Complement", "Do a question and its negation share out the whole mass?"),
    Group("MEA.partition", "Partition", "Is mass kept where options are merged, split or copied?"),
    Group("MEA.marginalisation", "Marginalisation", "Do derived questions agree with what they derive from?"),
    Group("LOG.bounds", "Bounds", "Do conjunctions, disjunctions and counts stay inside their bounds?"),
    Group("LOG.monotonicity", "Monotonicity", "Is a stronger claim never more probable than a weaker one?"),
    Group("CHO.conditioning", "Conditioning", "Does a changed menu only renormalise what remains?"),
)

DIAGNOSTICS = Group("DIAG.fields", "Response fields", "Do the other fields of an answer fit its probabilities?")
"""Outside the dimensions: never scored, run only when named."""

OWN = Group("OWN.laws", "Own laws", "Do the answers keep what the user's own laws say?")
"""Laws of the user's own that count in no dimension."""

JUDGE = Group("JUDGE.bias", "Judge bias", "Is a judgement free of what says nothing about the answers judged?")
"""What is asked of models that judge answers: outside the dimensions, in no score of theirs."""

BESIDE: tuple[str, ...] = (OWN.dimension, JUDGE.dimension)
"""Dimensions that no other score is made of: each has a mean of its own."""

FORMS: dict[str, str] = {
    "E": "two distributions are equal",
    "I": "an identity holds",
    "L": "an inequality holds",
    "field": "a field agrees with the probabilities",
}
