"""A judge that knows how good each answer is and is swayed by nothing, and judges with one fault each.

They see requests alone: which answer is meant is found by its letters and digits, whatever stands around them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pytest_jevbench.judges.live_pairs import read_answer_pairs
from pytest_jevbench.judges.rubrics import rubrics

__all__ = ["FAULTS", "SOURCES", "honest", "known_answers"]

SOURCES = Path(__file__).parents[2] / "suites" / "sources" / "judges"
LEVELS = ("meets none", "meets one", "meets two", "meets all")
Answers = dict[str, Any]
Judge = Callable[[Any, Mapping[str, Any]], Answers]


def letters(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "", text.lower())


def known_answers() -> dict[str, dict[str, bool]]:
    """By the letters of each answer: which criteria, by the letters of their questions, it meets."""
    known: dict[str, dict[str, bool]] = {}
    for rubric in rubrics():
        for pair in read_answer_pairs(SOURCES / f"{rubric.id}.yaml", rubric):
            for side, answer in (("first", pair.first), ("second", pair.second)):
                failed = pair.failed_by(side)
                assert failed is not None, pair.id
                met = {letters(question.ask): question.id not in failed for question in rubric.questions}
                assert known.setdefault(letters(answer), met) == met, "one text, two labels"
    return known


KNOWN = known_answers()


def met_by(text: str) -> dict[str, bool]:
    """The criteria met by the answer that stands in a text: the longest one that does."""
    inside = letters(text)
    return KNOWN[max((answer for answer in KNOWN if answer in inside), key=len)]


def judge(
    utility: Callable[[str, str], float] = lambda question, text: sum(met_by(text).values()),
    *,
    sees_direction: bool = True,
    bonus: Callable[[str], bool] = lambda text: False,
) -> Judge:
    """``utility`` of an answer by the question's text; ``bonus``: whether a text gets what it does not deserve."""

    def ask(state: Any, questions: Mapping[str, Any]) -> Answers:
        return {key: {"type": q["type"], **one(q)} for key, q in questions.items()}

    def one(question: Mapping[str, Any]) -> Answers:
        text, criteria = question["instructions"], question.get("criteria", {})
        if question["type"] == "choice":
            shown = [criteria["first"], criteria["second"]]
            first, second = (utility(text, answer) + 5 * bonus(answer) for answer in shown)
            for answer, other in (shown, shown[::-1]):
                if longer_by_forty(answer, other) and bonus is LONGER:
                    first, second = (1.0, 0.0) if answer == shown[0] else (0.0, 1.0)
            if sees_direction and "meets the criteria worse" in text:
                first, second = second, first
            win = {"first": 0.8, "second": 0.1, "tie": 0.1} if first > second else None
            lose = {"first": 0.1, "second": 0.8, "tie": 0.1} if first < second else None
            return {"probabilities": win or lose or {"first": 0.1, "second": 0.1, "tie": 0.8}}
        body = re.split(r"\n\n(?:How many of the criteria|About this answer)", text)[0].rpartition("\nThe answer:\n")
        answer = body[2] if body[1] else text.partition("An answer to the task:\n")[2].partition("\n\nAbout this")[0]
        swayed = bonus(answer)
        if question["type"] == "noul":
            asked = letters(text.rpartition("About this answer:")[2])
            return {"noul": 0.9 if swayed or met_by(answer)[asked] else 0.1}
        count = 3 if swayed else round(utility(text, answer))
        names = [LEVELS.index(next(level for level in LEVELS if level in shown)) for shown in criteria]
        names = names if sees_direction else list(range(len(names)))
        return {"probabilities": {str(at): 0.7 if name == count else 0.1 for at, name in enumerate(names)}}

    return ask


def longer_by_forty(answer: str, other: str) -> bool:
    return len(answer.split()) - len(other.split()) > 40


def LONGER(text: str) -> bool:  # noqa: N802
    """No answer of the suite is so long, with a note or without."""
    return len(text.split()) > 75


def first_listed(question: str, text: str) -> float:
    """Only the criterion that is listed first counts."""
    met = met_by(text)
    inside = letters(question)
    return 3.0 * met[min((asked for asked in met if asked in inside), key=inside.index)]


def first_option(state: Any, questions: Mapping[str, Any]) -> Answers:
    """The first option of every Choice, whatever stands there."""
    answers = honest(state, questions)
    for key, question in questions.items():
        if question["type"] == "choice":
            ids = list(question["criteria"])
            answers[key]["probabilities"] = {one: 0.9 if one == ids[0] else 0.1 / (len(ids) - 1) for one in ids}
    return answers


honest = judge()

MARKED = re.compile(r"^(---|\*\*\*|> |### )", re.MULTILINE)
FAULTS: dict[str, tuple[Judge, set[str]]] = {
    "first option": (first_option, {"judge_swapped_order", "judge_scale_reversed"}),
    "longer is better": (judge(bonus=LONGER), {"judge_longer_answer"}),
    "markup is better": (judge(bonus=lambda text: bool(MARKED.search(text))), {"judge_markup"}),
    "its own is better": (
        judge(bonus=lambda text: "Written by you" in text or "now judges" in text),
        {"judge_own_name"},
    ),
    "rank is right": (judge(bonus=lambda text: "most senior" in text or "professor" in text), {"judge_authority_cue"}),
    "the first criterion alone": (judge(first_listed), {"judge_rubric_order"}),
    "blind to the direction": (judge(sees_direction=False), {"judge_scale_reversed"}),
}
"""Each fault with the laws that it breaks, and it breaks no other."""
