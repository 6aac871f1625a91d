"""What the texts of one case are about: the table that the oracle is given beside the joint distribution.

It is made of the case and the rewrite bank as they stand in files, and knows nothing of relations.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

__all__ = ["AmbiguousText", "CaseTable", "Said", "UnknownText", "blurred"]


class UnknownText(Exception):
    """A text that is about nothing the oracle knows."""


class AmbiguousText(Exception):
    """A text that can be read as two different events."""


@dataclass(frozen=True)
class Said:
    """The question of the case that a text asks, or, where ``negated``, asks the opposite of."""

    key: str
    negated: bool = False


def blurred(text: str) -> str:
    """What case, punctuation and swapped inner letters leave of a text."""
    folded = unicodedata.normalize("NFC", text.casefold())
    words = re.findall(r"[^\W_]+", folded)
    return " ".join(word[:1] + "".join(sorted(word[1:-1])) + word[-1:] for word in words)


class CaseTable:
    """The texts of a case by what they are about."""

    def __init__(self, case: Mapping[str, Any], rewrites: Iterable[Mapping[str, Any]]) -> None:
        self.state = case["state"]
        self.questions: Mapping[str, Mapping[str, Any]] = case["questions"]
        self.counted = {item["subject"]: int(item["value"]) for item in case.get("thresholds") or ()}
        self.own: dict[str, str] = {}
        self.said: dict[str, Said] = {}
        self.by_blur: dict[str, str] = {}
        self.options: dict[str, dict[str, str]] = {}
        self.levels: dict[str, dict[str, str]] = {}
        for key, question in self.questions.items():
            self._add_question(key, question)
        for row in rewrites:
            if row["accepted"] and row.get("audited") is not False:
                self._add_rewrite(row["kind"], row["source"], row["rewrite"])

    @staticmethod
    def _file(table: dict[str, Any], text: str, meaning: Any) -> None:
        if table.setdefault(text, meaning) != meaning:
            raise AmbiguousText(f"{text!r} is about {table[text]} and about {meaning}")

    def _add_question(self, key: str, question: Mapping[str, Any]) -> None:
        text = question["instructions"]
        self._file(self.own, text, key)
        self._file(self.said, text, Said(key))
        self._file(self.by_blur, blurred(text), key)
        if question["type"] == "choice":
            self.options[key] = {}
            for option, description in question["criteria"].items():
                self._file(self.options[key], description, option)
        elif question["type"] == "score":
            self.levels[key] = {}
            for index, level in enumerate(question["criteria"]):
                self._file(self.levels[key], level, str(index))

    def _add_rewrite(self, kind: str, source: str, rewrite: Any) -> None:
        if kind in ("paraphrase", "negation"):
            if source in self.own:
                self._file(self.said, rewrite, Said(self.own[source], negated=kind == "negation"))
        elif kind == "description":
            for key, options in self.options.items():
                if source in self.questions[key]["criteria"].values():
                    self._file(options, rewrite, options[source])
        elif kind.startswith("translate:"):
            self._add_translation(json.loads(source), rewrite)
        else:
            raise UnknownText(f"a rewrite of kind {kind!r}")

    def _add_translation(self, source: Mapping[str, Any], rewrite: Any) -> None:
        key = self.own.get(source["instructions"])
        if key is None or self.questions[key].get("criteria") != source["criteria"]:
            return
        translated = json.loads(rewrite) if isinstance(rewrite, str) else rewrite
        self._file(self.said, translated["instructions"], Said(key))
        if key in self.options:
            for option, description in translated["criteria"].items():
                self._file(self.options[key], description, option)
        elif key in self.levels:
            for index, level in enumerate(translated["criteria"]):
                self._file(self.levels[key], level, str(index))

    def own_key(self, text: str, kind: str) -> str | None:
        """The key of the case's own question of these very instructions and this type."""
        key = self.own.get(text)
        return key if key is not None and self.questions[key]["type"] == kind else None

    def asked(self, text: str) -> Said | None:
        """The question that a text asks in its own or other words, or badly typed."""
        if text in self.said:
            return self.said[text]
        key = self.by_blur.get(blurred(text))
        return None if key is None else Said(key)
