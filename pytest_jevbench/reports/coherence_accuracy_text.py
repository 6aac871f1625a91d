"""Coherence against accuracy as lines of text that fit 80 columns: within one card, and over several."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_jevbench.reports.numbers import points, points_interval
from pytest_jevbench.reports.text import Line, Segment, interval_text, line, pad, percent, wrapped
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.coherence_accuracy import (
    CoherenceAccuracy,
    Correlation,
    GroupRow,
    card_points,
    compare_accuracy,
)

__all__ = ["answer_in_words", "cards_text", "coherence_accuracy_text"]

WIDTH = 80
NAME = 38
ROWS = 12


def coherence_accuracy_text(cards: Sequence[Card]) -> list[Line]:
    """The plane of all cards as a table, then each card's own comparison."""
    lines = cards_text(cards)
    for card in cards:
        lines += [line(""), line(Segment(f"{card.name} · {card.suite}", "title"))]
        found = compare_accuracy(card)
        if found is None:
            why = "The card does not say which of its answers are right: it was made without gold answers, or before "
            lines += [line(row) for row in wrapped(f"{why}cards said so. Run the suite again.", WIDTH)]
        else:
            lines += _within(found)
    return lines


def cards_text(cards: Sequence[Card]) -> list[Line]:
    """Coherence and accuracy of each card, and of the model that reads nothing on the same tests."""
    rows = card_points(cards)
    head = f"{pad('model', 29)}{'coherence':>10}  {'95 % interval':<14}{'accuracy':>9}  {'95 % interval':<14}"
    lines = [line(Segment(head, "faint"))]
    for row in rows:
        text = f"{pad(row.name, 29)}{percent(row.coherence):>10}  {interval_text(row.coherence_interval)}"
        lines.append(line(f"{text}{percent(row.accuracy):>9}  {interval_text(row.accuracy_interval)}"))
    seen = set()
    for row in rows:
        if row.uniform not in seen and row.uniform != (None, None):
            seen.add(row.uniform)
            name = "uniform (reads nothing)" + (f", {row.suite}" if len({r.uniform for r in rows}) > 1 else "")
            text = f"{pad(name, 29)}{percent(row.uniform[0]):>10}{'':16}{percent(row.uniform[1]):>9}"
            lines.append(line(Segment(text, "faint")))
    if len({row.digest for row in rows}) > 1:
        said = "The cards are of different suites: their numbers do not compare."
        lines += [line(text) for text in wrapped(said, WIDTH, "* ", "  ")]
    return lines


def _within(found: CoherenceAccuracy) -> Iterator[Line]:
    yield line(Segment("do incoherent questions err more?", "strong"))
    for text in wrapped(answer_in_words(found), WIDTH, "  ", "  "):
        yield line(text)
    split = found.split
    yield line("")
    yield line(Segment(f"{pad('questions', NAME)}{'wrong %':>8}{'n':>8}", "faint"))
    yield line(f"{pad('every law about them kept', NAME)}{percent(split.coherent_error):>8}{split.coherent:>8,}")
    yield line(f"{pad('a law about them broken', NAME)}{percent(split.incoherent_error):>8}{split.incoherent:>8,}")
    if split.difference is not None:
        difference = f"{points(split.difference):>8}  {points_interval(split.interval)}"
        yield line(f"{pad('  difference, percentage points', NAME)}{difference}")
    yield line("")
    yield line(Segment(f"{pad('rank correlation of incoherence and error', 44)}{'95 % interval':>26}{'n':>8}", "faint"))
    yield from _correlation("by question in its case", found.by_question)
    yield from _correlation("by question over all cases", found.by_key)
    yield from _correlation("by family", found.by_family)
    for name, correlation in found.by_dimension.items():
        if correlation.n:
            yield from _correlation(f"by question, laws of {name} alone", correlation)
    if len(found.families) > 1:
        yield from _groups("family", found.families, len(found.families))
    yield from _groups("least coherent questions", found.keys, ROWS)
    if found.left_out:
        said = f"{found.left_out:,} labelled questions are left out: no answer, or no judged law about them."
        yield line("")
        for text in wrapped(said, WIDTH, "* ", "  "):
            yield line(text)


def answer_in_words(found: CoherenceAccuracy) -> str:
    """What the correlation over single questions says, and what it does not."""
    correlation, interval = found.by_question, found.by_question.interval
    if correlation.value is None:
        return f"It cannot be told: {correlation.reason}."
    if interval is None:
        return f"It cannot be told: {correlation.interval_reason}."
    if interval.low > 0:
        return "Yes: the less coherent the answers about a question, the more often the question is answered wrong."
    if interval.high < 0:
        return "No, the other way round: the less coherent the answers, the less often they are wrong."
    return (
        "Not seen here: the interval holds 0. These questions do not show that incoherent answers are wrong more often."
    )


def _correlation(name: str, of: Correlation) -> Iterator[Line]:
    if of.value is None:
        yield line(f"{pad(name, 36)}{'-':>8}{of.n:>34,}")
        yield line(Segment(f"  {of.reason}", "faint"))
        return
    interval = "" if of.interval is None else f"[{of.interval.low:+.2f}, {of.interval.high:+.2f}]"
    yield line(f"{pad(name, 36)}{of.value:>+8.2f}{interval:>26}{of.n:>8,}")


def _groups(title: str, rows: Sequence[GroupRow], most: int) -> Iterator[Line]:
    yield line("")
    yield line(Segment(f"{pad(title, NAME)}{'incoherent %':>13}{'wrong %':>9}{'questions':>11}", "faint"))
    for row in rows[:most]:
        name = pad(row.name or "(none)", NAME)
        yield line(f"{name}{percent(row.incoherence):>13}{percent(row.error):>9}{row.questions:>11,}")
