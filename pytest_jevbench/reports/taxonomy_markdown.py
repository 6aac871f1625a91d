"""The page docs/relations.md: the taxonomy as tables, a diagram, and what is edited where."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pytest_jevbench.relations import registry
from pytest_jevbench.relations.base import TOLERANCE, Relation
from pytest_jevbench.relations.taxonomy import DIAGNOSTICS, DIMENSIONS, FORMS, GROUPS, Dimension, Group
from pytest_jevbench.reports.relation_examples import base_request, example_pairs
from pytest_jevbench.reports.taxonomy_tree import in_group
from pytest_jevbench.reports.wording_markdown import wordings

__all__ = ["REGENERATE", "relations_page"]

REGENERATE = "pytest-jevbench relations --markdown > docs/relations.md"

PARTS = ("key", "instructions", "criteria", "type", "batch")

INTRODUCTION = f"""\
# Relations

<!-- Generated: {REGENERATE} -->

A relation changes the question side of a case, never its state, and states one law that the answers before and after
must keep. It needs no gold answer. The law is measured by one number, its *check*: 0 where the law is kept. A test is
violated where the number passes the tolerance, which is {TOLERANCE} for every model.

What links the two distributions decides the dimension: a bijection of answers, nothing at all, a many-to-one map, an
order, or a smaller menu. Dimensions, groups and names are those of the published JevBench taxonomy; code and sentences
are this project's own.

Every law holds exactly for a model whose answers all come from one joint probability distribution. The tests run such
a model through every trial, and exchange the sentences below one for another to see that it then fails."""

EXAMPLES = """\
## How to read the examples

Each group below ends with an example of every relation: the test that `jevbench-examples` has of it, as the difference
between its two requests. `-` stands in the base request alone, `+` in the follow-up alone, `~` before a new order. What
both have in common is left out, and so is the state, a tenant's message about a leak. The base request asks:"""

CHECKS = {
    "tv": "½ Σ |P − P′| between the source and the follow-up read back",
    "abs_diff": "|P′(yes) − P(yes)|",
    "nand_vs_or_not": "|P(not both) − P(not A or not B)|",
    "clone_symmetry": "|P(option) − P(its copy)|",
    "within_request_tv": "total variation between two answers of one request",
    "complement_gap": "|p + q − 1|",
    "tv_to_coarsened": "total variation to the source summed over blocks",
    "tv_after_collapse": "total variation after parts are folded into what they are parts of",
    "catch_all_tv": "total variation after the catch-all is read as the option it replaces",
    "tail_gap_max": "the largest gap over all levels k",
    "indicator_gap": "the largest gap over all options",
    "marginal_gap": "the larger gap of the two marginals",
    "inclusion_exclusion": "|P(A and B) + P(A or B) − P(A) − P(B)|",
    "excess": "the amount past the bound, at least 0",
    "monotonicity": "the largest rise between any two thresholds, at least 0",
    "chain": "the largest rise between any two members of the chain, at least 0",
    "iia_tv": "total variation after both are conditioned on the shared options",
    "fits_definition": "the distance to the best common definition of confidence",
    "route_flip": "the share of follow-ups that are routed otherwise",
}


def relations_page() -> str:
    """The whole page."""
    blocks = [
        INTRODUCTION,
        _dimensions(),
        _diagram(),
        "## What is edited\n\nEach mark is a relation that changes that part of a request. The state has no column: "
        "no relation changes it.",
        _coverage(),
        EXAMPLES + "\n\n" + _text(base_request()),
        *(_dimension(dimension) for dimension in DIMENSIONS),
        "## Diagnostics\n\nThey look at an answer's other fields. They are never scored and run only when named.",
        _table(in_group(DIAGNOSTICS.id)),
        "## Forms and checks",
        _rows(("Form", "Meaning"), ((f"`{form}`", meaning) for form, meaning in FORMS.items())),
        _rows(("Check", "Deviation"), ((f"`{check}`", _checked(check)) for check in _checks())),
        wordings(),
    ]
    return "\n\n".join(blocks) + "\n"


def _checks() -> list[str]:
    return list(dict.fromkeys(relation.check for relation in registry.RELATIONS.values()))


def _checked(check: str) -> str:
    return _cell(CHECKS.get(check, "see its relation"))


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _rows(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _dimensions() -> str:
    scored = registry.scored()
    return _rows(
        ("Dimension", "Title", "Compares", "Operation", "Relations"),
        (
            (
                d.id,
                d.title,
                d.compares,
                f"`{_cell(d.operation)}`",
                str(sum(relation.dimension == d.id for relation in scored)),
            )
            for d in DIMENSIONS
        ),
    )


def _diagram() -> str:
    return "\n".join(["```mermaid", "flowchart LR", *_nodes(), "```"])


def _nodes() -> Iterator[str]:
    yield f'    root(["{len(registry.scored())} relations"])'
    for dimension in DIMENSIONS:
        yield f'    root --> {dimension.id}["{dimension.id}<br/>{dimension.title}"]'
        for group in GROUPS:
            if group.dimension == dimension.id:
                node = group.id.replace(".", "_")
                names = "<br/>".join(relation.name for relation in in_group(group.id))
                yield f'    {dimension.id} --> {node}["<b>{group.title}</b><br/>{names}"]'


def _coverage() -> str:
    def marks(group: Group, part: str) -> str:
        return "●" * sum(part in relation.edits for relation in in_group(group.id)) or "·"

    return _rows(("Group", *PARTS), ((f"{group.id}", *(marks(group, part) for part in PARTS)) for group in GROUPS))


def _dimension(dimension: Dimension) -> str:
    pairs = example_pairs()
    parts = [f"## {dimension.id}: {dimension.title}", f"`{dimension.operation}`: {dimension.compares}."]
    for group in GROUPS:
        if group.dimension == dimension.id:
            relations = list(in_group(group.id))
            parts += [f"### {group.id}: {group.title}", group.asks, _table(relations)]
            parts += [f"`{r.name}`, for example:\n\n{_text(pairs[r.name])}" for r in relations if r.name in pairs]
    return "\n\n".join(parts)


def _text(lines: Iterable[str]) -> str:
    return "\n".join(["```text", *lines, "```"])


def _table(relations: Iterable[Relation]) -> str:
    return _rows(
        ("Relation", "Law", "Formula", "Form", "Check", "Edits", "Variants", "Where it comes from"),
        (
            (
                f"`{r.name}`",
                _cell(r.law),
                _cell(r.formula),
                f"`{r.form}`",
                f"`{r.check}`" + ("" if r.tolerance is None else f", tolerance {r.tolerance}"),
                ", ".join(r.edits) or "nothing",
                r.variants,
                _cell(r.source),
            )
            for r in relations
        ),
    )
