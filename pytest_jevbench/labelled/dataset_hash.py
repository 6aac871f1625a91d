"""A data set by its content: equal records in any order have one hash, an edited one has another."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256

from pytest_jevbench.json_text import JSON
from pytest_jevbench.labelled.records import Task

__all__ = ["canonical_json", "dataset_hash", "split_hashes"]


def canonical_json(record: Mapping[str, JSON]) -> str:
    """A record as one line of JSON: sorted keys, non-ASCII kept, ``", "`` and ``": "`` between."""
    return json.dumps(record, sort_keys=True, ensure_ascii=False, allow_nan=False)


def dataset_hash(tasks: Iterable[Task]) -> str:
    """SHA-256, in hexadecimal, over the sorted canonical JSON of the records, a newline after each.

    >>> dataset_hash([])
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
    """
    lines = sorted(canonical_json(task.to_json()) for task in tasks)
    return sha256("".join(f"{line}\n" for line in lines).encode()).hexdigest()


def split_hashes(tasks: Iterable[Task]) -> dict[str, str]:
    """The hash of each split, by name, in order of appearance."""
    by_split: dict[str, list[Task]] = {}
    for task in tasks:
        by_split.setdefault(task.split, []).append(task)
    return {split: dataset_hash(members) for split, members in by_split.items()}
