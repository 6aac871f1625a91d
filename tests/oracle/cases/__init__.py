"""Two cases and their rewrites, in the files of a suite: one that every relation applies to, and one full of awkward
texts, keys and ids."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["HERE", "read_cases", "read_rewrites"]

HERE = Path(__file__).parent


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def read_cases(folder: Path = HERE) -> Mapping[str, dict[str, Any]]:
    """The cases of a suite directory as they stand in its file, by id."""
    return {case["id"]: case for case in _lines(folder / "cases.jsonl")}


def read_rewrites(folder: Path = HERE) -> list[dict[str, Any]]:
    """The rows of a suite directory's rewrite bank."""
    path = folder / "rewrites.jsonl"
    return _lines(path) if path.exists() else []
