"""Questions derived from one question of the batch and asked beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from pytest_jevbench.json_text import JSON, dumps
from pytest_jevbench.questions import Choice, Noul, Question, Score
from pytest_jevbench.relations import wording
from pytest_jevbench.relations.base import Edit, SourceCase, Transformation
from pytest_jevbench.relations.draws import Draw
from pytest_jevbench.relations.transformations.ids import fresh
from pytest_jevbench.relations.transformations.instructions import in_batch

__all__ = [
    "AsChoice",
    "AsScore",
    "AskOpposite",
    "EachOption",
    "LevelsFromBelow",
    "Negate",
    "NotLevel",
    "NotOption",
    "Strength",
    "Thresholds",
    "digit_groups",
    "with_probes",
]


def with_probes(source: SourceCase, targets: Sequence[str], probes: Mapping[str, Question], /, **params: JSON) -> Edit:
    """The case's whole batch with probes appended."""
    return Edit.of(targets, {**source.questions, **probes}, **params)


class _NoulEdit(Transformation):
    def applies(self, source: SourceCase, key: str, question: Question) -> bool:
        return isinstance(question, Noul)


class AsChoice(_NoulEdit):
    """A Noul as a Choice between yes and no, in a drawn order."""

    family = "noul_as_choice"
    randomised = True

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        order = draw.shuffle(["yes", "no"])
        options = {option: wording.YES_NO_OPTIONS[option] for option in order}
        question = Choice(source.questions[key].instructions, options)
        return Edit.of([key], in_batch(source, key, question), order=[*order])


class AsScore(_NoulEdit):
    """A Noul as a Score of two levels; level 1 is yes."""

    family = "noul_as_score"

    def variants(self, source: SourceCase, key: str) -> Sequence[int]:
        return range(len(wording.YES_NO_LEVELS))

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        question = Score(source.questions[key].instructions, wording.YES_NO_LEVELS[variant])
        return Edit.of([key], in_batch(source, key, question))


class Negate(_NoulEdit):
    """The logical negation of a Noul, by template."""

    family = "negation_wrapper"

    def variants(self, source: SourceCase, key: str) -> Sequence[int]:
        return range(len(wording.NEGATIONS))

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        negated = fresh(f"{key}__negated", source.questions)
        probe = Noul(wording.NEGATIONS[variant](source.questions[key].instructions))
        return with_probes(source, [key], {negated: probe}, negated=negated)


class AskOpposite(Transformation):
    """The opposite of a Noul as a person would ask it, from the rewrite bank."""

    family = "natural_negation"
    randomised = True

    def applies(self, source: SourceCase, key: str, question: Question) -> bool:
        return isinstance(question, Noul) and bool(source.rewrites("negation", question.instructions))

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        rewrite = draw.choose(source.rewrites("negation", source.questions[key].instructions))
        negated = fresh(f"{key}__opposite", source.questions)
        return with_probes(source, [key], {negated: Noul(rewrite)}, negated=negated, rewrite=rewrite)


class NotOption(Transformation):
    """'Is it something other than this option?', of a drawn option."""

    family = "choice_complement"
    randomised = True

    def applies(self, source: SourceCase, key: str, question: Question) -> bool:
        return isinstance(question, Choice)

    def variants(self, source: SourceCase, key: str) -> Sequence[int]:
        return range(len(wording.NOT_OPTION))

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        question = source.questions[key]
        assert isinstance(question, Choice)
        option = draw.choose(list(question.options))
        probe = fresh(f"{key}__other_than_{option}", source.questions)
        options = list(question.options.values())
        text = wording.NOT_OPTION[variant](question.instructions, options, question.options[option])
        return with_probes(source, [key], {probe: Noul(text)}, option=option, probe=probe)


