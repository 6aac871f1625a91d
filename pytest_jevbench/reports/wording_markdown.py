"""The sentences that relations send, with placeholders for what a case fills in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_jevbench.relations import wording

__all__ = ["wordings"]

Q, A, B, C = "{question}", "{question A}", "{question B}", "{question C}"
OPTIONS = ("{option 1}", "{option 2}", "{option 3}")
LEVELS = ("{level 0}", "{level 1}", "{level 2}")


def wordings() -> str:
    """A section that lists every sentence, by what it is for."""
    parts = ["## Sentences", "What a model is sent beside the texts of the case and of its rewrite bank."]
    for title, sentences in _all():
        parts.append("\n".join([f"{title}:", "", *(f"- {_literal(sentence)}" for sentence in sentences)]))
    return "\n\n".join(parts)


def _literal(text: str) -> str:
    return f"`{text}`"


def _all() -> Iterator[tuple[str, Sequence[str]]]:
    yield "Words without content", [form(Q) for form in wording.VERBOSE]
    yield "The opposite of a question", [form(Q) for form in wording.NEGATIONS]
    yield "One option of a Choice", [form(Q, OPTIONS, OPTIONS[1]) for form in wording.ONE_OPTION]
    yield "Any other option", [form(Q, OPTIONS, OPTIONS[1]) for form in wording.NOT_OPTION]
    yield "A level of a Score or a higher one", [form(Q, LEVELS, LEVELS[1]) for form in wording.LEVEL_OR_HIGHER]
    yield "Any other level", [form(Q, LEVELS, LEVELS[1]) for form in wording.NOT_LEVEL]
    yield "A yes/no question as a Choice", list(wording.YES_NO_OPTIONS.values())
    yield "A yes/no question as a Score", [" / ".join(levels) for levels in wording.YES_NO_LEVELS]
    yield (
        "A and B, its negation, and the negation as a disjunction",
        [form(A, B) for form in (wording.both, wording.not_both, wording.one_is_false)],
    )
    yield "A and B, A or B", [form(A, B) for pair in wording.BOTH_AND_EITHER for form in pair]
    yield (
        "All, at least two and at least one of three",
        [form([A, B, C]) for form in (wording.ALL_OF, wording.AT_LEAST_TWO_OF, wording.ANY_OF)],
    )
    yield "Two answers at once", [wording.joint_question(A, B), *wording.joint_options().values()]
    yield "A stronger and a weaker claim", [wording.STRONG(Q), wording.WEAK(Q)]
    yield (
        "Thresholds",
        [
            wording.more_than("{subject}", 7).replace("7", "{k}"),
            wording.more_digit_groups_than(7).replace("7", "{k}"),
        ],
    )
    yield (
        "Options merged, split, restated, left open",
        [
            wording.merged_options(OPTIONS[:2]),
            *wording.split_parts(OPTIONS[0], ("{fact}", "{the opposite of the fact}")),
            wording.near_duplicate(OPTIONS[0]),
            wording.CATCH_ALL,
        ],
    )
    yield "Levels merged, a level added", [wording.merged_levels(LEVELS[:2]), wording.beyond(LEVELS[2])]
    yield "Facts that an option is split by", [f"{fact} / {opposite}" for fact, opposite in wording.PREDICATES]
    yield "Options off the topic", wording.OFF_TOPIC
    yield "Questions in the place of a batch's other questions", wording.FILLERS
