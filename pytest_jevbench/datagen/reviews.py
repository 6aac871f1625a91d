"""What readers said of rewrites, gold answers and texts; each verdict is tied to the very words that were read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from pytest_jevbench.datagen.domain import BankQuestion
from pytest_jevbench.datagen.planned import CasePlan, PlannedQuestion
from pytest_jevbench.datagen.rewrite_rows import RewriteRow
from pytest_jevbench.datagen.states import Draft
from pytest_jevbench.errors import InputError
from pytest_jevbench.files import read_jsonl
from pytest_jevbench.json_text import JSON, dumps

__all__ = ["Review", "Reviews", "gold_item", "read_reviews", "reviews_text", "rewrite_item", "text_item"]


@dataclass(frozen=True, slots=True)
class Review:
    """One verdict: ``digest`` is that of what was read, ``reason`` the reader's words where it was rejected."""

    id: str
    digest: str
    verdict: str
    reason: str = ""


@dataclass(frozen=True)
class Reviews:
    """All verdicts by item."""

    rows: Mapping[str, Review] = field(default_factory=dict)

    def of(self, item: tuple[str, str]) -> bool | None:
        """Whether a reader confirmed an item (id, digest); None where nobody read it in its present words."""
        row = self.rows.get(item[0])
        return row.verdict == "ok" if row is not None and row.digest == item[1] else None

    def with_rows(self, rows: Mapping[str, Review]) -> Reviews:
        """These verdicts with others in place of or beside them."""
        return Reviews({**self.rows, **rows})


def rewrite_item(row: RewriteRow) -> tuple[str, str]:
    """The item of a rewrite. Give the row in the bank's own order of options."""
    return row.id, _digest([row.kind, row.source, row.rewrite])


def gold_item(plan: CasePlan, asked: PlannedQuestion, question: BankQuestion, draft: Draft) -> tuple[str, str]:
    """The item of a gold answer: a text, a question and the answer."""
    return f"gold:{plan.id}:{asked.key}", _digest([draft.state, question.question().to_json(), asked.gold])


def text_item(plan: CasePlan, draft: Draft) -> tuple[str, str]:
    """The item of a text as a document of its domain."""
    return f"text:{plan.id}", _digest(draft.state)


def _digest(value: JSON) -> str:
    return sha256(dumps(value, compact=True).encode()).hexdigest()[:16]


def reviews_text(reviews: Reviews) -> str:
    """The lines of ``review.jsonl``."""
    return "".join(
        dumps({"id": row.id, "verdict": row.verdict, "reason": row.reason, "digest": row.digest}) + "\n"
        for row in reviews.rows.values()
    )


def read_reviews(path: Path) -> Reviews:
    """The verdicts of a file; none where it is not there. Raises :class:`InputError`."""
    rows: dict[str, Review] = {}
    for place, row in read_jsonl(path) if path.exists() else ():
        try:
            item = Review(row["id"], row["digest"], row["verdict"], row.get("reason", ""))
        except (KeyError, TypeError, AttributeError):
            raise InputError("not a verdict", place=place, advice="Verdicts are written by `datagen review`") from None
        if item.verdict not in ("ok", "reject"):
            raise InputError.unexpected(item.verdict, "ok or reject", place.at("verdict"))
        rows[item.id] = item
    return Reviews(rows)
