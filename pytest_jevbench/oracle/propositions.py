"""Yes/no texts as events."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np

from pytest_jevbench.oracle.joint import Joint, Vector
from pytest_jevbench.oracle.table import AmbiguousText, CaseTable, UnknownText
from pytest_jevbench.oracle.texts import UNRELATED

__all__ = ["Propositions", "listed", "plainly_asked"]

Says: TypeAlias = Callable[[Vector, int], Any]
"""From the number of true members in every world, and of all members, to whether the compound is true there."""

PADDING = (
    ("Please consider all of the information given before you answer. ", ""),
    ("", " Base your answer only on the information given."),
    ("Here is a question about the information given. ", " Give the answer that this information supports best."),
)
"""What may stand before and after a question without changing it."""

REVERSING = (
    ("Is the correct answer to the following question no? Question: ", ""),
    ("Reverse the answer to the question below: say yes if its answer is no, and no if its answer is yes. ", ""),
    ('Is it false that the correct answer to the question "', '" is yes?'),
)
"""What stands around a question and turns it into its opposite."""

PROOF = "Does the information given prove beyond any doubt that the answer to this question is yes? "
POSSIBILITY = "Does the information given leave it at least possible that the answer to this question is yes? "

ABOUT_ONE_OPTION = (
    (
        r"Consider this question: (?P<q>.+) The possible answers are: (?P<all>.+)\. "
        r'Is the correct answer "(?P<one>.+)"\?',
        True,
    ),
    (
        r"Would it be right to answer the question below as proposed\? Question: (?P<q>.+) "
        r'Possible answers: (?P<all>.+)\. Proposed answer: "(?P<one>.+)"',
        True,
    ),
    (
        r"Consider this question: (?P<q>.+) The possible answers are: (?P<all>.+)\. "
        r'Is the correct answer something other than "(?P<one>.+)"\?',
        False,
    ),
    (
        r"Would it be wrong to answer the question below as proposed\? Question: (?P<q>.+) "
        r'Possible answers: (?P<all>.+)\. Proposed answer: "(?P<one>.+)"',
        False,
    ),
    (
        r'(?P<q>.+) Possible answers: (?P<all>.+)\. Proposed answer: "(?P<one>.+)"\. '
        r"Is the proposed answer incorrect\?",
        False,
    ),
)
"""Patterns, and whether they ask for the option or for any other."""

ON_THE_SCALE = r"A scale has these levels, lowest first: (?P<all>.+)\. The question for the scale is: (?P<q>.+) "
OF_THE_SCALE = r"(?P<q>.+) The possible levels, lowest first, are: (?P<all>.+)\. "
ABOUT_ONE_LEVEL = (
    (ON_THE_SCALE + r'Is the correct level a different one from "(?P<one>.+)"\?', "not"),
    (OF_THE_SCALE + r'Would the level "(?P<one>.+)" be a wrong answer\?', "not"),
    (ON_THE_SCALE + r'Is the correct level "(?P<one>.+)" or a higher one\?', "from"),
    (OF_THE_SCALE + r'Is the correct level at least "(?P<one>.+)"\?', "from"),
)

COUNTING: tuple[tuple[str, Says], ...] = (
    ("Is the answer to both of these questions yes? ", lambda true, n: true == n),
    ("Is it false that the answer to both of these questions is yes? ", lambda true, n: true < n),
    ("Is the answer to at least one of these two questions no? ", lambda true, n: true < n),
    ("Do both of these questions have the answer yes? ", lambda true, n: true == n),
    ("Does at least one of these questions have the answer yes? ", lambda true, n: true >= 1),
    ("Is the answer to every one of these questions yes? ", lambda true, n: true == n),
    ("Is the answer to at least two of these questions yes? ", lambda true, n: true >= 2),
    ("Is the answer to at least one of these questions yes? ", lambda true, n: true >= 1),
)
"""What is asked of how many of the numbered questions that follow are true."""

PAIRING: tuple[tuple[str, Says], ...] = (
    (r'Is yes the correct answer to "(.+)" and also to "(.+)"\?', lambda true, n: true == n),
    (r'Is yes the correct answer to "(.+)", or to "(.+)", or to both\?', lambda true, n: true >= 1),
    (
        r"First question: (.+) Second question: (.+) "
        r"Is the answer yes to the first question and also to the second\?",
        lambda true, n: true == n,
    ),
    (
        r"First question: (.+) Second question: (.+) "
        r"Is the answer yes to the first question, to the second or to both\?",
        lambda true, n: true >= 1,
    ),
)

DECLARED_COUNT = r"Going by the information given, is the number of (?P<what>.+) greater than (?P<k>[0-9]+)\?"
DIGITS_COUNT = (
    r"Count each unbroken run of digits in the information given as one number "
    r'\("3x250" has two, "1,250" has two\)\. Are there more than (?P<k>[0-9]+) such numbers\?'
)


def listed(texts: Sequence[str]) -> str:
    """Texts as a list inside a sentence."""
    return "; ".join('"' + text + '"' for text in texts)


def between(text: str, before: str, after: str) -> str | None:
    """What stands between two texts, or None."""
    if text.startswith(before) and text.endswith(after) and len(text) > len(before) + len(after):
        return text[len(before) : len(text) - len(after)]
    return None


def plainly_asked(table: CaseTable, text: str) -> str | None:
    """The key of the question that instructions ask, whatever their words, padding and typing errors."""
    found = table.asked(text)
    if found is not None:
        return None if found.negated else found.key
    for before, after in PADDING:
        inner = between(text, before, after)
        if inner in table.own:
            return table.own[inner]
    return None


class Propositions:
    """Reads yes/no texts about one case as events of one joint distribution."""

    def __init__(self, table: CaseTable, joint: Joint) -> None:
        self.table = table
        self.joint = joint
        self.answers = {key: self._partition(key) for key in table.questions}

    def _partition(self, key: str) -> dict[str, Vector]:
        question = self.table.questions[key]
        if question["type"] == "noul":
            yes = self.joint.event(f"question {key}")
            return {"yes": yes, "no": 1.0 - yes}
        criteria = question["criteria"]
        ids = list(criteria) if question["type"] == "choice" else [str(i) for i in range(len(criteria))]
        return dict(self.joint.partition(key, ids))

    def event(self, text: str) -> Vector:
        """The event that a text asks about. Raises UnknownText and AmbiguousText."""
        readings = list(self._readings(text))
        if not readings:
            raise UnknownText(text)
        if any(not np.array_equal(reading, readings[0]) for reading in readings):
            raise AmbiguousText(text)
        return readings[0]

    def _readings(self, text: str) -> Iterator[Vector]:
        asked = self.table.asked(text)
        if asked is not None and self.table.questions[asked.key]["type"] == "noul":
            yield self.answers[asked.key]["no" if asked.negated else "yes"]
        if text in UNRELATED:
            yield self.joint.event(text)
        yield from self._of_one_question(text)
        yield from self._of_several(text)
        yield from self._of_one_option(text)
        yield from self._of_one_level(text)
        yield from self._of_a_count(text)

    def own(self, text: str) -> Vector | None:
        """The event of one of the case's own yes/no questions, in its very words."""
        key = self.table.own_key(text, "noul")
        return None if key is None else self.answers[key]["yes"]

    def _of_one_question(self, text: str) -> Iterator[Vector]:
        for before, after in PADDING:
            inner = between(text, before, after)
            if inner is not None and (yes := self.own(inner)) is not None:
                yield yes
        for before, after in REVERSING:
            inner = between(text, before, after)
            if inner is not None and (yes := self.own(inner)) is not None:
                yield 1.0 - yes
        for before, stronger in ((PROOF, True), (POSSIBILITY, False)):
            inner = between(text, before, "")
            if inner is not None and (yes := self.own(inner)) is not None:
                other = self.joint.event(before + inner)
                yield np.minimum(yes, other) if stronger else np.maximum(yes, other)

    def numbered(self, text: str, number: int = 1) -> Iterator[list[str]]:
        """All ways to read a text as own questions, numbered: '(1) ... (2) ...'."""
        for own in self.table.own:
            head = f"({number}) {own}"
            if text == head:
                yield [own]
            elif text.startswith(head + " "):
                for rest in self.numbered(text[len(head) + 1 :], number + 1):
                    yield [own, *rest]

    def _of_several(self, text: str) -> Iterator[Vector]:
        for before, says in COUNTING:
            inner = between(text, before, "")
            for members in self.numbered(inner) if inner else ():
                if len(members) == 2 or ("both" not in before and "two questions" not in before):
                    yield from self._counted(members, says)
        for pattern, says in PAIRING:
            found = re.fullmatch(pattern, text)
            if found:
                yield from self._counted(found.groups(), says)

    def _counted(self, members: Sequence[str], says: Says) -> Iterator[Vector]:
        events = [self.own(member) for member in members]
        known = [event for event in events if event is not None]
        if len(known) == len(events):
            yield np.asarray(says(np.sum(known, axis=0), len(known)), dtype=float)

    def _of_one_option(self, text: str) -> Iterator[Vector]:
        for pattern, is_it in ABOUT_ONE_OPTION:
            found = re.fullmatch(pattern, text)
            key = self.table.own_key(found["q"], "choice") if found else None
            if found is None or key is None:
                continue
            criteria = self.table.questions[key]["criteria"]
            if found["all"] != listed(list(criteria.values())):
                continue
            for option, description in criteria.items():
                if description == found["one"]:
                    yield self.answers[key][option] if is_it else 1.0 - self.answers[key][option]

    def _of_one_level(self, text: str) -> Iterator[Vector]:
        for pattern, asks in ABOUT_ONE_LEVEL:
            found = re.fullmatch(pattern, text)
            key = self.table.own_key(found["q"], "score") if found else None
            if found is None or key is None:
                continue
            levels = self.table.questions[key]["criteria"]
            if found["all"] != listed(levels) or found["one"] not in levels:
                continue
            at = levels.index(found["one"])
            yield (
                1.0 - self.answers[key][str(at)]
                if asks == "not"
                else np.sum([self.answers[key][str(level)] for level in range(at, len(levels))], axis=0)
            )

    def _of_a_count(self, text: str) -> Iterator[Vector]:
        found = re.fullmatch(DECLARED_COUNT, text)
        if found and found["what"] in self.table.counted:
            around = self.table.counted[found["what"]]
            yield (self.joint.count(found["what"], around) > int(found["k"])).astype(float)
        found = re.fullmatch(DIGITS_COUNT, text)
        if found:
            runs = len(re.findall("[0-9]+", str(self.table.state)))
            yield (self.joint.count("runs of digits", runs) > int(found["k"])).astype(float)
