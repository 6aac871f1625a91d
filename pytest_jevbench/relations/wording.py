"""Every sentence that a relation sends to a model, and nothing else.

One function a wording; a list where a relation has several templates, one template a variant. All of it is plain
English that means the same to every reader: no idiom, no negation inside a negation, no pronoun without its noun.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

__all__ = [
    "ALL_OF",
    "ANY_OF",
    "AT_LEAST_TWO_OF",
    "BOTH_AND_EITHER",
    "CATCH_ALL",
    "FILLERS",
    "LEVEL_OR_HIGHER",
    "NEGATIONS",
    "NOT_LEVEL",
    "NOT_OPTION",
    "OFF_TOPIC",
    "ONE_OPTION",
    "PREDICATES",
    "STRONG",
    "VERBOSE",
    "WEAK",
    "YES_NO_LEVELS",
    "YES_NO_OPTIONS",
    "beyond",
    "both",
    "joint_options",
    "joint_question",
    "merged_levels",
    "merged_options",
    "more_digit_groups_than",
    "more_than",
    "near_duplicate",
    "not_both",
    "one_is_false",
    "split_parts",
]

Template = Callable[[str], str]
OfSeveral = Callable[[str, Sequence[str], str], str]
"""A template for instructions, all options or levels, and the one it is about."""


def _numbered(questions: Sequence[str]) -> str:
    return " ".join(f"({n}) {question}" for n, question in enumerate(questions, start=1))


def _quoted(texts: Sequence[str], mark: str = "; ") -> str:
    # In quotation marks, since a text of the user's may end in a full stop or hold a comma.
    return mark.join(f'"{text}"' for text in texts)


# --- additions without content -------------------------------------------------------------------------

VERBOSE: Final[tuple[Template, ...]] = (
    lambda q: f"Please consider all of the information given before you answer. {q}",
    lambda q: f"{q} Base your answer only on the information given.",
    lambda q: (
        f"Here is a question about the information given. {q} Give the answer that this information supports best."
    ),
)

# --- negations ---------------------------------------------------------------------------------------------

NEGATIONS: Final[tuple[Template, ...]] = (
    lambda q: f"Is the correct answer to the following question no? Question: {q}",
    lambda q: (
        f"Reverse the answer to the question below: say yes if its answer is no, and no if its answer is yes. {q}"
    ),
    lambda q: f'Is it false that the correct answer to the question "{q}" is yes?',
)

NOT_OPTION: Final[tuple[OfSeveral, ...]] = (
    lambda q, options, option: (
        f"Consider this question: {q} The possible answers are: {_quoted(options)}. "
        f'Is the correct answer something other than "{option}"?'
    ),
    lambda q, options, option: (
        f"Would it be wrong to answer the question below as proposed? Question: {q} "
        f'Possible answers: {_quoted(options)}. Proposed answer: "{option}"'
    ),
    lambda q, options, option: (
        f'{q} Possible answers: {_quoted(options)}. Proposed answer: "{option}". Is the proposed answer incorrect?'
    ),
)
"""All options are named: a Choice is about its menu, and so must be a question about one of its options."""

NOT_LEVEL: Final[tuple[OfSeveral, ...]] = (
    lambda q, levels, level: (
        f"A scale has these levels, lowest first: {_quoted(levels)}. The question for the scale is: {q} "
        f'Is the correct level a different one from "{level}"?'
    ),
    lambda q, levels, level: (
        f'{q} The possible levels, lowest first, are: {_quoted(levels)}. Would the level "{level}" be a wrong answer?'
    ),
)

# --- the same question in another type -----------------------------------------------------------------

YES_NO_OPTIONS: Final[dict[str, str]] = {"yes": "The answer is yes", "no": "The answer is no"}

YES_NO_LEVELS: Final[tuple[tuple[str, str], ...]] = (("No", "Yes"), ("The answer is no", "The answer is yes"))

# --- compounds ---------------------------------------------------------------------------------------------


def both(a: str, b: str) -> str:
    """A and B."""
    return f"Is the answer to both of these questions yes? {_numbered([a, b])}"


def not_both(a: str, b: str) -> str:
    """Not (A and B)."""
    return f"Is it false that the answer to both of these questions is yes? {_numbered([a, b])}"


def one_is_false(a: str, b: str) -> str:
    """Not A or not B."""
    return f"Is the answer to at least one of these two questions no? {_numbered([a, b])}"


BOTH_AND_EITHER: Final[tuple[tuple[Callable[[str, str], str], Callable[[str, str], str]], ...]] = (
    (
        lambda a, b: f"Do both of these questions have the answer yes? {_numbered([a, b])}",
        lambda a, b: f"Does at least one of these questions have the answer yes? {_numbered([a, b])}",
    ),
    (
        lambda a, b: f'Is yes the correct answer to "{a}" and also to "{b}"?',
        lambda a, b: f'Is yes the correct answer to "{a}", or to "{b}", or to both?',
    ),
    (
        lambda a, b: (
            f"First question: {a} Second question: {b} Is the answer yes to the first question and also to the second?"
        ),
        lambda a, b: (
            f"First question: {a} Second question: {b} "
            "Is the answer yes to the first question, to the second or to both?"
        ),
    ),
)


def ALL_OF(questions: Sequence[str]) -> str:  # noqa: N802 - reads as the quantifier it is
    """Every one of the propositions."""
    return f"Is the answer to every one of these questions yes? {_numbered(questions)}"


def AT_LEAST_TWO_OF(questions: Sequence[str]) -> str:  # noqa: N802
    """Two or more of the propositions."""
    return f"Is the answer to at least two of these questions yes? {_numbered(questions)}"


def ANY_OF(questions: Sequence[str]) -> str:  # noqa: N802
    """One or more of the propositions."""
    return f"Is the answer to at least one of these questions yes? {_numbered(questions)}"


def joint_question(a: str, b: str) -> str:
    """Both answers at once, as a Choice."""
    return f"Which pair of answers is correct for these two questions? {_numbered([a, b])}"


def joint_options() -> dict[str, str]:
    """The four pairs of answers; the first digit is the first question's, 1 is yes."""
    word = {"0": "no", "1": "yes"}
    return {
        a + b: f"The answer to question (1) is {word[a]} and the answer to question (2) is {word[b]}"
        for a in "01"
        for b in "01"
    }


