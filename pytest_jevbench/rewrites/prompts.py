"""Every sentence that a chat model is sent to write a rewrite or to judge one. No state of a case is among them."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_jevbench.json_text import JSON, dumps, loads
from pytest_jevbench.questions import Choice, Question, Score
from pytest_jevbench.rewrites.languages import language_name
from pytest_jevbench.rewrites.sources import Source

__all__ = ["WRITER", "Check", "checks_of", "writing_prompt"]

Check = tuple[str, str]
"""A name for what is asked of a judge, and the message that asks it."""

WRITER = (
    "You reword questions of a form that is filled in about a document. What is decided may not change by a hair: "
    "every condition, number, name, tense and quantifier is kept, nothing is added, nothing is vaguer or stricter. "
    "Write what a careful native speaker would write. Answer with one JSON object and nothing else."
)

JUDGE = (
    "You check whether two wordings of a form decide the same. Many documents are read with this form, and you see "
    "none of them: a difference counts if it could matter for any document. First look hard for one for which it does. "
    'Then answer with one JSON object and nothing else: {"reason": "one sentence; the document, where you found one", '
    '"holds": true or false}.'
)

_PARAPHRASE = (
    "Write {count} other wordings of this question, in its own language. Each asks exactly the same: whatever the "
    "document, its right answer is that of the original. Change words and the build of the sentence, not only the "
    "order of two words, and make the wordings differ from each other."
)
_NEGATION = (
    "Write {count} questions, in the language of this one, of which each is its exact opposite: answered yes for every "
    "document for which this question is answered no, and no for every one for which it is answered yes. Not the other "
    'extreme: the opposite of "Is it over 100?" is "Is it 100 or less?", never "Is it small?". Ask as a person would; '
    'do not put "Is it false that" before the question.'
)
_DESCRIPTION = (
    "Write {count} other wordings of one answer of a question, in its own language. Each fits exactly the same "
    "documents as the original, and none of those that the question's other answers are for. It stands in a list "
    "of answers: keep it about as short, and end it as the original ends."
)
_TRANSLATION = (
    "Translate this question with its answers into {language}, as a native speaker would ask it. Keep names and "
    "numbers. Keep the form: the same ids in the same order, or the same number of levels in the same order; texts are "
    "translated, ids are not."
)
_FORM_TEXT = 'Form of the answer: {"rewrites": ["...", "..."]}'
_FORM_TRANSLATION = 'Form of the answer: {"rewrites": [{"instructions": "...", "criteria": ...}]}'


def writing_prompt(source: Source, count: int, refused: Sequence[tuple[JSON, str]] = ()) -> str:
    """The request for ``count`` candidates; ``refused`` are earlier ones, each with the reason."""
    if source.language:
        parts = [_TRANSLATION.replace("{language}", language_name(source.language)), source.text, _FORM_TRANSLATION]
    else:
        task = {"paraphrase": _PARAPHRASE, "negation": _NEGATION, "description": _DESCRIPTION}[source.kind]
        parts = [task.replace("{count}", str(count)), *_shown(source), _FORM_TEXT]
    if refused:
        lines = [f"- {dumps(text)}: {reason}" for text, reason in refused]
        parts.insert(-1, "\n".join(["These were refused, write none of them again:", *lines]))
    return "\n\n".join(parts)


def _shown(source: Source) -> list[str]:
    if source.kind != "description":
        return [f"Question: {source.text}", f"It is answered with {_answers(source.question)}."]
    return [f"Answer: {source.text}", _where(source)]


def _where(source: Source) -> str:
    questions = [f"- {question.instructions}\n  Its answers: {_answers(question)}" for question in source.contexts]
    return "\n".join(["It is an answer of:", *questions])


def _answers(question: Question) -> str:
    if isinstance(question, Choice):
        return "one of " + dumps(list(question.options.values()))
    if isinstance(question, Score):
        return "one level of a scale, lowest first: " + dumps(list(question.levels))
    return "yes or no"


def checks_of(source: Source, rewrite: JSON) -> tuple[Check, Check]:
    """The two questions to a judge about a candidate, one a direction; it is accepted where both hold."""
    if source.language:
        return _translation_checks(source, rewrite)
    one, two = source.text, str(rewrite)
    if source.kind == "description":
        where = _where(source)
        return tuple(
            (name, f"{where}\n\nAnswer A: {a}\nAnswer B: {b}\n\n{_FITS}")
            for name, a, b in (("source to rewrite", one, two), ("rewrite to source", two, one))
        )  # type: ignore[return-value]  # it is made of two
    if source.kind == "negation":
        asked = f"Question A: {one}\nQuestion B: {two}\n\n"
        return ("never both yes", asked + _NEVER_BOTH_YES), ("never both no", asked + _NEVER_BOTH_NO)
    answers = f"Both are answered with {_answers(source.question)}."
    claim = _ENTAILS if _answers(source.question) == "yes or no" else _SAME_ANSWER
    first = f"Question A: {one}\nQuestion B: {two}\n{answers}\n\n{claim}"
    second = f"Question A: {two}\nQuestion B: {one}\n{answers}\n\n{claim}"
    return ("source to rewrite", first), ("rewrite to source", second)


_ENTAILS = "It is to hold: for every document for which A is answered yes, B is answered yes too. Does it?"
_SAME_ANSWER = (
    "It is to hold: for every document, the answer that is right for A is right for B as well, and B asks for nothing "
    "that A leaves open. Does it?"
)
_NEVER_BOTH_YES = "It is to hold: there is no document for which both are answered yes. Does it?"
_NEVER_BOTH_NO = (
    "It is to hold: there is no document for which both are answered no, also none that says nothing of the matter or "
    "lies between the two. Does it?"
)
_FITS = "It is to hold: every document that answer A fits is fitted by answer B too. Does it?"


def _translation_checks(source: Source, rewrite: JSON) -> tuple[Check, Check]:
    language = language_name(source.language)
    both = f"Original: {dumps(loads(source.text))}\nTranslation into {language}: {dumps(rewrite)}\n\n"
    return (
        (
            "nothing lost",
            f"{both}It is to hold: all that the original says, each condition, name, number, option and level, "
            f"is in the translation, in correct {language}. Does it?",
        ),
        (
            "nothing added",
            f"{both}It is to hold: the translation says nothing that the original does not say; put back into the "
            "original's language it asks for the same, no vaguer and no stricter. Does it?",
        ),
    )
