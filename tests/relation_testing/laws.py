"""Laws that are as they should be, and laws that each have one fault."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_jevbench.errors import SealedError
from pytest_jevbench.own_laws import (
    Choice,
    Draw,
    Measurement,
    Noul,
    OwnLaw,
    Question,
    Reading,
    SourceCase,
    at_most,
    equal,
)

ROWS: list[dict[str, Any]] = [
    {
        "id": "parcel",
        "state": "My parcel 17 never came.",
        "questions": {
            "found": {"type": "noul", "instructions": "Was the order found?"},
            "refund": {"type": "noul", "instructions": "Is a refund approved?"},
            "wish": {
                "type": "choice",
                "instructions": "What does the writer want?",
                "criteria": {"money": "The money back", "cup": "Another cup", "none": "Nothing at all"},
            },
        },
    }
]


class RefundNeedsOrder(OwnLaw):
    name = "refund_needs_order"
    law = "A refund is approved only where the order was found."
    formula = "P(refund) <= P(found)"
    counts_in = "LOG"

    def applies(self, source: SourceCase, key: str) -> bool:
        return key == "refund" and "found" in source.questions

    def about(self, source: SourceCase, key: str) -> Sequence[str]:
        return ("refund", "found")

    def measure(self, reading: Reading) -> Measurement:
        return at_most(reading, "P(refund)", reading.yes("refund"), reading.yes("found"))

    def given(self, worlds: Any) -> Any:
        return ~worlds.yes("refund") | worlds.yes("found")


class NoBackground(RefundNeedsOrder):
    """Without what is known of the domain the law follows from nothing."""

    name = "no_background"

    def given(self, worlds: Any) -> Any:
        return None


class NothingLeft(RefundNeedsOrder):
    name = "nothing_left"

    def given(self, worlds: Any) -> Any:
        return ~worlds.everywhere


class Framed(OwnLaw):
    """A question of any type in a frame that changes nothing."""

    name = "framed"
    law = "Who asks changes nothing."
    formula = "P' = P"
    wordings = ("An auditor asks: {}", "A customer asks: {}")

    def applies(self, source: SourceCase, key: str) -> bool:
        return True

    def ask(self, source: SourceCase, key: str, wording: str, draw: Draw) -> Mapping[str, Question]:
        question = source.questions[key]
        text = wording.format(question.instructions)
        return {"framed": Choice(text, question.options) if isinstance(question, Choice) else Noul(text)}

    def measure(self, reading: Reading) -> Measurement:
        return equal(reading, reading.before, reading.follow_up[reading.params["framed"]])

    def means(self, text: str, worlds: Any) -> Any:
        framed = {w.format(q): key for key, q in worlds.instructions().items() for w in self.wordings}
        return framed.get(text)


class Unexplained(Framed):
    name = "unexplained"

    def means(self, text: str, worlds: Any) -> Any:
        return None


class Misexplained(Framed):
    """Says that every framed text asks about the order."""

    name = "misexplained"

    def means(self, text: str, worlds: Any) -> Any:
        return worlds.yes("found") if " asks: " in text and "want" not in text else super().means(text, worlds)


class Peeks(Framed):
    name = "peeks"

    def ask(self, source: SourceCase, key: str, wording: str, draw: Draw) -> Mapping[str, Question]:
        return {"framed": Noul(f"{wording} {source.answers[key]}")}


class PeeksInSecret(Framed):
    """Looks at an answer and goes on as though nothing had happened."""

    name = "peeks_in_secret"

    def ask(self, source: SourceCase, key: str, wording: str, draw: Draw) -> Mapping[str, Question]:
        with contextlib.suppress(SealedError):
            _ = source.answers
        return super().ask(source, key, wording, draw)


class ByTheClock(Framed):
    name = "by_the_clock"

    def ask(self, source: SourceCase, key: str, wording: str, draw: Draw) -> Mapping[str, Question]:
        return {"framed": Noul(f"{wording} {time.perf_counter_ns()}")}


class ByTheHash(Framed):
    """Equal in one process, another in the next: the order of a set of texts."""

    name = "by_the_hash"

    def ask(self, source: SourceCase, key: str, wording: str, draw: Draw) -> Mapping[str, Question]:
        return {"framed": Noul(" ".join({f"word{n}" for n in range(20)}))}


class EmptyText(Framed):
    name = "empty_text"

    def ask(self, source: SourceCase, key: str, wording: str, draw: Draw) -> Mapping[str, Question]:
        return {"framed": Noul("  ")}


class NoQuestion(Framed):
    name = "no_question"

    def ask(self, source: SourceCase, key: str, wording: str, draw: Draw) -> Any:
        return {"framed": "Was the order found?"}


class Nowhere(Framed):
    name = "nowhere"

    def applies(self, source: SourceCase, key: str) -> bool:
        return False


class MeasuresNothing(Framed):
    name = "measures_nothing"

    def measure(self, reading: Reading) -> Any:
        return reading.before.get("true", 0.0)


class OneOfTwo(OwnLaw):
    """Asks of one drawn option in words of its own: an event that ``means`` makes of the case's answers."""

    name = "one_of_two"
    law = "A drawn option or the first one is at least as probable as the drawn one."
    formula = "P(o) <= P(o or first)"
    drawn = True

    def applies(self, source: SourceCase, key: str) -> bool:
        return isinstance(source.questions[key], Choice)

    def ask(self, source: SourceCase, key: str, wording: str, draw: Draw) -> Mapping[str, Question]:
        question = source.questions[key]
        assert isinstance(question, Choice)
        return {"either": Noul(f"Is it {draw.choose(list(question.options))} or money?")}

    def measure(self, reading: Reading) -> Measurement:
        return at_most(reading, "P(money)", reading.before["money"], reading.probe("either"))

    def means(self, text: str, worlds: Any) -> Any:
        for option in ("money", "cup", "none"):
            if text == f"Is it {option} or money?":
                return worlds.answer("wish", option) | worlds.answer("wish", "money")
        return None
