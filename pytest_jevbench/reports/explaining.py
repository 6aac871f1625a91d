"""One test, told to a person who wants to know what it asks, what came of it, and what to do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_jevbench.json_text import JSON, dumps, printable, shown
from pytest_jevbench.plans.plan import PlannedTest, TestId
from pytest_jevbench.questions import Case, Choice, Question, Score
from pytest_jevbench.relations.known import BUILT_IN, Relations
from pytest_jevbench.relations.taxonomy import DIMENSIONS, GROUPS, JUDGE
from pytest_jevbench.reports.request_difference import request_difference
from pytest_jevbench.reports.text import Line, Segment, line, percent, wrapped
from pytest_jevbench.reports.violation import distribution_columns
from pytest_jevbench.runs.results import Outcome, TestResult
from pytest_jevbench.scoring.card_reading import Card

__all__ = ["Explained", "explanation"]

WIDTH = 80
MARGIN = 11
STATE_LINES = 12
"""Lines of a state that are shown where all of it was not asked for."""

_ADVICE = {
    "REP": "The same question in another form should be answered the same. Look at what the form changed: an order, a "
    "key, a wording. Average over the forms, or fix one form for every request that a decision depends on.",
    "BAT": "The answer depends on what else is asked along with it. Ask what a decision depends on alone, or always in "
    "the same batch.",
    "MEA": "The probabilities do not add up as those of one distribution must. Do not add, subtract or compare them as "
    "they are: ask for the one distribution that is needed and derive the others from it.",
    "LOG": "One answer claims more than another one allows. Before software acts on both, check the order between them "
    "and use the safer one.",
    "CHO": "The weight of two options against each other depends on which other options are offered. Offer the same "
    "options wherever the answers are compared.",
}
_UNJUDGED = {
    "refused": "The server said no for good. Its words are above; `pytest-jevbench check` tells what it accepts.",
    "invalid": "The answer was not in the form that the question asked for. Look at it: the command below asks again.",
    "unreachable": "No answer came. See that the model answers, then run again: stored answers are not asked again.",
    "over_budget": "The budget did not cover it. Raise it and run again: stored answers are not asked again.",
    "lost": "The run ended before this test. Run again: stored answers are not asked again.",
}


@dataclass(frozen=True)
class Explained:
    """What is known of one test.

    ``case`` and ``planned`` come from its suite, and are None where it could not be loaded, as ``missing`` then says;
    ``card`` and ``result`` from a card; ``outcomes`` are those with the numbers compared, as far as they are known;
    ``base`` the answers to the base request by question.
    """

    name: str
    test: TestId
    relations: Relations = BUILT_IN
    case: Case | None = None
    planned: PlannedTest | None = None
    card: Card | None = None
    result: TestResult | None = None
    outcomes: tuple[Outcome, ...] = ()
    base: Mapping[str, Mapping[str, float]] | None = None
    again: str = ""
    missing: tuple[str, ...] = ()


def explanation(of: Explained, *, full: bool = False) -> list[Line]:
    """Lines that fit 80 columns, apart from commands."""
    return [*_relation(of), *_case(of, full), *_requests(of, full), *_result(of), *_end(of)]


def _part(label: str, text: str, style: str = "") -> Iterator[Line]:
    """A label and its text, wrapped; line breaks of the text are kept."""
    head = f"{label:<{MARGIN - 1}} "
    for number, paragraph in enumerate(text.splitlines() or [""]):
        first = head if number == 0 else " " * MARGIN
        for row in wrapped(paragraph, WIDTH, first, " " * MARGIN):
            yield line(row if not style else Segment(row, "faint"))


def _relation(of: Explained) -> Iterator[Line]:
    yield line(Segment(of.name, "title"))
    yield line("")
    own = next((row for row in _own_laws(of.card) if row["name"] == of.test.relation), None)
    if own is not None:
        whose = "a law of judges" if own["group"] == JUDGE.id else "a law of your own"
        yield from _part("relation", f"{own['name']}, {whose} ({own['group']})")
        yield from _part("law", f"{own['law']}\n{own['formula']}")
        return
    relation = of.relations.get(of.test.relation)
    if relation is None:
        yield from _part("relation", of.test.relation)
        return
    titles = {dimension.id: dimension.title for dimension in DIMENSIONS}
    yield from _part("relation", relation.name)
    if relation.dimension in titles:
        yield from _part("dimension", f"{relation.dimension}, {titles[relation.dimension].lower()}")
    asks = next((group.asks for group in GROUPS if group.id == relation.group), "")
    yield from _part("group", f"{relation.group}: {asks}" if asks else relation.group)
    yield from _part("law", f"{relation.law}\n{relation.formula}")
    yield from _part("source", relation.source)


def _own_laws(card: Card | None) -> list[Mapping[str, Any]]:
    return [] if card is None else list(card.data.get("own_laws") or ())


def _case(of: Explained, full: bool) -> Iterator[Line]:
    domain = (of.case.domain if of.case is not None else "") or (
        of.card.cases.get(of.test.case_id, "") if of.card else ""
    )
    yield line("")
    yield from _part("case", of.test.case_id + (f" ({domain})" if domain else ""))
    if of.case is None:
        yield from _part("question", of.test.key)
        return
    lines = [row for text in _state(of.case.state) for row in _indented(text)]
    if not full and len(lines) > STATE_LINES + 2:
        left = len(lines) - STATE_LINES
        lines = [*lines[:STATE_LINES], f"{' ' * MARGIN}({left} more lines: --full shows all)"]
    if lines:
        lines[0] = f"{'state':<{MARGIN}}{lines[0][MARGIN:]}"
    yield from (line(row) for row in lines)
    question = of.case.questions.get(of.test.key)
    yield from _part("question", f"{of.test.key}{'' if question is None else f' ({question.type})'}")
    if question is not None:
        yield from _part("", _in_words(question))


def _indented(text: str) -> list[str]:
    """A line of a state with its own indent, as structures have it."""
    margin = " " * (MARGIN + min(20, len(text) - len(text.lstrip(" "))))
    return wrapped(text, WIDTH, margin, margin)


def _state(state: JSON) -> list[str]:
    text = state if isinstance(state, str) else dumps(state, indent=2)
    return printable(text).splitlines() or ["(empty)"]


def _in_words(question: Question) -> str:
    if isinstance(question, Choice):
        options = [f"{name}: {text}" if text else name for name, text in question.options.items()]
    elif isinstance(question, Score):
        options = [f"{level}: {text}" for level, text in enumerate(question.levels)]
    else:
        options = []
    return "\n".join([question.instructions, *options])


def _requests(of: Explained, full: bool) -> Iterator[Line]:
    if of.case is None or of.planned is None:
        return
    keys = list(of.case.questions)
    yield line("")
    yield from _part("base", f"the case's own {len(keys)} question{'s' if len(keys) > 1 else ''}: {', '.join(keys)}")
    trials = of.planned.trials if full else of.planned.trials[:2]
    many = len(of.planned.trials) > 1
    for number, trial in enumerate(trials, 1):
        for label, batch in trial.edit.batches.items():
            which = f", variant {number}" if many else ""
            name = f"{label}{which}" if len(trial.edit.batches) > 1 or many else "follow-up"
            yield from _part("", f"{name}, against the base request (- base, + follow-up, ~ order)")
            for text in request_difference(of.case.questions, batch) or ["(the same request)"]:
                indent = " " * (MARGIN + 2)
                yield from (line(row) for row in wrapped(text, WIDTH, indent, indent + "    "))
        if not trial.edit.batches:
            yield from _part("", "no follow-up: the law is about answers to the base request")
    if len(trials) < len(of.planned.trials):
        yield from _part("", f"({len(of.planned.trials) - len(trials)} more variants: --full shows all)")


def _result(of: Explained) -> Iterator[Line]:
    if of.card is not None:
        yield line("")
        yield from _part("model", of.card.name)
    answered = (of.base or {}).get(of.test.key)
    if answered:
        figures = ", ".join(f"{name} {value:.4f}" for name, value in answered.items())
        yield from _part("base said", figures)
    if of.result is None:
        return
    yield from _part("verdict", of.result.verdict.replace("_", " "))
    if of.result.verdict == "unjudged":
        yield from _part("reason", f"{of.result.reason or 'lost'}: {shown(of.result.message, 400)}")
    check = of.result.check
    for outcome in of.outcomes or of.result.outcomes:
        for row in distribution_columns(outcome, WIDTH - MARGIN + 2):
            yield line(f"{' ' * (MARGIN - 2)}{printable(row)}")
        deviation = "not finite" if outcome.deviation is None else f"{outcome.deviation:.4f}"
        flip = {True: "; the decision flips", False: "; the decision stays", None: ""}[outcome.flip]
        what = f" on {', '.join(outcome.targets)}" if len(outcome.targets) > 1 else ""
        yield from _part("deviation", f"{deviation}, allowed {outcome.tolerance:g} ({check}{what}{flip})")


def _end(of: Explained) -> Iterator[Line]:
    yield line("")
    advice = _advice(of)
    if advice:
        yield from _part("what to do", advice)
    for text in of.missing:
        yield from _part("note", text)
    if of.again:
        yield line(f"{'ask again':<{MARGIN}}{printable(of.again)}")


def _advice(of: Explained) -> str:
    if of.result is None:
        return ""
    if of.result.verdict == "held":
        return "Nothing: the law is kept within the tolerance."
    if of.result.verdict == "unjudged":
        return _UNJUDGED[of.result.reason or "lost"]
    if of.result.verdict != "violated" or of.test.relation not in of.relations:
        return ""
    row = None if of.card is None else of.card.scores.relation(of.test.relation)
    text = _ADVICE.get(of.relations[of.test.relation].dimension, "")
    if row is not None and row.judged > 1:
        share = percent(row.violated / row.judged)
        text += f" This law is broken in {row.violated} of {row.judged} tests of the run ({share} %)."
    return f"{text} --jevbench-minimize finds the smallest requests that still break it.".strip()
