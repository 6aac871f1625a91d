"""Prints a hash of every trial of the test cases: needs the package and the standard library alone."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

from pytest_jevbench.errors import Place
from pytest_jevbench.json_text import dumps
from pytest_jevbench.questions import case_from_json
from pytest_jevbench.relations import registry
from pytest_jevbench.relations.base import Edit, SourceCase
from pytest_jevbench.rewrite_bank import RewriteBank, rewrite_from_json
from tests.oracle.cases import read_cases, read_rewrites

__all__ = ["digest"]


def _edit(edit: Edit | None) -> Any:
    if edit is None:
        return None
    batches = {label: {key: q.to_json() for key, q in batch.items()} for label, batch in edit.batches.items()}
    return [edit.targets, batches, edit.params]


def digest() -> str:
    """SHA-256 over all trials of both cases, two seeds and two draws of each."""
    bank = RewriteBank.of([rewrite_from_json(row, Place()) for row in read_rewrites()])
    total = sha256()
    for case in read_cases().values():
        source = SourceCase(case_from_json(case, Place()), bank)
        for relation in registry.RELATIONS.values():
            for key in relation.transformation.targets(source):
                for variant in relation.transformation.variants(source, key):
                    for seed, draw in ((0, 0), (0, 1), (7, 0)):
                        trial = relation.build(source, key, variant, draw, seed)
                        row = [source.id, relation.name, key, variant, draw, _edit(trial.edit), _edit(trial.reduced)]
                        total.update(dumps(row).encode())
    return total.hexdigest()


if __name__ == "__main__":
    print(digest())  # noqa: T201