# --- strength ----------------------------------------------------------------------------------------------

STRONG: Final[Template] = lambda q: (  # noqa: E731
    f"Does the information given prove beyond any doubt that the answer to this question is yes? {q}"
)
WEAK: Final[Template] = lambda q: (  # noqa: E731
    f"Does the information given leave it at least possible that the answer to this question is yes? {q}"
)


def more_than(subject: str, k: int) -> str:
    """A threshold on a declared quantity."""
    return f"Going by the information given, is the number of {subject} greater than {k}?"


def more_digit_groups_than(k: int) -> str:
    """A threshold on a quantity that every state has: how many runs of digits it contains."""
    return (
        'Count each unbroken run of digits in the information given as one number ("3x250" has two, "1,250" has two). '
        f"Are there more than {k} such numbers?"
    )


# --- options and levels ------------------------------------------------------------------------------------

ONE_OPTION: Final[tuple[OfSeveral, ...]] = (
    lambda q, options, option: (
        f'Consider this question: {q} The possible answers are: {_quoted(options)}. Is the correct answer "{option}"?'
    ),
    lambda q, options, option: (
        f"Would it be right to answer the question below as proposed? Question: {q} "
        f'Possible answers: {_quoted(options)}. Proposed answer: "{option}"'
    ),
)

