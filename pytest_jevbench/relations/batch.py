"""BAT: the question is fixed and only its companions change, so the answer is the same."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_jevbench.relations.base import Measurement, Reading, Relation
from pytest_jevbench.relations.laws import equal
from pytest_jevbench.relations.registry import register
from pytest_jevbench.relations.transformations.batches import (
    Alone,
    Duplicate,
    FirstQuestions,
    OtherCompanions,
    ReversedBatch,
)

ISOLATION = "System One interface: the questions of a batch are answered independently, each from the state"


class _Isolated(Relation):
    """Every target's answer is what it was in the base batch."""

    group = "BAT.isolation"
    edits = ("batch",)
    form = "E"
    formula = "P_q|B′ = P_q|B"
    source = ISOLATION
    check = "tv"

    def measure(self, reading: Reading) -> Sequence[Measurement]:
        return [equal(reading, reading.source[key], reading.follow_up[key], target=key) for key in reading.targets]


@register
class BatchSolo(_Isolated):
    name = "batch_solo"
    law = "A question asked alone gets the answer it gets in its batch."
    variants = "fixed"
    transformation = Alone()


@register
class BatchOrder(_Isolated):
    name = "batch_order"
    law = "The questions of a batch in the opposite order get the same answers."
    variants = "fixed"
    transformation = ReversedBatch()


@register
class DuplicateQuestion(Relation):
    name = "duplicate_question"
    group = "BAT.isolation"
    edits = ("batch",)
    form = "E"
    formula = "P′_q = P′_q again"
    law = "A question asked twice in one request gets the same answer both times."
    source = ISOLATION
    check = "within_request_tv"
    variants = "fixed"
    transformation = Duplicate()

    def measure(self, reading: Reading) -> Measurement:
        return equal(reading, reading.after, reading.follow_up[reading.params["duplicate"]])


@register
class BatchContent(_Isolated):
    name = "batch_content"
    law = "A question among other companions, as many as before, gets the same answer."
    variants = "fixed"
    transformation = OtherCompanions()


@register
class BatchSizeSweep(_Isolated):
    name = "batch_size_sweep"
    law = "The first 2, 5 or 10 questions of a batch, asked without the rest, get the same answers."
    variants = "every size"
    transformation = FirstQuestions()
