"""What a law is checked on, and what is raised where it does not stand the check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_jevbench.errors import Place
from pytest_jevbench.files import read_bytes
from pytest_jevbench.own_cases import read_own_cases
from pytest_jevbench.questions import Case
from pytest_jevbench.rewrite_bank import RewriteBank
from pytest_jevbench.suite_files import parse_lines, read_cases, read_rewrites

__all__ = ["Material", "RelationFault"]


class RelationFault(AssertionError):
    """The law is not what it has to be; the message says which check failed, and on what."""


@dataclass(frozen=True)
class Material:
    """Cases and rewrites, as rows and as what is built from."""

    rows: Mapping[str, Mapping[str, Any]]
    rewrites: Sequence[Mapping[str, Any]]
    cases: Mapping[str, Case]
    bank: RewriteBank

    @classmethod
    def read(
        cls, cases: Path | str | Sequence[Mapping[str, Any]], rewrites: Path | str | Sequence[Mapping[str, Any]]
    ) -> Material:
        name = "cases"
        if isinstance(cases, (str, Path)):
            own = read_own_cases(Path(cases))
            rows, name = own.cases, str(cases)
            rewrites = rewrites or own.rewrites or ()
        else:
            rows = [(Place(f"case {number}"), row) for number, row in enumerate(cases, 1)]
        bank_rows = (
            list(parse_lines(read_bytes(rewrites), rewrites))
            if isinstance(rewrites, (str, Path))
            else [(Place(f"rewrite {number}"), row) for number, row in enumerate(rewrites, 1)]
        )
        read = read_cases(rows, name)
        by_id = {row["id"]: row for _, row in rows}
        return cls(by_id, [row for _, row in bank_rows], read, read_rewrites(bank_rows))