LEVEL_OR_HIGHER: Final[tuple[OfSeveral, ...]] = (
    lambda q, levels, level: (
        f"A scale has these levels, lowest first: {_quoted(levels)}. The question for the scale is: {q} "
        f'Is the correct level "{level}" or a higher one?'
    ),
    lambda q, levels, level: (
        f'{q} The possible levels, lowest first, are: {_quoted(levels)}. Is the correct level at least "{level}"?'
    ),
)

CATCH_ALL: Final = "All of the other options are wrong"

PREDICATES: Final[tuple[tuple[str, str], ...]] = (
    ("the information given names a day of the week", "the information given names no day of the week"),
    ("the information given contains a percentage", "the information given contains no percentage"),
    ("the information given mentions an amount of money", "the information given mentions no amount of money"),
    ("the information given mentions a time of day", "the information given mentions no time of day"),
    ("the information given contains a question mark", "the information given contains no question mark"),
    ("the information given names a month", "the information given names no month"),
)
"""Facts of any state with their exact opposites, to split an option by."""


def merged_options(descriptions: Sequence[str]) -> str:
    """One of several options."""
    return f"One of these: {_quoted(descriptions, ' or ')}"


def split_parts(description: str, predicate: tuple[str, str]) -> tuple[str, str]:
    """An option with a fact and the same option without it."""
    return f"{description} (and {predicate[0]})", f"{description} (and {predicate[1]})"


def near_duplicate(description: str) -> str:
    """The same option, said as a restatement."""
    return f"In other words: {description}"


def merged_levels(levels: Sequence[str]) -> str:
    """One of several adjacent levels; one level alone keeps its text."""
    return levels[0] if len(levels) == 1 else _quoted(levels, " or ")


def beyond(level: str) -> str:
    """A level past the top of a scale."""
    return f'Even higher on the scale than "{level}"'


OFF_TOPIC: Final[tuple[str, ...]] = (
    "The information given is a recipe for baking bread",
    "The information given is a description of the rings of Saturn",
    "The information given is the score of a piece of chamber music",
    "The information given is a guide to the breeding habits of penguins",
    "The information given is a table of the reigns of ancient kings",
    "The information given is an explanation of how glaciers move",
)
"""Options that no state of a decision about business, software or people falls under."""

# --- unrelated companions ----------------------------------------------------------------------------------

FILLERS: Final[tuple[str, ...]] = (
    "Is the information given longer than three sentences?",
    "Does the information given name a colour?",
    "Is any part of the information given written in capital letters only?",
    "Does the information given contain an exclamation mark?",
    "Does the information given name a planet?",
    "Is there a number with more than four digits in the information given?",
    "Does the information given mention the weather?",
    "Does the information given name a musical instrument?",
    "Is the information given written in the form of a poem?",
    "Does the information given mention a kind of food?",
    "Does the information given contain a web address?",
    "Does the information given name an animal?",
    "Is a sport mentioned in the information given?",
    "Does the information given contain a list with bullets?",
    "Does the information given name a country?",
    "Is a year mentioned in the information given?",
    "Does the information given contain a quotation?",
    "Does the information given mention a piece of furniture?",
    "Is there a word in brackets in the information given?",
    "Does the information given name a river or a lake?",
    "Does the information given mention a means of transport?",
    "Is a season of the year named in the information given?",
    "Does the information given contain the word 'because'?",
    "Does the information given mention a plant?",
    "Is a part of the human body named in the information given?",
    "Does the information given contain a semicolon?",
    "Does the information given mention a building?",
    "Is a metal named in the information given?",
    "Does the information given contain a temperature?",
    "Does the information given mention a holiday?",
    "Is a language named in the information given?",
    "Does the information given contain two rhyming words side by side?",
    "Does the information given mention a game?",
    "Is a tool named in the information given?",
    "Does the information given mention a book?",
    "Does the information given contain a footnote?",
    "Is an item of clothing named in the information given?",
    "Does the information given mention a mountain?",
    "Does the information given contain a mathematical formula?",
    "Is a historical event mentioned in the information given?",
)
"""Questions that can stand beside any state, to replace a target's companions."""
