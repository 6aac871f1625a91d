"""A card by question: which question is fragile, how often software would have decided otherwise, and on what."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pytest_jevbench.counting import counted
from pytest_jevbench.reports.text import Line, Segment, clip, columns, line, pad, percent
from pytest_jevbench.scoring.card_reading import Card
from pytest_jevbench.scoring.question_scores import BrokenLaw, QuestionScore, score_questions
from pytest_jevbench.scoring.repeat_noise import noise_by_question

__all__ = ["question_table"]

_LAWS = 3
"""How many broken laws are named under a question."""
_KEY = 30
_WIDTH = 78
"""Columns of a law below its question."""


def question_table(card: Card, most: int | None = None, laws: int = _LAWS) -> list[Line]:
    """The rows of all questions, or of the ``most`` fragile; under each the laws it breaks most."""
    scores = score_questions(card.results, card.settings)
    if not scores:
        return [line("no question was judged")]
    noise = noise_by_question(card)
    head = f"{pad('question, most fragile first', _KEY)}{'cases':>6}{'measured':>10}{'violated':>10}{'flips':>8}"
    head += f"{'noise':>9}" if noise else ""
    lines = [line(Segment(head, "faint"))]
    for score in scores[:most]:
        lines += _row(score, laws, noise)
    hidden = 0 if most is None else max(0, len(scores) - most)
    if hidden:
        lines.append(line(Segment(f"{hidden} more: --level question of `pytest-jevbench card report`", "faint")))
    return lines


def _row(score: QuestionScore, laws: int, noise: Mapping[str, float]) -> Iterator[Line]:
    flips = f"{percent(score.flip_rate)}" if score.decisions else "-"
    text = f"{pad(score.key, _KEY)}{score.cases:>6}{score.measured:>10}{percent(score.violation_rate):>10}{flips:>8}"
    text += f"{noise[score.key]:>9.4f}" if score.key in noise else ""
    yield line(Segment(text, "strong" if score.flips else ""))
    for law in score.laws[:laws]:
        yield line(Segment(f"  {_told(law)}", "faint"))
    if len(score.laws) > laws > 0:
        yield line(Segment(f"  and {counted(len(score.laws) - laws, 'more law')}", "faint"))


def _told(law: BrokenLaw) -> str:
    flips = f", {counted(law.flips, 'flip')}" if law.flips else ""
    deviation = "not finite" if law.deviation is None else f"{law.deviation:.3f}"
    broken = f"{law.violated} of {law.measured}{flips}"
    told = f"{pad(law.relation, 25)} {broken}; worst {deviation} on "
    return told + clip(law.worst.case_id, min(24, _WIDTH - columns(told)))
