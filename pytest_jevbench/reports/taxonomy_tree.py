"""The relations as a tree for a terminal: dimensions, groups, relations with their laws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_jevbench.relations import registry
from pytest_jevbench.relations.base import TOLERANCE, Relation
from pytest_jevbench.relations.own_law import OwnLaw, declared_at
from pytest_jevbench.relations.taxonomy import DIAGNOSTICS, DIMENSIONS, FORMS, GROUPS, Group
from pytest_jevbench.reports.text import Line, Segment, columns, line, wrapped

__all__ = ["in_group", "taxonomy_tree"]

WIDTH = 80
NAME = 26


def in_group(group: str) -> list[Relation]:
    """The registered relations of a group, in order."""
    return [relation for relation in registry.RELATIONS.values() if relation.group == group]


def taxonomy_tree(verbose: bool = False, own: Sequence[OwnLaw] = ()) -> list[Line]:
    """Every relation under its group and dimension: formula, check and parts edited; ``verbose`` adds law, form,
    variants, tolerance and the source of the law."""
    scored = registry.scored()
    diagnostics = len(registry.RELATIONS) - len(scored)
    lines = [line(Segment(f"{len(scored)} relations and {diagnostics} diagnostics", "title"))]
    for dimension in DIMENSIONS:
        count = sum(relation.dimension == dimension.id for relation in scored)
        lines += [line(""), line(Segment(f"{dimension.id}  {dimension.title} ({count})", "strong"))]
        about = wrapped(f"{dimension.compares}; {dimension.operation}", WIDTH, " " * 5, " " * 5)
        lines += [line(Segment(text, "faint")) for text in about]
        for group in GROUPS:
            if group.dimension == dimension.id:
                lines += _group(group, verbose)
    lines += [line(""), line(Segment("Diagnostics, never scored", "strong")), *_group(DIAGNOSTICS, verbose)]
    if own:
        lines += [line(""), line(Segment(f"Own laws ({len(own)}), shown beside the dimensions", "strong"))]
        for law in own:
            lines += [*_relation(law, verbose), *(_own(law) if verbose else ())]
    if verbose:
        lines += [line(""), *(line(f"{form:<6}{meaning}") for form, meaning in FORMS.items())]
        lines += [line(f"A deviation of {TOLERANCE} is allowed where no other tolerance is given.")]
    else:
        lines += [line(""), line("-v shows each law in words, its form, variants and source.")]
    return lines


def _group(group: Group, verbose: bool) -> Iterator[Line]:
    yield line(f"  {group.id}  ", Segment(group.asks, "faint"))
    for relation in in_group(group.id):
        yield from _relation(relation, verbose)


def _relation(relation: Relation, verbose: bool) -> Iterator[Line]:
    if verbose:
        yield line(f"    {relation.name:<{NAME}}", Segment(relation.formula, "strong"))
        yield from _details(relation)
    else:
        law, edits = f"    {relation.name:<{NAME}}{relation.formula}", f"({', '.join(relation.edits) or 'nothing'})"
        if columns(f"{law}  {edits}") <= WIDTH:
            yield line(f"{law}  ", Segment(edits, "faint"))
        else:
            yield line(law)
            yield line(" " * (4 + NAME), Segment(edits, "faint"))


def _own(law: OwnLaw) -> Iterator[Line]:
    counts = f"counts in {law.counts_in} with --jevbench-count-own-laws" if law.counts_in else "counts in no score"
    yield line(Segment(f"        {counts}; declared in {declared_at(law)}", "faint"))


def _details(relation: Relation) -> Iterator[Line]:
    margin = " " * 8
    for text in wrapped(relation.law, WIDTH, margin, margin):
        yield line(text)
    tolerance = "" if relation.tolerance is None else f" · tolerance {relation.tolerance}"
    facts = (
        f"edits {', '.join(relation.edits) or 'nothing'} · form {relation.form} · check {relation.check}"
        f" · {relation.variants}{tolerance}"
    )
    source = wrapped(relation.source, WIDTH, margin, margin) if relation.source else []
    for text in [*wrapped(facts, WIDTH, margin, margin), *source]:
        yield line(Segment(text, "faint"))
