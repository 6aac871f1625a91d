"""What a relation states, for people who work in Python."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest_jevbench.relations  # noqa: F401  (importing it registers them)
from pytest_jevbench.relations import registry
from pytest_jevbench.relations.base import TOLERANCE, Relation
from pytest_jevbench.relations.taxonomy import DIMENSIONS, FORMS

__all__ = ["RelationInfo", "relation_info", "relation_infos"]

_TITLES = {dimension.id: dimension.title for dimension in DIMENSIONS}


@dataclass(frozen=True, slots=True)
class RelationInfo:
    """A relation: ``law`` in words and as ``formula``, its place in the taxonomy, and how it is measured.

    ``edits`` are the parts of a request that it changes, ``variants`` says how many tests it makes of a question,
    ``check`` names what is measured and ``form`` its kind (:data:`~pytest_jevbench.relations.taxonomy.FORMS`),
    ``tolerance`` is the deviation allowed, ``source`` says where the law comes from. A relation that is not ``scored``
    is a diagnostic: it runs only where it is named.
    """

    name: str
    dimension: str
    group: str
    law: str
    formula: str
    edits: tuple[str, ...]
    variants: str
    check: str
    form: str
    tolerance: float
    source: str
    scored: bool

    def __str__(self) -> str:
        return "\n".join(f"{label:<10} {text}" for label, text in self._rows())

    def _repr_markdown_(self) -> str:
        rows = "\n".join(f"| {label} | {text} |" for label, text in self._escaped())
        return f"| `{self.name}` | |\n|---|---|\n{rows}\n"

    def _rows(self) -> Iterator[tuple[str, str]]:
        yield "relation", self.name
        dimension = f"{self.dimension} ({_TITLES[self.dimension]})" if self.dimension in _TITLES else self.dimension
        yield "belongs to", f"{dimension}, {self.group}"
        yield "law", self.law
        yield "formula", self.formula
        yield "edits", ", ".join(self.edits) or "nothing"
        yield "variants", self.variants
        yield "measured", f"{self.check} ({FORMS.get(self.form, self.form)}), {self.tolerance:g} allowed"
        yield "source", self.source

    def _escaped(self) -> Iterator[tuple[str, str]]:
        for label, text in self._rows():
            if label != "relation":
                yield label, f"`{text}`" if label == "formula" and "|" not in text else text.replace("|", "\\|")


def relation_info(name: str) -> RelationInfo:
    """One relation. Raises :class:`~pytest_jevbench.errors.InputError` with the near names."""
    return _info(registry.get(name))


def relation_infos() -> list[RelationInfo]:
    """All relations in the order of the taxonomy, diagnostics last."""
    return [_info(relation) for relation in registry.RELATIONS.values()]


def _info(relation: Relation) -> RelationInfo:
    return RelationInfo(
        name=relation.name,
        dimension=relation.dimension,
        group=relation.group,
        law=relation.law,
        formula=relation.formula,
        edits=tuple(relation.edits),
        variants=relation.variants,
        check=relation.check,
        form=relation.form,
        tolerance=TOLERANCE if relation.tolerance is None else relation.tolerance,
        source=relation.source,
        scored=relation.scored,
    )
