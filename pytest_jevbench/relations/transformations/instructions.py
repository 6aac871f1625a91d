"""Edits of a question's words that keep its meaning."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pytest_jevbench.errors import BuildError
from pytest_jevbench.json_text import dumps, loads
from pytest_jevbench.questions import Choice, Noul, Question, Score
from pytest_jevbench.relations import wording
from pytest_jevbench.relations.base import Edit, SourceCase, Transformation
from pytest_jevbench.relations.draws import Draw
from pytest_jevbench.rewrite_bank import translation_source

__all__ = ["AddWords", "Paraphrase", "ParaphraseOption", "Translate", "Typos", "in_batch"]


def in_batch(source: SourceCase, key: str, question: Question) -> dict[str, Question]:
    """The case's batch with one question replaced, everything in its place."""
    return {k: question if k == key else q for k, q in source.questions.items()}


class Paraphrase(Transformation):
    """The instructions in other words, from the rewrite bank."""

    family = "instruction_paraphrase"
    randomised = True

    def applies(self, source: SourceCase, key: str, question: Question) -> bool:
        return bool(source.rewrites("paraphrase", question.instructions))

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        question = source.questions[key]
        rewrite = draw.choose(source.rewrites("paraphrase", question.instructions))
        return Edit.of([key], in_batch(source, key, replace(question, instructions=rewrite)), rewrite=rewrite)


class Translate(Transformation):
    """The whole question in another language; ids and state stay as they are."""

    family = "cross_lingual"
    randomised = True

    @staticmethod
    def _translations(source: SourceCase, question: Question) -> list[tuple[str, str]]:
        text = translation_source(question)
        return [(kind, t) for kind in source.bank.languages() for t in source.rewrites(kind, text)]

    def applies(self, source: SourceCase, key: str, question: Question) -> bool:
        return bool(self._translations(source, question))

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        question = source.questions[key]
        language, translation = draw.choose(self._translations(source, question))
        translated = _translated(question, loads(translation))
        # Written anew, so that a bank's own spacing does not change the plan.
        params = {"language": language, "translation": dumps(loads(translation))}
        return Edit.of([key], in_batch(source, key, translated), **params)


def _translated(question: Question, translation: Mapping[str, object]) -> Question:
    instructions, criteria = str(translation["instructions"]), translation.get("criteria")
    if isinstance(question, Choice):
        if not isinstance(criteria, dict) or list(criteria) != list(question.options):
            raise BuildError("a translation keeps the option ids and their order")
        return Choice(instructions, criteria)
    if isinstance(question, Score):
        if not isinstance(criteria, list) or len(criteria) != len(question.levels):
            raise BuildError("a translation keeps the number of levels")
        return Score(instructions, tuple(criteria))
    return Noul(instructions)


class ParaphraseOption(Transformation):
    """One option's description in other words, from the rewrite bank."""

    family = "description_paraphrase"
    randomised = True

    @staticmethod
    def _rewrites(source: SourceCase, question: Choice) -> list[tuple[str, str]]:
        return [
            (option, rewrite)
            for option, description in question.options.items()
            for rewrite in source.rewrites("description", description)
        ]

    def applies(self, source: SourceCase, key: str, question: Question) -> bool:
        return isinstance(question, Choice) and bool(self._rewrites(source, question))

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        question = source.questions[key]
        assert isinstance(question, Choice)
        option, rewrite = draw.choose(self._rewrites(source, question))
        edited = Choice(question.instructions, {**question.options, option: rewrite})
        return Edit.of([key], in_batch(source, key, edited), option=option, rewrite=rewrite)


class Typos(Transformation):
    """Surface noise: all in lower case, two pairs of letters swapped, or punctuation taken out."""

    family = "typo_noise"
    randomised = True
    kinds = ("lowercase", "swapped_letters", "no_punctuation")

    @staticmethod
    def _swappable(text: str) -> list[int]:
        """Positions i where the letters i and i + 1 are different and inside a word of five letters or more."""
        return [
            start
            for word in re.finditer(r"[^\W\d_]{5,}", text)
            for start in range(word.start() + 1, word.end() - 2)
            if text[start] != text[start + 1]
        ]

    @staticmethod
    def _without_punctuation(text: str) -> str:
        # Hyphens, apostrophes and the marks inside numbers ("1,250", "12:30") stay: without them words change.
        kept = re.sub(r"[.,:](?![0-9])|[?!;\"“”()]", " ", text)
        return " ".join(kept.split())

    def _noisy(self, text: str, variant: int, draw: Draw | None) -> str:
        if variant == 0:
            return text.lower()
        if variant == 2:
            return self._without_punctuation(text)
        letters = list(text)
        places = self._swappable(text)
        for _ in range(2):
            if not places:
                break
            at = draw.choose(places) if draw else places[0]
            letters[at], letters[at + 1] = letters[at + 1], letters[at]
            places = [place for place in places if abs(place - at) > 1]
        return "".join(letters)

    def applies(self, source: SourceCase, key: str, question: Question) -> bool:
        return bool(self.variants(source, key))

    def variants(self, source: SourceCase, key: str) -> Sequence[int]:
        text = source.questions[key].instructions
        return [v for v in range(3) if self._noisy(text, v, None) not in ("", text)]

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        question = source.questions[key]
        rewrite = self._noisy(question.instructions, variant, draw)
        edited = replace(question, instructions=rewrite)
        return Edit.of([key], in_batch(source, key, edited), kind=self.kinds[variant], rewrite=rewrite)


class AddWords(Transformation):
    """Guidance without content around the instructions."""

    family = "verbosity"

    def applies(self, source: SourceCase, key: str, question: Question) -> bool:
        return True

    def variants(self, source: SourceCase, key: str) -> Sequence[int]:
        return range(len(wording.VERBOSE))

    def edit(self, source: SourceCase, key: str, variant: int, draw: Draw) -> Edit:
        question = source.questions[key]
        edited = replace(question, instructions=wording.VERBOSE[variant](question.instructions))
        return Edit.of([key], in_batch(source, key, edited))
