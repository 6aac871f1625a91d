"""What ``verify`` found: one row a draft, tied to the very text and facts that were compared."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

from pytest_jevbench.datagen.planned import CasePlan, to_json
from pytest_jevbench.datagen.states import Draft
from pytest_jevbench.errors import InputError
from pytest_jevbench.files import read_jsonl
from pytest_jevbench.json_text import dumps

__all__ = ["Verdict", "Verification", "facts_digest", "read_verification", "verification_text"]

Verdict = Literal["accepted", "rejected", "unread"]


@dataclass(frozen=True, slots=True)
class Verification:
    """The verdict on one draft. ``by`` is ``offline`` or the model's name; ``unread`` means that it gave no
    usable answer.
    """

    case: str
    text: str
    facts: str
    by: str
    verdict: Verdict
    problems: tuple[str, ...] = ()
    unchecked: tuple[str, ...] = ()

    def fits(self, plan: CasePlan, draft: Draft) -> bool:
        """Whether it is about this text and these facts."""
        return self.text == draft.digest and self.facts == facts_digest(plan)


def facts_digest(plan: CasePlan) -> str:
    """SHA-256 of a plan's facts and mentions."""
    return sha256(dumps(to_json(plan)["facts"], compact=True).encode()).hexdigest()


def verification_text(rows: Iterable[Verification]) -> str:
    """The lines of ``verification.jsonl``."""
    return "".join(
        dumps(
            {
                "case": row.case,
                "verdict": row.verdict,
                "by": row.by,
                "problems": list(row.problems),
                "unchecked": list(row.unchecked),
                "text_sha256": row.text,
                "facts_sha256": row.facts,
            }
        )
        + "\n"
        for row in rows
    )


def read_verification(path: Path) -> Mapping[str, Verification]:
    """The rows by case; none where the file is not there. Raises :class:`InputError`."""
    if not path.exists():
        return {}
    rows = {}
    for place, row in read_jsonl(path):
        try:
            rows[row["case"]] = Verification(
                row["case"],
                row["text_sha256"],
                row["facts_sha256"],
                row["by"],
                row["verdict"],
                tuple(row["problems"]),
                tuple(row["unchecked"]),
            )
        except (KeyError, TypeError):
            raise InputError("not a row of a verification", place=place, advice="Run `datagen verify` again") from None
    return rows
