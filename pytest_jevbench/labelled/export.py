"""What of labelled results may be published: an allowlist, computed anew from the rows.

Nothing is copied: every field is one that this module names, of the type that it must have. An export has no row of a
private task, only the figures of its split; names that could hold a text are replaced.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace

from pytest_jevbench import __version__
from pytest_jevbench.json_text import JSON
from pytest_jevbench.labelled.document import LabelledDocument
from pytest_jevbench.labelled.figures import measure_rows
from pytest_jevbench.labelled.ranking import rank
from pytest_jevbench.labelled.record_checks import is_private_name
from pytest_jevbench.labelled.rows import LabelledRow

__all__ = ["FORMAT", "SCHEMA_VERSION", "public_export"]

FORMAT = "jevbench-labelled-export"
SCHEMA_VERSION = "1.0"
WITHHELD = "(withheld)"

_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+()-]{0,99}")
_HASH = re.compile(r"[0-9a-f]{64}")


def public_export(documents: Sequence[LabelledDocument], *, rows: bool = True) -> dict[str, JSON]:
    """The public part of some results, the ranked ones first. ``rows`` says whether public tasks stand one by one."""
    ranked = rank(documents)
    return {
        "format": FORMAT,
        "schema_version": SCHEMA_VERSION,
        "versions": {"pytest-jevbench": __version__},
        "results": [_result(of.document, of.place, of.why, rows) for of in ranked],
    }


def _result(document: LabelledDocument, place: int | None, why: str, with_rows: bool) -> dict[str, JSON]:
    splits = {*document.splits, *(row.split for row in document.rows)}
    private = {
        name for name in splits if is_private_name(name) or (name in document.splits and document.splits[name].private)
    }
    rows = [replace(row, private=row.private or row.split in private) for row in document.rows]
    public = [row for row in rows if not row.private]
    return {
        "model": {
            "name": _plain(str(document.model.get("name") or "")),
            "asked": _names(row.result.model_asked for row in rows),
            "answered": _names(row.result.model_answered for row in public),
        },
        "rank": place,
        "no_rank_because": why,
        "dataset": {
            "name": _plain(document.dataset),
            "sha256": document.sha256 if _HASH.fullmatch(document.sha256) else None,
            "splits": [
                {
                    "name": _plain(name),
                    "sha256": split.sha256 if _HASH.fullmatch(split.sha256) else None,
                    "tasks": split.tasks,
                    "private": name in private,
                }
                for name, split in document.splits.items()
            ],
        },
        "figures": measure_rows([_plain_row(row) for row in rows]).to_json(),
        "tasks": [_row(row) for row in public] if with_rows else [],
    }


def _plain(name: str) -> str:
    """A name without the blanks of a text."""
    return name if _PLAIN.fullmatch(name) else WITHHELD if name else ""


def _names(names: Iterable[str | None]) -> list[JSON]:
    return list(dict.fromkeys(_plain(name) for name in names if name))


def _plain_row(row: LabelledRow) -> LabelledRow:
    """The row with the names that figures are listed under made plain where the task is private."""
    basis = row.result.cost_basis
    result = replace(row.result, cost_basis=None if basis is None else _plain(basis))
    if not row.private:
        return replace(row, result=result)
    return replace(row, family=_plain(row.family), split=_plain(row.split), result=result)


def _row(row: LabelledRow) -> dict[str, JSON]:
    result = row.result
    return {
        "id": row.id,
        "family": row.family,
        "type": row.type,
        "split": row.split,
        "group": row.group,
        "labels": list(row.labels),
        "expected": row.expected,
        "verdict": result.verdict,
        "reason": result.reason,
        "given": result.given,
        "probabilities": None if result.probabilities is None else dict(result.probabilities),
        "probs_source": result.probs_source,
        "returned_sum": result.returned_sum,
        "latency_s": result.latency_s,
        "usage": asdict(result.usage),
        "cost_usd": result.cost_usd,
        "cost_basis": None if result.cost_basis is None else _plain(result.cost_basis),
    }
