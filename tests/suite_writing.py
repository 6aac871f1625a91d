"""Suite directories for tests: small ones written on the spot, and the published ones as data."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import Any

from pytest_jevbench.questions import Case, Choice, Noul, Question

__all__ = [
    "EXAMPLES",
    "MARKET",
    "case_line",
    "change_plan",
    "make_case",
    "published_suite",
    "seal",
    "write_lines",
    "write_suite",
]

EXAMPLES = Path(__file__).parent.parent / "suites" / "jevbench-examples"

MARKET: dict[str, Any] = {
    "id": "market",
    "domain": "stalls",
    "state": "The stall opens at 8. It sold 12 loaves.",
    "questions": {
        "open": {"type": "noul", "instructions": "Is the stall open before noon?"},
        "busy": {"type": "noul", "instructions": "Is the stall busy?"},
        "goods": {
            "type": "choice",
            "instructions": "What does the stall sell?",
            "criteria": {"bread": "Bread and rolls", "fish": "Fresh fish"},
        },
    },
}
"""A case as it stands in a file."""


def make_case(case_id: str, keys: Iterable[str], *, domain: str = "d", choices: Iterable[str] = ()) -> Case:
    """A case with a Noul for every key and a Choice of four options for every key of ``choices``."""
    questions: dict[str, Question] = {key: Noul(f"Is {key} the case?") for key in keys}
    for key in choices:
        questions[key] = Choice(f"Which {key} is it?", {o: f"It is {key} {o}" for o in ("p", "q", "r", "s")})
    return Case(case_id, f"State of {case_id}.", questions, domain)


def case_line(case: Case) -> dict[str, Any]:
    """A case as it stands in a file."""
    questions = {key: question.to_json() for key, question in case.questions.items()}
    return {"id": case.id, "domain": case.domain, "state": case.state, "questions": questions}


def write_lines(path: Path, rows: Iterable[Any]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def write_suite(
    directory: Path, cases: Iterable[Any] = (MARKET,), rewrites: Iterable[Any] = (), **manifest: Any
) -> Path:
    """A directory ready to be frozen."""
    directory.mkdir(parents=True, exist_ok=True)
    write_lines(directory / "cases.jsonl", cases)
    if rewrites:
        write_lines(directory / "rewrites.jsonl", rewrites)
    fields = {"name": directory.name, "version": "1", "description": "for a test", **manifest}
    (directory / "manifest.json").write_text(json.dumps(fields), encoding="utf-8")
    return directory


def seal(directory: Path, **fields: Any) -> None:
    """Make the manifest hold the hashes of the files as they are, and these fields."""
    path = directory / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    names = sorted(p.name for pattern in ("*.jsonl", "*.jsonl.gz") for p in directory.glob(pattern))
    manifest["files"] = {name: sha256((directory / name).read_bytes()).hexdigest() for name in names}
    path.write_text(json.dumps({**manifest, **fields}), encoding="utf-8")


def change_plan(directory: Path, change: Callable[[list[dict[str, Any]]], None]) -> None:
    """Rewrite the lines of a plan (the header first) and seal the suite again."""
    path = directory / "tests.jsonl.gz"
    rows = [json.loads(line) for line in gzip.decompress(path.read_bytes()).decode().splitlines()]
    change(rows)
    path.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))
    seal(directory)


def published_suite(name: str) -> Path:
    """The directory of a suite that the published package ships."""
    files: Mapping[str, Any] = {str(file): file for file in metadata.files("jevbench") or ()}
    return Path(str(files[f"jevbench/suites/{name}/manifest.json"].locate())).parent
