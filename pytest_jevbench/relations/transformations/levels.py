"""Edits of a Score's levels."""

from __future__ import annotations

from dataclasses import replace

from pytest_jevbench.questions import MAX_LEVELS, Question, Score
from pytest_jevbench.relations import wording
from pytest_jevbench.relations.base import Edit, SourceCase, Transformation
from pytest_jevbench.relations.draws import Draw
from pytest_jevbench.relations.transformations.instructions import in_batch

__all__ = ["AddTopLevel", "MergeLevels"]


def _score(source: SourceCase, key: str) -> Score:
    question = source.questions[key]
    assert isinstance(question, Score)
    return question


class MergeLevels(Transformation):
    """Adjacent levels made one, in pairs from the bottom; an odd top level stays alone."""

    family = "score_granularity"

    def applies(self, source: SourceCase, key: str, question: Question) -> bool:
        return isinstance(question, Score) and len(question.levels) >= 3

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        question = _score(source, key)
        n = len(question.levels)
        blocks = [list(range(start, min(start + 2, n))) for start in range(0, n, 2)]
        levels = tuple(wording.merged_levels([question.levels[i] for i in block]) for block in blocks)
        return Edit.of([key], in_batch(source, key, replace(question, levels=levels)), blocks=blocks)


class AddTopLevel(Transformation):
    """A level beyond the top."""

    family = "extreme_level"

    def applies(self, source: SourceCase, key: str, question: Question) -> bool:
        return isinstance(question, Score) and len(question.levels) < MAX_LEVELS

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        question = _score(source, key)
        levels = (*question.levels, wording.beyond(question.levels[-1]))
        added = str(len(question.levels))
        return Edit.of([key], in_batch(source, key, replace(question, levels=levels)), added=added)
