"""Labelled records as their files hold them, and what is wrong with them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pytest_jevbench.errors import Place
from pytest_jevbench.labelled.record_checks import check_record
from pytest_jevbench.labelled.task_sets import check_tasks

NOUL = {"type": "noul", "instructions": "Is it late?"}
CHOICE = {"type": "choice", "instructions": "Which?", "criteria": {"a": "first", "b": "second", "c": "third"}}
SCORE = {"type": "score", "instructions": "How bad?", "criteria": ["not", "somewhat", "very"]}


def record(task_id: str = "t", **fields: Any) -> dict[str, Any]:
    return {"id": task_id, "family": "f", "state": f"State of {task_id}.", "question": NOUL, **fields}


def lines(path: Path, *rows: Any) -> Path:
    """A file with one row a line; a text stands as it is."""
    texts = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


def problems(*rows: Any) -> list[str]:
    """What is wrong with one record after the other, without files."""
    return [str(error) for row in rows for error in check_record(row, Place())[1]]


def told(*paths: Path) -> list[tuple[str, int | None, str | None]]:
    """File, line and field of everything that is wrong with some files."""
    return [(Path(str(e.place.file)).name, e.place.line, e.place.field) for e in check_tasks(paths)[1]]
