"""The rewrites that a domain file declares, as lines of a rewrite bank."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pytest_jevbench.datagen.domain import BankQuestion
from pytest_jevbench.json_text import JSON
from pytest_jevbench.rewrite_bank import TRANSLATE, translation_source

__all__ = ["RewriteRow", "rewrite_rows"]


@dataclass(frozen=True, slots=True)
class RewriteRow:
    """One rewrite. ``id`` names it for its readers; the translations of one question in several orders share theirs."""

    id: str
    kind: str
    source: str
    rewrite: JSON

    def to_json(self, audited: bool | None) -> dict[str, JSON]:
        """The line of ``rewrites.jsonl``."""
        return {
            "kind": self.kind,
            "source": self.source,
            "rewrite": self.rewrite,
            "accepted": True,
            "votes": [],
            "generator": "domain file",
            "judge": "",
            "audited": audited,
        }


def rewrite_rows(question: BankQuestion, orders: Iterable[tuple[str, ...]] = ((),)) -> list[RewriteRow]:
    """All rewrites of a question; its translations once for each order in which its options are asked."""
    key, ask = question.key, question.ask
    rows = [
        RewriteRow(f"paraphrase:{key}:{n}", "paraphrase", ask, text)
        for n, text in enumerate(question.paraphrases, start=1)
    ]
    if question.negation:
        rows.append(RewriteRow(f"negation:{key}", "negation", ask, question.negation))
    for option, text in question.options.items():
        if text.paraphrase:
            rows.append(RewriteRow(f"description:{key}:{option}", "description", text.text, text.paraphrase))
    for order in dict.fromkeys(orders):
        source = translation_source(question.question(order))
        for language in question.translations:
            row = RewriteRow(
                f"{TRANSLATE}{language}:{key}", f"{TRANSLATE}{language}", source, _translated(question, language, order)
            )
            rows.append(row)
    return rows


def _translated(question: BankQuestion, language: str, order: tuple[str, ...]) -> dict[str, JSON]:
    criteria: JSON = None
    if question.type == "choice":
        criteria = {option: question.options[option].translations[language] for option in order or question.options}
    elif question.type == "score":
        criteria = [level.translations[language] for level in question.options.values()]
    return {"instructions": question.translations[language], "criteria": criteria}
