"""From a chat model's answer to candidates, and what a candidate must be before a judge is asked about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pytest_jevbench.chat.text import Unusable, json_object
from pytest_jevbench.errors import InputError, Place
from pytest_jevbench.json_text import JSON, find_surrogate, shown
from pytest_jevbench.questions import Choice, Question, Score, question_from_json
from pytest_jevbench.rewrites.languages import language_name, scripts_of_language, wrong_script
from pytest_jevbench.rewrites.sources import Source

__all__ = ["candidates_of", "form_problem", "same_words", "structure_problem"]

_WORDS_TO_TRANSLATE = 3
"""An option of fewer words may be a name, the same in every language."""

_QUOTES = (('"', '"'), ("“", "”"), ("'", "'"), ("«", "»"), ("「", "」"))


def candidates_of(source: Source, content: str | None, cut: bool = False) -> tuple[list[JSON], int]:
    """The candidates in an answer, and how many others in it were empty or no text.

    Raises :class:`~pytest_jevbench.chat.text.Unusable` for an answer that holds none.
    """
    try:
        value = json_object(content)
    except Unusable as error:
        if cut:
            raise Unusable(f"the answer was cut, the model ran out of room ({error})") from None
        raise
    items = value.get("rewrites", value.get("rewrite"))
    if items is None and source.language:
        items = value.get("translation", value if "instructions" in value else None)
    listed = items if isinstance(items, list) else [items]
    tidied = [_tidied(source, item) for item in listed]
    found: list[JSON] = [item for item in tidied if item is not None]
    if not found:
        raise Unusable('there is no text under "rewrites"')
    return found, len(tidied) - len(found)


def _tidied(source: Source, item: Any) -> JSON:
    """A candidate without what stands around it; None where it holds no text."""
    if find_surrogate(item) is not None:
        return None
    if source.language:
        return _tidied_translation(source.question, item) if isinstance(item, dict) and item else None
    if isinstance(item, dict):
        item = next((item[name] for name in ("text", "rewrite") if name in item), None)
    if not isinstance(item, str):
        return None
    text = _unquoted(item.strip(), source.text)
    if source.kind == "description" and text.endswith(".") and not source.text.endswith("."):
        text = text.rstrip(".")
    return text.strip() or None


def _unquoted(text: str, source: str) -> str:
    for opening, closing in _QUOTES:
        if len(text) > 1 and text[0] == opening and text[-1] == closing and source[:1] != opening:
            inner = text[1:-1]
            return inner.strip() if opening not in inner and closing not in inner else text
    return text


def _tidied_translation(question: Question, item: dict[str, Any]) -> JSON:
    """Instructions and criteria in the source's order, where they have its form; else as they came."""
    instructions, criteria = item.get("instructions"), item.get("criteria")
    if isinstance(instructions, str):
        instructions = instructions.strip()
    if isinstance(question, Choice) and isinstance(criteria, dict) and set(criteria) == set(question.options):
        criteria = {option: _stripped(criteria[option]) for option in question.options}
    elif isinstance(question, Score) and isinstance(criteria, list):
        criteria = [_stripped(level) for level in criteria]
    elif not isinstance(question, (Choice, Score)) and criteria in ({}, [], ""):
        criteria = None
    return {"instructions": instructions, "criteria": criteria}


def _stripped(value: Any) -> JSON:
    return value.strip() if isinstance(value, str) else value


def same_words(text: str) -> str:
    """A text without what makes no difference to a reader: case, spaces, punctuation at its ends."""
    return " ".join(text.casefold().split()).strip(" .?!¿¡。？！\"'")


def form_problem(source: Source, rewrite: JSON, earlier: Sequence[JSON] = ()) -> str:
    """Why a candidate cannot be a rewrite of its source, whatever it means; empty where it can.

    ``earlier`` are the candidates before it.
    """
    if source.language:
        problem = _translation_problem(source, rewrite)
        if not problem and rewrite in earlier:
            problem = "the same translation as an earlier candidate"
        return problem
    if not isinstance(rewrite, str) or not rewrite.strip():
        return "there is no text"
    problem = _text_problem(rewrite, source.text)
    if problem:
        return problem
    if same_words(rewrite) == same_words(source.text):
        return "the same words as the source"
    if any(isinstance(other, str) and same_words(other) == same_words(rewrite) for other in earlier):
        return "the same words as an earlier candidate"
    if source.kind == "description":
        for question in source.contexts:
            if isinstance(question, Choice):
                others = {same_words(text) for text in question.options.values()}
                if same_words(rewrite) in others:
                    return "the same words as another option of its question"
    if wrong_script(rewrite, source.text):
        return "written in another script than its source"
    return ""


def _text_problem(text: str, source: str) -> str:
    if "\n" in text and "\n" not in source:
        return "more than one line"
    if any(not (character.isprintable() or character in "\n\u200c\u200d") for character in text):
        return "there are control characters in it"
    if len(text) > 3 * len(source) + 60:
        return f"too long: {len(text)} characters for the {len(source)} of the source"
    return ""


def structure_problem(question: Question, rewrite: JSON) -> str:
    """Why an object cannot stand in the place of a question, whatever it says; empty where it can."""
    if not isinstance(rewrite, dict):
        return "there is no object with instructions and criteria"
    criteria = rewrite.get("criteria")
    if isinstance(question, Choice) and (not isinstance(criteria, dict) or list(criteria) != list(question.options)):
        return f"the criteria are not those of the source, {', '.join(question.options)}"
    if isinstance(question, Score) and (not isinstance(criteria, list) or len(criteria) != len(question.levels)):
        return f"there are not {len(question.levels)} levels as in the source"
    try:
        question_from_json({"type": question.type, **rewrite}, Place())
    except InputError as error:
        return str(error)
    return ""


def _translation_problem(source: Source, rewrite: JSON) -> str:
    question = source.question
    problem = structure_problem(question, rewrite)
    if problem or not isinstance(rewrite, dict):
        return problem
    parts = list(zip(_parts(question.to_json()), _parts(rewrite), strict=True))
    for original, text in parts:
        problem = _text_problem(text, original)
        if problem:
            return problem
    if same_words(parts[0][0]) == same_words(parts[0][1]):
        return "the instructions are not translated"
    options = [same_words(text) for _, text in parts[1:]]
    originals = [same_words(text) for text, _ in parts[1:]]
    if len(set(options)) < len(set(originals)):
        return "two options or levels have the same text"
    for original, text in parts[1:]:
        if len(original.split()) >= _WORDS_TO_TRANSLATE and same_words(original) == same_words(text):
            return f"an option or level is not translated: {shown(text)}"
    scripts = scripts_of_language(source.language)
    whole = [" ".join(texts) for texts in zip(*parts, strict=True)]
    if any(wrong_script(text, original, scripts) for original, text in (parts[0], (whole[0], whole[1]))):
        return f"not in the script of {language_name(source.language)}"
    return ""


def _parts(question: Any) -> Iterator[str]:
    """The texts of a question's wire form: the instructions, then each option or level."""
    yield question["instructions"]
    criteria = question.get("criteria")
    yield from criteria.values() if isinstance(criteria, dict) else criteria or ()
