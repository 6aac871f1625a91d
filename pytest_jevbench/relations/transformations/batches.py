"""Edits of the batch around a question; such trials have no reduced form."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_jevbench.questions import Noul, Question
from pytest_jevbench.relations import wording
from pytest_jevbench.relations.base import Edit, SourceCase, Transformation
from pytest_jevbench.relations.draws import Draw
from pytest_jevbench.relations.transformations.ids import fresh, fresh_series

__all__ = ["Alone", "Duplicate", "FirstQuestions", "OtherCompanions", "ReversedBatch"]


class _BatchEdit(Transformation):
    keeps_batch = False

    def applies(self, source: SourceCase, key: str, question: Question) -> bool:
        return len(source.questions) > 1


class _WholeBatch(_BatchEdit):
    """An edit of the batch as such: the first question's key stands for all of it."""

    def targets(self, source: SourceCase) -> Iterator[str]:
        first = next(iter(source.questions))
        if self.applies(source, first, source.questions[first]) and self.variants(source, first):
            yield first


class Alone(_BatchEdit):
    """The question without its companions."""

    family = "batch_solo"

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        return Edit.of([key], {key: source.questions[key]})


class ReversedBatch(_WholeBatch):
    """All questions in the opposite order."""

    family = "batch_order"

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        return Edit.of(list(source.questions), dict(reversed(list(source.questions.items()))))


class Duplicate(_BatchEdit):
    """The question a second time, at the end, under another key."""

    family = "duplicate_question"

    def applies(self, source: SourceCase, key: str, question: Question) -> bool:
        return True

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        copy = fresh(f"{key}__again", source.questions)
        return Edit.of([key], {**source.questions, copy: source.questions[key]}, duplicate=copy)


class OtherCompanions(_BatchEdit):
    """All other questions replaced by fillers, as many as there were, in their places."""

    family = "batch_content"

    def applies(self, source: SourceCase, key: str, question: Question) -> bool:
        return 1 < len(source.questions) <= len(wording.FILLERS) + 1

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        keys = fresh_series("filler", len(source.questions) - 1, [key])
        fillers = iter(zip(keys, wording.FILLERS, strict=False))
        batch: dict[str, Question] = {}
        for own, question in source.questions.items():
            if own == key:
                batch[own] = question
            else:
                filler, text = next(fillers)
                batch[filler] = Noul(text)
        return Edit.of([key], batch)


class FirstQuestions(_WholeBatch):
    """The first 2, 5 or 10 questions of the batch."""

    family = "batch_size_sweep"
    sizes = (2, 5, 10)

    def variants(self, source: SourceCase, key: str) -> Sequence[int]:
        return [v for v, size in enumerate(self.sizes) if size < len(source.questions)]

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        size = self.sizes[variant]
        kept = list(source.questions.items())[:size]
        return Edit.of([k for k, _ in kept], dict(kept), size=size)