class NotLevel(Transformation):
    """'Is it another level than this one?', of a drawn level."""

    family = "score_complement"
    randomised = True

    def applies(self, source: SourceCase, key: str, question: Question) -> bool:
        return isinstance(question, Score)

    def variants(self, source: SourceCase, key: str) -> Sequence[int]:
        return range(len(wording.NOT_LEVEL))

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        question = source.questions[key]
        assert isinstance(question, Score)
        level = draw.below(len(question.levels))
        probe = fresh(f"{key}__other_than_{level}", source.questions)
        text = wording.NOT_LEVEL[variant](question.instructions, question.levels, question.levels[level])
        return with_probes(source, [key], {probe: Noul(text)}, level=str(level), probe=probe)


class LevelsFromBelow(Transformation):
    """'Is it level k or higher?', of every level above the lowest."""

    family = "score_cumulative"

    def applies(self, source: SourceCase, key: str, question: Question) -> bool:
        return isinstance(question, Score)

    def variants(self, source: SourceCase, key: str) -> Sequence[int]:
        return range(len(wording.LEVEL_OR_HIGHER))

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        question = source.questions[key]
        assert isinstance(question, Score)
        template = wording.LEVEL_OR_HIGHER[variant]
        names = {str(k): fresh(f"{key}__at_least_{k}", source.questions) for k in range(1, len(question.levels))}
        probes = {
            name: Noul(template(question.instructions, question.levels, question.levels[int(k)]))
            for k, name in names.items()
        }
        return with_probes(source, [key], probes, probes={**names})


class EachOption(Transformation):
    """'Is it this option?', of every option."""

    family = "choice_indicator"

    def applies(self, source: SourceCase, key: str, question: Question) -> bool:
        return isinstance(question, Choice)

    def variants(self, source: SourceCase, key: str) -> Sequence[int]:
        return range(len(wording.ONE_OPTION))

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        question = source.questions[key]
        assert isinstance(question, Choice)
        template = wording.ONE_OPTION[variant]
        names: dict[str, str] = {}
        for option in question.options:
            names[option] = fresh(f"{key}__is_{option}", [*source.questions, *names.values()])
        probes = {
            names[option]: Noul(template(question.instructions, list(question.options.values()), text))
            for option, text in question.options.items()
        }
        return with_probes(source, [key], probes, probes={**names})


class Strength(_NoulEdit):
    """A claim that entails the Noul and one that the Noul entails."""

    family = "entailment_strength"

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        text = source.questions[key].instructions
        strong, weak = (fresh(f"{key}__{name}", source.questions) for name in ("proven", "possible"))
        probes = {strong: Noul(wording.STRONG(text)), weak: Noul(wording.WEAK(text))}
        return with_probes(source, [key], probes, strong=strong, weak=weak)


def digit_groups(state: JSON) -> int:
    """How many runs of digits the state's text holds."""
    text = state if isinstance(state, str) else dumps(state)
    return len(re.findall(r"[0-9]+", text))


class Thresholds(Transformation):
    """'Is it more than k?', k around a declared quantity (one variant each), else around the count of digit groups."""

    family = "threshold_sweep"

    def applies(self, source: SourceCase, key: str, question: Question) -> bool:
        return True

    def targets(self, source: SourceCase) -> Iterator[str]:
        yield next(iter(source.questions))

    def variants(self, source: SourceCase, key: str) -> Sequence[int]:
        return range(max(1, len(source.case.thresholds)))

    @staticmethod
    def steps(value: int) -> list[int]:
        """Thresholds on both sides of a value, near and far."""
        near = {value - 2, value - 1, value, value + 1, value + 2}
        return [k for k in sorted(near | {value // 2, 2 * value}) if k >= 0]

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        declared = source.case.thresholds
        value = declared[variant].value if declared else digit_groups(source.case.state)
        subject = declared[variant].subject if declared else "digit groups"
        names = {str(k): fresh(f"more_than_{k}", source.questions) for k in self.steps(value)}
        probes = {
            name: Noul(wording.more_than(subject, int(k)) if declared else wording.more_digit_groups_than(int(k)))
            for k, name in names.items()
        }
        return with_probes(source, [key], probes, probes={**names}, value=value, subject=subject)
