"""The rewrite bank: paraphrases, negations, descriptions and translations, judged once and frozen.

A rewrite is used only when it was accepted and no audit rejected it; with ``audited_only`` only when an audit
confirmed it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import JSON, dumps
from pytest_jevbench.questions import Choice, Question, Score

__all__ = ["Rewrite", "RewriteBank", "rewrite_from_json", "translation_source"]

TRANSLATE = "translate:"


@dataclass(frozen=True, slots=True)
class Rewrite:
    """One candidate with its verdicts. ``rewrite`` is text, or JSON text for a translation."""

    kind: str
    source: str
    rewrite: str
    accepted: bool
    audited: bool | None = None

    def usable(self, audited_only: bool) -> bool:
        return self.accepted and (self.audited is True if audited_only else self.audited is not False)


@dataclass(frozen=True)
class RewriteBank:
    """All usable rewrites by kind and source text, in file order."""

    texts: Mapping[tuple[str, str], tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def of(cls, rewrites: Iterable[Rewrite], *, audited_only: bool = False) -> RewriteBank:
        texts: dict[tuple[str, str], tuple[str, ...]] = {}
        for item in rewrites:
            if item.usable(audited_only):
                where = (item.kind, item.source)
                texts[where] = (*texts.get(where, ()), item.rewrite)
        return cls(texts)

    def find(self, kind: str, source: str) -> tuple[str, ...]:
        """The usable rewrites of one text."""
        return self.texts.get((kind, source), ())

    def languages(self) -> tuple[str, ...]:
        """The kinds ``translate:<lang>`` that the bank holds, in order of appearance."""
        return tuple(dict.fromkeys(kind for kind, _ in self.texts if kind.startswith(TRANSLATE)))


def translation_source(question: Question) -> str:
    """The JSON text under which a question's translations are filed."""
    criteria: JSON = None
    if isinstance(question, Choice):
        criteria = dict(question.options)
    elif isinstance(question, Score):
        criteria = list(question.levels)
    return dumps({"instructions": question.instructions, "criteria": criteria})


def rewrite_from_json(value: Any, place: Place) -> Rewrite:
    """A rewrite from one line of ``rewrites.jsonl``. Raises :class:`InputError`."""
    if not isinstance(value, dict):
        raise InputError.unexpected(value, "a rewrite object", place)
    kind, source, rewrite = value.get("kind"), value.get("source"), value.get("rewrite")
    if not isinstance(kind, str) or not kind:
        raise InputError.unexpected(kind, "the kind of rewrite", place.at("kind"))
    if not isinstance(source, str):
        raise InputError.unexpected(source, "the source text", place.at("source"))
    accepted, audited = value.get("accepted"), value.get("audited")
    if not isinstance(accepted, bool):
        raise InputError.unexpected(accepted, "true or false", place.at("accepted"))
    if audited is not None and not isinstance(audited, bool):
        raise InputError.unexpected(audited, "true, false or null", place.at("audited"))
    if kind.startswith(TRANSLATE):
        rewrite = dumps(rewrite) if isinstance(rewrite, dict) else rewrite
    if accepted and (not isinstance(rewrite, str) or not rewrite.strip()):
        raise InputError.unexpected(rewrite, "the rewritten text", place.at("rewrite"))
    return Rewrite(kind, source, rewrite if isinstance(rewrite, str) else "", accepted, audited)
