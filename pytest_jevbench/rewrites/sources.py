"""The texts of cases that are to be rewritten."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import shown
from pytest_jevbench.own_cases import read_own_cases
from pytest_jevbench.questions import Case, Choice, Noul, Question
from pytest_jevbench.rewrite_bank import TRANSLATE, translation_source
from pytest_jevbench.suite_files import CASES, MANIFEST, read_cases, read_manifest
from pytest_jevbench.suite_finding import Found, find_base

__all__ = ["DEFAULT_KINDS", "Source", "cases_at", "read_kinds", "sources_of"]

DEFAULT_KINDS = "paraphrase,negation,description"
MOST_CONTEXTS = 3
"""A text that stands in many questions is shown with so many of them."""


@dataclass(frozen=True)
class Source:
    """A text to rewrite: ``text`` as a bank files it, ``contexts`` the first questions in which it stands."""

    kind: str
    text: str
    contexts: tuple[Question, ...]

    @property
    def question(self) -> Question:
        return self.contexts[0]

    @property
    def language(self) -> str:
        """The language to translate into; empty for the other kinds."""
        return self.kind.removeprefix(TRANSLATE) if self.kind.startswith(TRANSLATE) else ""


def read_kinds(text: str) -> tuple[str, ...]:
    """The kinds of a comma-separated list, once each. Raises :class:`InputError`."""
    kinds = tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
    place = Place(field="--kinds")
    if not kinds:
        raise InputError("no kind is given", place=place, advice=_KINDS)
    for kind in kinds:
        language = kind.removeprefix(TRANSLATE) if kind.startswith(TRANSLATE) else None
        if language is None and kind not in ("paraphrase", "negation", "description"):
            raise InputError(f"{shown(kind)} is no kind of rewrite", place=place, advice=_KINDS)
        if language is not None and not re.fullmatch(r"[^\W\d_][\w -]*", language):
            raise InputError(f"{shown(kind)} names no language", place=place, advice=_KINDS)
    return kinds


_KINDS = "There are paraphrase, negation, description and translate:LANGUAGE, such as translate:zh or translate:Welsh"


def cases_at(path: Path) -> list[Case]:
    """The cases of a file, a folder or a suite's folder, also of one that is drawn from another suite.

    Raises :class:`InputError`.
    """
    if (path / MANIFEST).is_file() and not (path / CASES).is_file():
        manifest = read_manifest(path)
        if manifest.base is not None:
            path = find_base(manifest.base, Found(path.resolve())).path
    own = read_own_cases(path)
    return list(read_cases(own.cases, own.path).values())


def sources_of(cases: Iterable[Case], kinds: Sequence[str]) -> list[Source]:
    """The distinct texts of each kind, kinds in their order, texts in that of the cases.

    A paraphrase is of any question's instructions, a negation of a Noul's, a description of a Choice's option; a
    translation is of a whole question with its options or levels.
    """
    questions = [question for case in cases for question in case.questions.values()]
    result: list[Source] = []
    for kind in kinds:
        contexts: dict[str, list[Question]] = {}
        for question in questions:
            for text in _texts(kind, question):
                known = contexts.setdefault(text, [])
                if len(known) < MOST_CONTEXTS and question not in known:
                    known.append(question)
        result += [Source(kind, text, tuple(known)) for text, known in contexts.items()]
    return result


def _texts(kind: str, question: Question) -> Iterator[str]:
    if kind == "paraphrase" or (kind == "negation" and isinstance(question, Noul)):
        yield question.instructions
    elif kind == "description" and isinstance(question, Choice):
        yield from question.options.values()
    elif kind.startswith(TRANSLATE):
        yield translation_source(question)
