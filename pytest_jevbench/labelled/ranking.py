"""Several labelled results side by side: which of them compare, and who ranks where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_jevbench.labelled.document import LabelledDocument

__all__ = ["Ranked", "rank"]


@dataclass(frozen=True, slots=True)
class Ranked:
    """A result with its place; ``place`` is None where it has none, and ``why`` says so."""

    document: LabelledDocument
    place: int | None
    why: str = ""


def rank(documents: Sequence[LabelledDocument]) -> list[Ranked]:
    """Results by ``accuracy_strict``, the best first; equal accuracies share a place.

    A result is out of rank where it is incomplete, has no labelled answer, or is of another data set than the first
    complete one: those come last, in the order given.
    """
    reference = next((d.sha256 for d in documents if d.figures.counts.complete), None)
    placed: list[tuple[float, LabelledDocument]] = []
    out: list[Ranked] = []
    for document in documents:
        why = _why_not(document, reference)
        accuracy = document.figures.accuracy.accuracy_strict
        if why or accuracy is None:
            out.append(Ranked(document, None, why))
        else:
            placed.append((accuracy, document))
    placed.sort(key=lambda pair: -pair[0])
    ranked = [
        Ranked(document, 1 + sum(other > accuracy + 1e-12 for other, _ in placed)) for accuracy, document in placed
    ]
    return ranked + out


def _why_not(document: LabelledDocument, reference: str | None) -> str:
    counts = document.figures.counts
    if not counts.complete:
        return f"incomplete: {counts.asked:,} of {counts.planned:,} tasks asked"
    if document.sha256 != reference:
        return "another data set"
    return "" if document.figures.accuracy.n else "no labelled answer"
