"""Edits of question keys: program identifiers that must carry no meaning."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_jevbench.questions import Question
from pytest_jevbench.relations.base import Edit, SourceCase, Transformation
from pytest_jevbench.relations.draws import Draw
from pytest_jevbench.relations.transformations.ids import fresh

__all__ = ["MisleadingKey", "NeutralKey", "sent_as"]


def sent_as(source: SourceCase, keys: dict[str, str]) -> dict[str, Question]:
    """The case's batch with some questions under another key, all in their places."""
    return {keys.get(key, key): question for key, question in source.questions.items()}


class NeutralKey(Transformation):
    """The question under a key that says nothing."""

    family = "key_rename"
    randomised = True

    def applies(self, source: SourceCase, key: str, question: Question) -> bool:
        return True

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        new_key = fresh(f"q_{draw.hex(6)}", source.questions)
        return Edit.of([key], sent_as(source, {key: new_key}), new_key=new_key)


class MisleadingKey(Transformation):
    """The question under a key that says the opposite (variant 0), or two under each other's keys (variant 1)."""

    family = "key_instruction_conflict"
    randomised = True

    def applies(self, source: SourceCase, key: str, question: Question) -> bool:
        return True

    def variants(self, source: SourceCase, key: str) -> Sequence[int]:
        return (0, 1) if len(source.questions) > 1 else (0,)

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        if variant == 0:
            opposite = key.removeprefix("not_") if key.startswith("not_") and key != "not_" else f"not_{key}"
            keys = {key: fresh(opposite, source.questions)}
        else:
            other = draw.choose([k for k in source.questions if k != key])
            keys = {key: other, other: key}
        return Edit.of(list(keys), sent_as(source, keys), keys=dict(keys))
