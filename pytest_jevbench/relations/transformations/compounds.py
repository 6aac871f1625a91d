"""Propositions made of two or three Nouls of the batch and asked beside them."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_jevbench.questions import Choice, Noul, Question
from pytest_jevbench.relations import wording
from pytest_jevbench.relations.base import Edit, SourceCase, Transformation
from pytest_jevbench.relations.draws import Draw
from pytest_jevbench.relations.transformations.ids import fresh
from pytest_jevbench.relations.transformations.probes import with_probes

__all__ = ["AllAndAny", "AndOr", "JointChoice", "NegatedAnd", "Quantifiers"]


class _WithPartners(Transformation):
    """A Noul together with ``partners`` others, drawn from the case."""

    randomised = True
    partners = 1

    def applies(self, source: SourceCase, key: str, question: Question) -> bool:
        return isinstance(question, Noul) and len(source.others(key, Noul)) >= self.partners

    def drawn(self, source: SourceCase, key: str, draw: Draw) -> tuple[list[str], list[str]]:
        """The keys, target first, and their instructions."""
        keys = [key, *draw.sample(source.others(key, Noul), self.partners)]
        return keys, [source.questions[k].instructions for k in keys]


class NegatedAnd(_WithPartners):
    """A and B, its negation, and the same negation as 'not A or not B'."""

    family = "de_morgan"

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        keys, (a, b) = self.drawn(source, key, draw)
        pair = f"{keys[0]}__{keys[1]}"
        texts = {
            "and": wording.both(a, b),
            "nand": wording.not_both(a, b),
            "or_not": wording.one_is_false(a, b),
        }
        names = {part: fresh(f"{pair}__{part}", source.questions) for part in texts}
        return with_probes(source, keys, {names[p]: Noul(text) for p, text in texts.items()}, **names)


class AndOr(_WithPartners):
    """A and B, and A or B."""

    family = "frechet_and_upper"

    def variants(self, source: SourceCase, key: str) -> Sequence[int]:
        return range(len(wording.BOTH_AND_EITHER))

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        keys, (a, b) = self.drawn(source, key, draw)
        both, either = wording.BOTH_AND_EITHER[variant]
        conj, disj = (fresh(f"{keys[0]}__{word}__{keys[1]}", source.questions) for word in ("and", "or"))
        return with_probes(source, keys, {conj: Noul(both(a, b)), disj: Noul(either(a, b))}, conj=conj, disj=disj)


class JointChoice(_WithPartners):
    """The pair of answers as one Choice of four."""

    family = "pair_choice_marginals"

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        keys, (a, b) = self.drawn(source, key, draw)
        pair = fresh(f"{keys[0]}__with__{keys[1]}", source.questions)
        joint = Choice(wording.joint_question(a, b), wording.joint_options())
        return with_probes(source, keys, {pair: joint}, pair=pair)


class AllAndAny(_WithPartners):
    """All of three propositions, and at least one of them."""

    family = "nary_and_upper"
    partners = 2

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        keys, texts = self.drawn(source, key, draw)
        every, some = (fresh(f"{key}__{word}_of_three", source.questions) for word in ("all", "any"))
        probes = {every: Noul(wording.ALL_OF(texts)), some: Noul(wording.ANY_OF(texts))}
        return with_probes(source, keys, probes, all=every, any=some)


class Quantifiers(_WithPartners):
    """All of three propositions, at least two, and at least one."""

    family = "quantifier_monotonicity"
    partners = 2

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        keys, texts = self.drawn(source, key, draw)
        forms = {"all": wording.ALL_OF, "two": wording.AT_LEAST_TWO_OF, "any": wording.ANY_OF}
        names = {word: fresh(f"{key}__{word}_of_3", source.questions) for word in forms}
        return with_probes(source, keys, {names[w]: Noul(form(texts)) for w, form in forms.items()}, **names)
